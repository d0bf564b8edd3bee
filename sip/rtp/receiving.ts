/** Incoming stream of a call, which returns audio in order with concealed gaps, and DTMF digits. */
import type { G711 } from '#sip/audio/g711.ts';
import { createConcealment } from './concealment.ts';
import { parseRtp, type RtpPacket } from './rtp-packet.ts';
import { createReception, type Reception } from './reception.ts';
import { createReorderBuffer, type ReorderBuffer } from './reorder-buffer.ts';
import { createDigitReader } from './telephone-event.ts';

/** Format of a payload: a voice codec, DTMF (RFC 4733) or comfort noise (RFC 3389). */
export type ReceivingFormat = G711 | 'telephone-event' | 'CN';

/** Formats that the far end may send, by payload type. */
export type ReceivingFormats = ReadonlyMap<number, ReceivingFormat>;

export type ReceivingEvents = {
  onAudio: (samples: Int16Array) => void;
  onDigit: (key: string) => void;
};

export type Receiving = {
  /**
   * Parses a datagram. Returns undefined unless the datagram is a packet of an agreed format. A packet that waits shares
   * the datagram's memory, which must not be reused.
   */
  read(datagram: Buffer): RtpPacket | undefined;
  /** Processes a packet. `at` is a monotonic time in milliseconds. */
  take(packet: RtpPacket, at: number): void;
  /** Releases packets that waited long enough. Must be called every 20 ms. */
  expire(at: number): void;
  setFormats(formats: ReceivingFormats): void;
  reception: Pick<Reception, 'statistics' | 'report'>;
};

/** Maximum wait for a missing packet, in milliseconds. */
const waitMs = 60;
const mostWaiting = 25;
/** Maximum number of packets in a gap that is concealed; a longer gap is a pause of the sender. */
const longestFilled = 10;

export const createReceiving = (
  first: ReceivingFormats,
  { onAudio, onDigit }: ReceivingEvents,
): Receiving => {
  let formats = first;
  let ssrc: number | null = null;
  let samplesOfPacket = 160;
  const reception = createReception();
  const concealment = createConcealment();
  const readKey = createDigitReader();
  /** Whether the last packet was comfort noise or DTMF. A gap after such a packet is a pause, not lost speech. */
  let isPause = false;

  const pass = (packet: RtpPacket): void => {
    const format = formats.get(packet.payloadType);
    isPause = typeof format === 'string';
    if (format === undefined || typeof format === 'string' || packet.payload.length === 0) return;
    const samples = format.decode(packet.payload);
    samplesOfPacket = samples.length;
    concealment.heard(samples);
    onAudio(samples);
  };

  const openBuffer = (): ReorderBuffer<RtpPacket> =>
    createReorderBuffer(
      {
        onPacket: pass,
        onGap(packets) {
          if (!isPause && packets <= longestFilled) onAudio(concealment.fill(packets * samplesOfPacket));
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

  /** Returns whether the event is within the voice stream: some gateways send events from a separate source. */
  const takeEvent = (packet: RtpPacket): boolean => {
    const key = readKey(packet);
    if (key !== undefined) onDigit(key);
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
      buffer.add(packet, at);
    },
    expire: (at) => buffer.expire(at),
    setFormats(changed) {
      formats = changed;
    },
    reception,
  };
};
