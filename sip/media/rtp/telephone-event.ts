/** Keys of the telephone as events within the sound (RFC 4733). */
import type { RtpPacket } from './rtp-packet.ts';

const keys = '0123456789*#ABCD';

export const telephoneEventBytes = 4;

/** −10 dBm0, as usual telephones send. */
const volume = 10;

/** The payload of an event that has lasted so many samples. */
export const writeTelephoneEvent = (
  payload: Buffer,
  event: { key: string; isOver: boolean; duration: number },
): void => {
  payload[0] = keys.indexOf(event.key);
  payload[1] = (event.isOver ? 0x80 : 0) | volume;
  payload.writeUInt16BE(Math.min(event.duration, 0xffff), 2);
};

/**
 * Tells the keys of one stream, each once and as soon as it is known: an event is sent in many packets, all with the
 * timestamp of its beginning, and its last one three times.
 */
export const createKeyReader = (): ((packet: RtpPacket) => string | undefined) => {
  let last: number | null = null;
  return ({ payload, timestamp }) => {
    if (payload.length < telephoneEventBytes || timestamp === last) return undefined;
    // A packet of an earlier event that was overtaken.
    if (last !== null && ((timestamp - last) | 0) < 0) return undefined;
    last = timestamp;
    return keys[payload[0] ?? keys.length];
  };
};
