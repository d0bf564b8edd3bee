/** Two UDP ports for the sound of one call: an even one for RTP, the next for RTCP (RFC 3550 section 11). */
import type { Socket } from 'node:dgram';
import { openUdpSocket } from '../udp-socket.ts';

export type RtpPorts = { rtp: Socket; rtcp: Socket; port: number };

/** The next free pair of a range, which others take ports of, too. Rejects when `tries` pairs were taken. */
export const createRtpPorts = ({ from, to }: { from: number; to: number }, tries = 20) => {
  const first = from + (from % 2);
  const pairs = Math.floor((to - first + 1) / 2);
  let next = Math.floor(Math.random() * pairs);

  const tryPair = async (address: string, port: number): Promise<RtpPorts> => {
    const rtp = await openUdpSocket(address, port);
    try {
      return { rtp, rtcp: await openUdpSocket(address, port + 1), port };
    } catch (error) {
      rtp.close();
      throw error;
    }
  };

  return {
    async take(address: string): Promise<RtpPorts> {
      let cause: unknown;
      for (let tried = 0; tried < Math.min(tries, pairs); tried += 1) {
        const port = first + 2 * next;
        next = (next + 1) % pairs;
        try {
          return await tryPair(address, port);
        } catch (error) {
          cause = error;
        }
      }
      throw new Error(`No port for sound is free between ${from} and ${to}`, { cause });
    },
  };
};
