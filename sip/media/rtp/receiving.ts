/** The stream that comes in: audio in its order, with the gaps filled, and the DTMF digits in it. */
import type { G711 } from '../g711.ts';
import { createConcealment } from './concealment.ts';
import { parseRtp, type RtpPacket } from './rtp-packet.ts';
import { createReception, type Reception } from './reception.ts';
import { createReorderBuffer, type ReorderBuffer } from './reorder-buffer.ts';
import { createKeyReader } from './telephone-event.ts';

/** A voice codec, DTMF (RFC 4733) or comfort noise (RFC 3389). */
export type ReceivingFormat = G711 | 'telephone-event' | 'CN';

/** Formats that the far end may send, by payload type. */
export type ReceivingFormats = ReadonlyMap<number, ReceivingFormat>;

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
  const readKey = createKeyReader();
  /** The last packet was comfort noise or DTMF: behind it a gap is a pause, and has no voice to go on with. */
  let isPause = false;

  const pass = (packet: RtpPacket): void => {
    const format = formats.get(packet.payloadType);
    isPause = typeof format === 'string';
    if (format === undefined || typeof format === 'string' || packet.payload.length === 0) return;
    const samples = format.decode(packet.payload);
    samplesOfPacket = samples.length;
    concealment.heard(samples);
    onSound(samples);
  };

  const openBuffer = (): ReorderBuffer<RtpPacket> =>
    createReorderBuffer(
      {
        onPacket: pass,
        onGap(packets) {
          if (!isPause && packets <= longestFilled) onSound(concealment.fill(packets * samplesOfPacket));
        },
      },
      { waitMs, most: mostWaiting },
    );
  let buffer = openBuffer();

  const beginStream = (source: number): void => {
    ssrc = source;
    buffer.expire(Infinity);
    buffer = openBuffer();
    isPause = false;
  };

  /** Returns whether the event is within the stream of voice: some gateways send events by a source of their own. */
  const takeEvent = (packet: RtpPacket): boolean => {
    const key = readKey(packet);
    if (key !== undefined) onKey(key);
    return ssrc === null || packet.ssrc === ssrc;
  };

  return {
    read(datagram) {
      const packet = parseRtp(datagram);
      return packet !== undefined && formats.has(packet.payloadType) ? packet : undefined;
    },
    take(packet, at) {
      const isEvent = formats.get(packet.payloadType) === 'telephone-event';
      if (isEvent && !takeEvent(packet)) return;
      if (packet.ssrc !== ssrc) beginStream(packet.ssrc);
      reception.received(packet, at, isEvent ? 'event' : 'audio');
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
