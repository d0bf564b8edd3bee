/** DTMF digits as named events in RTP (RFC 4733). */
import type { RtpPacket } from './rtp-packet.ts';

const digits = '0123456789*#ABCD';

export const telephoneEventBytes = 4;

/** Volume of a sent digit: −10 dBm0, as common telephones have. */
const volume = 10;

/** Writes the payload of an event that has lasted this many samples. */
export const writeTelephoneEvent = (
  payload: Buffer,
  event: { key: string; isOver: boolean; duration: number },
): void => {
  payload[0] = digits.indexOf(event.key);
  payload[1] = (event.isOver ? 0x80 : 0) | volume;
  payload.writeUInt16BE(Math.min(event.duration, 0xffff), 2);
};

/** State of one source: the last received packet of an event. Times are in samples. */
type Event = {
  code: number;
  timestamp: number;
  duration: number;
  isOver: boolean;
};

/**
 * Maximum duration of a segment in samples (section 2.5.1.3). A longer event is sent in segments, each with a timestamp
 * of its own.
 */
const segmentSamples = 0xffff;
/**
 * Tolerance in samples: less than the shortest pause between two digits (40 ms), more than the inaccuracy of a sender's
 * clock.
 */
const slackSamples = 160;
/** Maximum reordering in samples. A timestamp further back means that the sender restarted. */
const furthestBack = 80_000;

/**
 * Whether this packet belongs to the event of the last packet. Senders differ: all packets of an event have its first
 * timestamp (RFC 4733), or the timestamp advances like that of audio. A segment of a long event begins where the one
 * before it ends, and its duration begins again.
 */
const isSameEvent = (last: Event, next: Event, marker: boolean): boolean => {
  if (next.code !== last.code) return false;
  const ahead = (next.timestamp - last.timestamp) | 0;
  if (ahead === 0) return true;
  if (marker) return false;
  if (next.duration >= last.duration) return ahead <= last.duration + slackSamples;
  const isNextSegment = ahead === segmentSamples || Math.abs(ahead - last.duration) <= slackSamples;
  return !last.isOver && isNextSegment;
};

/** Whether a packet belongs to an earlier event and arrived after packets of the last event. */
const isOvertaken = (last: Event, next: Event, marker: boolean): boolean => {
  const ahead = (next.timestamp - last.timestamp) | 0;
  if (ahead === 0) return next.code !== last.code && !last.isOver && !marker;
  return ahead < 0 && ahead > -furthestBack;
};

/** Reads the events of one source. */
const createEventReader = (): ((packet: RtpPacket) => string | undefined) => {
  let last: Event | null = null;
  return ({ payload, timestamp, marker }) => {
    const [code, flags, high, low] = payload;
    if (code === undefined || flags === undefined || high === undefined || low === undefined)
      return undefined;
    const next: Event = { code, timestamp, duration: (high << 8) | low, isOver: (flags & 0x80) !== 0 };
    if (last !== null && isOvertaken(last, next, marker)) return undefined;
    const isNew = last === null || !isSameEvent(last, next, marker);
    // The end packet is sent three times, and may arrive before earlier packets.
    if (!isNew && last !== null && next.timestamp === last.timestamp) {
      next.isOver ||= last.isOver;
      next.duration = Math.max(next.duration, last.duration);
    }
    last = next;
    return isNew ? digits[code] : undefined;
  };
};

/** Maximum number of sources per call, because some gateways send events from a separate source. */
const mostSources = 4;

/**
 * Returns the digit of a packet that begins an event, once for each event. The digit is returned as soon as it is
 * known, because the event may still last, and any of its packets may be lost. Each source (SSRC) has its own clock.
 */
export const createDigitReader = (): ((packet: RtpPacket) => string | undefined) => {
  const readers = new Map<number, ReturnType<typeof createEventReader>>();
  return (packet) => {
    let read = readers.get(packet.ssrc);
    if (read === undefined) {
      read = createEventReader();
      readers.set(packet.ssrc, read);
      const [oldest] = readers.keys();
      if (readers.size > mostSources && oldest !== undefined) readers.delete(oldest);
    }
    return read(packet);
  };
};
