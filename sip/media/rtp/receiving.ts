/** The stream that comes in: sound in its order, with the gaps filled, and the keys that are pressed in it. */
import type { G711 } from '../g711.ts';
import { createConcealment } from './concealment.ts';
import { parseRtp, type RtpPacket } from './rtp-packet.ts';
import { createReception, type Reception } from './reception.ts';
import { createReorderBuffer, type ReorderBuffer } from './reorder-buffer.ts';
import { createKeyReader } from './telephone-event.ts';

/** Formats that the far end may send: voice codecs and keys by their payload types. */
export type ReceivingFormats = { codecs: ReadonlyMap<number, G711>; keysPayloadType: number | null };

export type ReceivingEvents = {
  onSound: (samples: Int16Array) => void;
  onKey: (key: string) => void;
};

export type Receiving = {
  /** Undefined for what is no packet of what was agreed on. */
  read(datagram: Buffer): RtpPacket | undefined;
  /** `at` is a monotonic time in milliseconds. */
  take(packet: RtpPacket, at: number): void;
  /** To be called every 20 ms. */
  expire(at: number): void;
  setFormats(formats: ReceivingFormats): void;
  reception: Pick<Reception, 'figures' | 'report'>;
};

/** A packet that is missing so long is not waited for any more. */
const waitMs = 60;
const mostWaiting = 25;
/** A gap longer than this is a pause, and not filled. */
const longestFilled = 10;

export const createReceiving = (first: ReceivingFormats, { onSound, onKey }: ReceivingEvents): Receiving => {
  let formats = first;
  let ssrc: number | null = null;
  let samplesOfPacket = 160;
  const reception = createReception();
  const concealment = createConcealment();
  let readKey = createKeyReader();

  const pass = (packet: RtpPacket): void => {
    const codec = formats.codecs.get(packet.payloadType);
    if (codec === undefined || packet.payload.length === 0) return;
    const samples = codec.decode(packet.payload);
    samplesOfPacket = samples.length;
    concealment.heard(samples);
    onSound(samples);
  };

  const openBuffer = (): ReorderBuffer<RtpPacket> =>
    createReorderBuffer(
      {
        onPacket: pass,
        onGap(packets) {
          if (packets <= longestFilled) onSound(concealment.fill(packets * samplesOfPacket));
        },
      },
      { waitMs, most: mostWaiting },
    );
  let buffer = openBuffer();

  const isKey = ({ payloadType }: RtpPacket): boolean => payloadType === formats.keysPayloadType;

  const beginAnew = (source: number): void => {
    ssrc = source;
    buffer.expire(Infinity);
    buffer = openBuffer();
    readKey = createKeyReader();
  };

  return {
    read(datagram) {
      const packet = parseRtp(datagram);
      if (packet === undefined) return undefined;
      const { payloadType } = packet;
      return isKey(packet) || formats.codecs.has(payloadType) ? packet : undefined;
    },
    take(packet, at) {
      if (packet.ssrc !== ssrc) beginAnew(packet.ssrc);
      reception.received(packet, at);
      if (isKey(packet)) {
        const key = readKey(packet);
        if (key !== undefined) onKey(key);
      }
      // Its payload is a view of memory that the next datagram may be read into.
      buffer.add({ ...packet, payload: Uint8Array.from(packet.payload) }, at);
    },
    expire: (at) => buffer.expire(at),
    setFormats(changed) {
      formats = changed;
    },
    reception,
  };
};
