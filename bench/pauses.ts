/**
 * Pauses of the agent's voice caused by other audio: two hundred noises, coughs and backchannels in Korean and English
 * that must not interrupt, and sixty interruptions (`test/barge-in-sounds`), in simulated time through the complete
 * listening and playback of a real call. Uses one recognizer with interim words and one with whole sentences; with
 * `pause`, and with `stop` for comparison.
 */
import { platformCallPolicy } from '#config/policy.ts';
import {
  falseStops,
  judge,
  missedInterruptions,
  silences,
  talkedOver,
  type Judged,
} from '#test/barge-in-sounds/tally.ts';
import type { Bench } from './bench.ts';
import { percentile } from './percentile.ts';

const inAll = (judged: readonly Judged[]): string => {
  const times = silences(judged);
  return [
    `silent p50 ${Math.round(percentile(times, 0.5))} ms, p95 ${Math.round(percentile(times, 0.95))} ms after the first sound of an interruption`,
    `false stops ${falseStops(judged).length} of ${judged.filter(({ sound }) => !sound.isInterruption).length}`,
    `missed ${missedInterruptions(judged).length} of ${judged.filter(({ sound }) => sound.isInterruption).length}`,
    `gone on before it was stopped ${talkedOver(judged).length}`,
  ].join('; ');
};

export const benchPauses: Bench = async ({ print }) => {
  for (const mode of ['pause', 'stop'] as const)
    for (const gives of ['words', 'sentences'] as const) {
      const judged = await judge({ gives, bargeIn: { ...platformCallPolicy.bargeIn, mode } });
      print(`${mode}, ${gives}`, inAll(judged));
      if (mode === 'stop') continue;
      for (const [kind, ofKind] of Map.groupBy(judged, ({ sound }) => sound.kind)) {
        const count = (is: (one: Judged) => boolean): number => ofKind.filter(is).length;
        const paused = count(({ verdict }) => verdict.silentAfterMs !== null);
        const wentOn = count(({ verdict }) => verdict.wentOn && !verdict.wasStopped);
        print(
          `  ${kind}`,
          `${ofKind.length}: silent ${paused}, gone on ${wentOn}, stopped ${count(({ verdict }) => verdict.wasStopped)}`,
        );
      }
    }
};
