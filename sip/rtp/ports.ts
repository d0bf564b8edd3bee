/** Two UDP ports for the media of one call: an even one for RTP, the next for RTCP (RFC 3550 section 11). */
import { performance } from 'node:perf_hooks';
import type { Socket } from 'node:dgram';
import { openUdpSocket } from './udp-socket.ts';
import type { Source } from './remote.ts';

export type RtpPorts = {
  rtp: Socket;
  rtcp: Socket;
  port: number;
  /** Streams of the previous call on this pair of ports, whose far ends may still be sending. */
  former: readonly Source[];
  /** Returns the pair after its sockets are closed. `sources` are the streams that were accepted on them. */
  released(sources: readonly Source[]): void;
};

/** Cool-down of a pair after a call in milliseconds. The pair is used earlier only if no other pair is free. */
const restMs = 10_000;

type Left = { at: number; sources: readonly Source[] };

/** Returns the next free pair of a range that other programs may use, too. Rejects after `tries` occupied pairs. */
export const createRtpPorts = (
  { from, to }: { from: number; to: number },
  {
    tries = 20,
    now = () => performance.now(),
    random = Math.random,
  }: { tries?: number; now?: () => number; random?: () => number } = {},
) => {
  const first = from + (from % 2);
  const pairs = Math.floor((to - first + 1) / 2);
  const anyPair = (): number => Math.floor(random() * pairs);
  let next = anyPair();
  /** Pairs in cool-down by port, in the order of release. */
  const left = new Map<number, Left>();

  const endRests = (): void => {
    for (const [port, { at }] of left) {
      if (now() - at < restMs) return;
      left.delete(port);
    }
  };

  const openPair = async (address: string, port: number): Promise<RtpPorts> => {
    const rtp = await openUdpSocket(address, port);
    try {
      const rtcp = await openUdpSocket(address, port + 1);
      const former = left.get(port)?.sources ?? [];
      left.delete(port);
      return { rtp, rtcp, port, former, released: (sources) => void left.set(port, { at: now(), sources }) };
    } catch (error) {
      rtp.close();
      throw error;
    }
  };

  /**
   * Yields ports in the order of attempts: first those outside of a cool-down, in turn, then those in a cool-down, the
   * longest first. After an occupied pair of a large range the turn continues elsewhere: another gateway on this machine
   * may occupy hundreds of neighbouring pairs.
   */
  const candidates = function* (): Generator<number> {
    const resting = [...left.keys()].slice(0, tries);
    for (let passed = 0, tried = 0; passed < pairs && tried < tries; passed += 1) {
      const port = first + 2 * next;
      next = (next + 1) % pairs;
      if (left.has(port)) continue;
      tried += 1;
      yield port;
      if (pairs > tries) next = anyPair();
    }
    yield* resting;
  };

  return {
    async take(address: string): Promise<RtpPorts> {
      endRests();
      let cause: unknown;
      for (const port of candidates()) {
        try {
          return await openPair(address, port);
        } catch (error) {
          cause = error;
        }
      }
      throw new Error(`No RTP port is free between ${from} and ${to}`, { cause });
    },
  };
};
