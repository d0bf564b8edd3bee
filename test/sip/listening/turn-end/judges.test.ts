/** The judges of a turn's end, and what holds where the chosen one is silent. */
import test from 'ava';
import { pino } from 'pino';
import { listening } from '#config/policy.ts';
import type { TurnEnd } from '#machines/line.ts';
import { createLineTime } from '#sip/line-time.ts';
import { chooseJudge } from '#sip/listening/turn-end/choose-judge.ts';
import type { Silence } from '#sip/listening/turn-end/judge.ts';
import type { TurnModel } from '#sip/listening/turn-end/model-ends.ts';
import { createOrderedClock } from '#test/contract/ordered-clock.ts';
import { byPauses } from '#test/helpers/usual-turn-end.ts';

const numbers = listening.turns;

const createWorld = (turnEnd: TurnEnd, { hasModel = true } = {}) => {
  const clock = createOrderedClock();
  const lines: string[] = [];
  const asked: { samples: number[]; answer: (isOver: boolean | null) => void }[] = [];
  let tellsTurnEnds = true;
  let changes = 0;
  const model: TurnModel = {
    longestMs: 1_000,
    isOver: (samples) =>
      new Promise((resolve) => asked.push({ samples: [...samples], answer: (isOver) => resolve(isOver) })),
  };
  const judge = chooseJudge(
    { numbers, turnEnd, language: () => 'en' },
    {
      tellsTurnEnds: () => tellsTurnEnds,
      model: hasModel ? model : null,
      sampleRate: 1_000,
      time: createLineTime(clock, 1),
      logger: pino({ level: 'warn' }, { write: (line: string) => void lines.push(line) }),
    },
  )(() => (changes += 1));
  const since = clock.now();
  return {
    clock,
    judge,
    asked,
    lines,
    since,
    changes: () => changes,
    without: () => (tellsTurnEnds = false),
    waits: (silence: Partial<Silence> = {}): number =>
      judge.overAt({ since, text: 'Tomorrow and', isSettled: true, isComplete: false, ...silence }) - since,
  };
};

test('pauses decide within the shortest and the longest silence', (t) => {
  const { waits } = createWorld(byPauses);
  t.is(waits(), numbers.openMs);
  t.is(waits({ text: 'Tomorrow.' }), numbers.wholeMs);
  t.is(waits({ text: 'Tomorrow.', isSettled: false }), numbers.settleMs);
  t.is(waits({ isComplete: true }), numbers.completeMs);
  const patient = createWorld({ ...byPauses, minSilenceMs: 900 });
  t.is(patient.waits({ text: 'Tomorrow.' }), 900);
  t.is(patient.waits({ isComplete: true }), 900);
  const hasty = createWorld({ ...byPauses, maxSilenceMs: 1_000 });
  t.is(hasty.waits(), 1_000);
  t.is(hasty.waits({ isSettled: false }), 1_000);
});

test('the recognizer ends a turn, or the longest silence; and pauses while another engine listens', (t) => {
  const { waits, without } = createWorld({ ...byPauses, mode: 'recognizer' });
  t.is(waits({ isComplete: true }), byPauses.minSilenceMs);
  t.is(waits({ text: 'Tomorrow.' }), byPauses.maxSilenceMs);
  without();
  t.is(waits({ text: 'Tomorrow.' }), numbers.wholeMs);
});

const byModel: TurnEnd = { ...byPauses, mode: 'model' };

test('a model is asked when the shortest silence is over, and decides once it answers', async (t) => {
  const { judge, clock, asked, since, waits, changes } = createWorld(byModel);
  judge.voiceEnded(since, since - 400);
  clock.advance(byModel.minSilenceMs - 1);
  t.is(asked.length, 0);
  clock.advance(1);
  t.is(asked.length, 1);
  t.is(waits(), numbers.openMs, 'pauses decide while it is silent');
  asked[0]?.answer(true);
  await Promise.resolve();
  t.is(changes(), 1);
  t.is(waits(), byModel.minSilenceMs);
  t.is(waits({ isSettled: false }), numbers.settleMs, 'its words are on their way');
  judge.voiceBegan();
  t.is(waits(), numbers.openMs);
  judge.voiceEnded(clock.now(), since);
  clock.advance(byModel.minSilenceMs);
  asked[1]?.answer(false);
  await Promise.resolve();
  t.is(waits({ text: 'Tomorrow.' }), byModel.maxSilenceMs);
});

test('an answer about a silence that is over, or none, changes nothing', async (t) => {
  const { judge, clock, asked, since, waits, changes } = createWorld(byModel);
  judge.voiceEnded(since, since);
  clock.advance(byModel.minSilenceMs);
  judge.voiceBegan();
  asked[0]?.answer(true);
  judge.voiceEnded(clock.now(), since);
  clock.advance(byModel.minSilenceMs);
  asked[1]?.answer(null);
  await new Promise((resolve) => setImmediate(resolve));
  t.is(changes(), 0);
  t.is(waits(), numbers.openMs);
  judge.voiceEnded(clock.now(), since);
  judge.close();
  clock.advance(10_000);
  t.is(asked.length, 2);
});

test('a model hears the turn and a moment before it, and no more than it can', (t) => {
  const { judge, clock, asked, since } = createWorld(byModel);
  const write = (milliseconds: number): void => {
    const from = clock.now() - since;
    clock.advance(milliseconds);
    judge.write(Int16Array.from({ length: milliseconds }, (_, index) => from + index));
  };
  write(2_000);
  judge.voiceEnded(clock.now() - 200, clock.now() - 300);
  clock.advance(0);
  t.deepEqual(
    [asked[0]?.samples.length, asked[0]?.samples[0], asked[0]?.samples.at(-1)],
    [600, 1_400, 1_999],
  );
  write(30);
  judge.voiceEnded(clock.now() - 200, since);
  clock.advance(0);
  t.deepEqual(
    [asked[1]?.samples.length, asked[1]?.samples[0], asked[1]?.samples.at(-1)],
    [1_000, 1_030, 2_029],
  );
});

test('where there is no model any more, pauses decide, and the log says so', (t) => {
  const { judge, waits, lines, since } = createWorld(byModel, { hasModel: false });
  judge.voiceEnded(since, since);
  t.is(waits({ text: 'Tomorrow.' }), numbers.wholeMs);
  t.is(lines.length, 1);
  t.regex(lines[0] ?? '', /pauses decide/);
});
