/** The contract of a line that pauses (`machines/line.ts`, clause 8), as a suite that every driver runs. */
import { pausing } from '#test/helpers/usual-barge-in.ts';
import { answered, longSentence } from './answered.ts';
import { createClause, type Clause, type DeclareTest } from './clause.ts';
import type { FarEndKind, LineDriver } from './line-driver.ts';
import type { WatchedLine } from './watched-line.ts';

/** Far ends that speak in tones take a second for a backchannel. */
const inTones = { ...pausing, speechMs: 1_500 };

const pauseClauses = (clause: Clause): void => {
  clause(
    'resumes a paused utterance, plays it completely, then plays the queued ones',
    'silent',
    async (t, driver, reach) => {
      const line = reach();
      await answered(driver, line);
      line.say(longSentence);
      await driver.until(() => line.saw('line.played'), 30_000);
      const [unbroken] = line.all('line.played');
      const lengthMs = (unbroken?.at ?? 0) - (unbroken?.startedAt ?? 0);
      line.say(longSentence);
      line.say('Behind it.');
      await driver.pass(1_500);
      line.tell({ type: 'pauseTalking' });
      line.tell({ type: 'pauseTalking' });
      line.say('Said in the pause.');
      await driver.pass(2_000);
      t.is(line.all('line.played').length, 1, 'nothing is played in the pause');
      line.tell({ type: 'resumeTalking' });
      line.tell({ type: 'resumeTalking' });
      await driver.until(() => line.all('line.played').length === 4, 30_000);
      const [, paused, ...others] = line.all('line.played');
      t.deepEqual([paused?.text, paused?.whole], [longSentence, true]);
      const pausedMs = (paused?.at ?? 0) - (paused?.startedAt ?? 0) - lengthMs;
      t.true(pausedMs > 1_500 && pausedMs < 4_000, `${pausedMs} ms longer`);
      t.deepEqual(
        others.map(({ text, whole }) => [text, whole]),
        [
          ['Behind it.', true],
          ['Said in the pause.', true],
        ],
      );
    },
  );

  clause('delays the next utterance when a silent line is paused', 'silent', async (t, driver, reach) => {
    const line = reach();
    await answered(driver, line);
    line.tell({ type: 'resumeTalking' });
    line.tell({ type: 'pauseTalking' });
    line.say('One.');
    await driver.pass(3_000);
    t.false(line.saw('line.played'));
    line.tell({ type: 'resumeTalking' });
    await driver.until(() => line.saw('line.played'), 10_000);
    t.true(line.all('line.played')[0]?.whole);
  });
};

const stoppedPauseClauses = (clause: Clause): void => {
  clause(
    'reports an utterance stopped during a pause as heard up to the pause, which ends',
    'silent',
    async (t, driver, reach) => {
      const line = reach();
      await answered(driver, line);
      line.say(longSentence);
      line.say('Never heard.');
      await driver.pass(2_000);
      line.tell({ type: 'pauseTalking' });
      await driver.pass(2_000);
      line.tell({ type: 'stopTalking' });
      line.say('This is new.');
      await driver.until(() => line.all('line.played').length === 3, 15_000);
      const [cut, second, fresh] = line.all('line.played');
      t.true(
        cut !== undefined && cut.text.length > 0 && cut.text.length < 0.75 * longSentence.length,
        cut?.text,
      );
      t.false(cut?.whole ?? true);
      t.deepEqual([second?.text, second?.whole], ['', false]);
      t.deepEqual([fresh?.text, fresh?.whole], ['This is new.', true]);
    },
  );

  clause(
    'reports the heard part of an utterance when the line hangs up during a pause',
    'silent',
    async (t, driver, reach) => {
      const line = reach();
      await answered(driver, line);
      line.say(longSentence);
      await driver.pass(1_500);
      line.tell({ type: 'pauseTalking' });
      line.tell({ type: 'hangUp' });
      await driver.until(() => line.isOver());
      const [cut] = line.all('line.played');
      t.false(cut?.whole ?? true);
      t.true(longSentence.startsWith(cut?.text ?? '-'));
    },
  );
};

/** Handles an onset and its result as a call does. */
const asCallsDo = ({ type }: { type: string }, line: WatchedLine): void => {
  if (type === 'line.onset') line.tell({ type: 'pauseTalking' });
  if (type === 'line.no_speech') line.tell({ type: 'resumeTalking' });
  if (type === 'line.speech') line.tell({ type: 'stopTalking' });
};

const onsetClauses = (clause: Clause): void => {
  clause(
    'reports the onset of a backchannel without a speech event',
    'murmuring',
    async (t, driver, reach) => {
      const line = reach(asCallsDo);
      await answered(driver, line);
      line.say(longSentence);
      await driver.until(() => line.saw('line.heard') && line.saw('line.played'), 20_000);
      t.true(line.all('line.heard')[0]?.backchannel ?? false);
      t.deepEqual(
        line.story().filter((type) => ['line.onset', 'line.no_speech', 'line.speech'].includes(type)),
        ['line.onset', 'line.no_speech'],
      );
      t.true(line.all('line.played')[0]?.whole ?? false, 'nobody was interrupted');
    },
  );

  clause('reports an onset, then speech for words', 'interrupting', async (t, driver, reach) => {
    const line = reach(asCallsDo);
    await answered(driver, line);
    line.say(longSentence);
    await driver.until(() => line.saw('line.heard'), 20_000);
    t.deepEqual(
      line.story().filter((type) => ['line.onset', 'line.no_speech', 'line.speech'].includes(type)),
      ['line.onset', 'line.speech'],
    );
    t.false(line.all('line.played')[0]?.whole ?? true);
  });
};

export const pauseContract = (
  test: DeclareTest,
  name: string,
  makeDriver: () => LineDriver | Promise<LineDriver>,
  unreached: readonly FarEndKind[] = [],
): void => {
  const clause = createClause(test, `${name}, pausing`, makeDriver, unreached, { bargeIn: inTones });
  pauseClauses(clause);
  stoppedPauseClauses(clause);
  onsetClauses(clause);
};
