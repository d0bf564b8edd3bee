/**
 * Sounds that interrupt the agent and sounds that do not: a part of `test/barge-in-sounds`, all of which `npm run bench
 * -- pauses` judges.
 */
import test from 'ava';
import { falseStops, judge, missedInterruptions, silences, talkedOver } from '#test/barge-in-sounds/tally.ts';
import type { BargeInSound } from '#test/barge-in-sounds/sounds.ts';
import { pausing, stopping } from '#test/helpers/usual-barge-in.ts';

const everyOther = (_sound: BargeInSound, index: number): boolean => index % 2 === 0;

const worstOf = (times: readonly number[], share: number): number =>
  times.toSorted((one, other) => one - other)[Math.floor(times.length * share)] ?? Infinity;

for (const gives of ['words', 'sentences'] as const)
  test(`with a recognizer of ${gives} the agent is silent at once, and goes on when it was nothing`, async (t) => {
    const judged = await judge({ gives, bargeIn: pausing }, everyOther);
    const silentMs = worstOf(silences(judged), 0.95);
    t.true(silentMs <= 200, `silent after ${silentMs} ms`);
    t.is(silences(judged).length, judged.filter(({ sound }) => sound.isInterruption).length);
    t.deepEqual(missedInterruptions(judged), []);
    const stopped = falseStops(judged);
    const harmless = judged.filter(({ sound }) => !sound.isInterruption).length;
    t.true(stopped.length <= 0.05 * harmless, `${stopped.length} of ${harmless}`);
    const silenced = judged.filter(
      ({ sound, verdict }) => !sound.isInterruption && verdict.silentAfterMs !== null,
    );
    t.true(
      silenced.every(({ verdict }) => verdict.wentOn || verdict.wasStopped),
      'nothing stays silent',
    );
    t.log({ silentMs, falseStops: stopped.length, talkedOver: talkedOver(judged).length });
  });

test('words stop the agent, and noise does not make it pause, where it stops at speech', async (t) => {
  const judged = await judge({ gives: 'words', bargeIn: stopping }, (_sound, index) => index % 9 === 0);
  t.deepEqual(missedInterruptions(judged), []);
  t.deepEqual(
    judged.filter(({ sound, verdict }) => !sound.isInterruption && verdict.silentAfterMs !== null),
    [],
  );
});
