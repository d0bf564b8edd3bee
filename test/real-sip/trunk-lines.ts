/** Lines whose calls use trunks that a test defines, with sipp as the trunk. */
import type { ExecutionContext } from 'ava';
import { trunkTimes } from '#config/policy.ts';
import type { Line, LineEvent } from '#machines/line.ts';
import type { DrachtioLines, DrachtioLinesOptions } from '#sip/drachtio/drachtio-lines.ts';
import type { Trunk } from '#src/domain/trunk.ts';
import { lineInput } from '#test/helpers/line-input.ts';
import { directoryOf, someTrunk } from '#test/sip/trunks/some-trunk.ts';
import { onRealServers } from './on-real-servers.ts';
import { realLines } from './real-lines.ts';
import type { SipServers } from './sip-servers.ts';
import { startTrunk, type TrunkEnd } from './trunk-ends.ts';

export const account = { username: 'gw', password: 'correct' };
export const own = '07012345678';
export const callee = '01099998888';

export const trunkAt = (port: number, changes: Partial<Trunk> = {}): Trunk =>
  someTrunk({ host: '127.0.0.1', port, ...changes });

export type TrunkLines = {
  servers: () => SipServers;
  /** A trunk by sipp, which ends with the test. */
  startTrunkFor(
    t: ExecutionContext,
    end: TrunkEnd,
    options?: Parameters<typeof startTrunk>[2],
  ): ReturnType<typeof startTrunk>;
  /** Lines with these trunks, without the configured one; `arrivals` are the called numbers. */
  linesWith(
    t: ExecutionContext,
    trunks: readonly Trunk[],
    options?: Partial<DrachtioLinesOptions>,
  ): Promise<DrachtioLines & { arrivals: string[] }>;
};

/** Declares tests of trunks. */
export const withTrunkLines = (about: string, declareTests: (lines: TrunkLines) => void): void =>
  onRealServers(about, (servers) =>
    declareTests({
      servers,
      async startTrunkFor(t, end, options) {
        const trunk = await startTrunk(end, servers().folder, options);
        t.teardown(trunk.close);
        return trunk;
      },
      async linesWith(t, trunks, options = {}) {
        const lines = await realLines(servers(), 9, {
          trunk: null,
          trunks: directoryOf(trunks),
          trunkTimes: { ...trunkTimes, silenceMs: 700, answerMs: 700, patienceMs: 300 },
          ...options,
        });
        const arrivals: string[] = [];
        await lines.start(async ({ to }) => {
          arrivals.push(to);
          return { accepted: false, because: 'unknown_number' };
        });
        t.teardown(() => lines.close());
        return Object.assign(lines, { arrivals });
      },
    }),
  );

export type Outcome = Extract<LineEvent, { type: 'line.answered' | 'line.unanswered' }>;

/** Opens the line of a call from our number to the callee. */
export const dial = (lines: DrachtioLines, onEvent: (event: LineEvent) => void): Line =>
  lines.open(lineInput({ from: own, to: callee }), onEvent);

/** Places a call, and hangs up at the answer. Resolves to the result. */
export const call = (lines: DrachtioLines, heldMs = 100): Promise<Outcome> =>
  new Promise((resolve) => {
    const line = dial(lines, (event) => {
      if (event.type === 'line.unanswered') resolve(event);
      if (event.type !== 'line.answered') return;
      setTimeout(() => line.close(), heldMs);
      resolve(event);
    });
  });
