/** Clauses of the line contract: its end by either side, and its close. */
import { answered, longSentence } from '../answered.ts';
import type { Clause } from '../clause.ts';
import type { FarEndKind, LineDriver } from '../line-driver.ts';
import type { WatchedLine } from '../watched-line.ts';

export const endClauses = (clause: Clause): void => {
  clause(
    'ends the line and the current utterance when the counterparty hangs up',
    'leaving',
    async (t, driver, reach) => {
      const line = reach();
      await answered(driver, line);
      line.say(`${longSentence} ${longSentence}`);
      line.say('Never heard.');
      await driver.until(() => line.isOver(), 15_000);
      t.is(line.all('line.ended')[0]?.by, 'counterparty');
      t.deepEqual(
        line.all('line.played').map(({ whole }) => whole),
        [false, false],
      );
      // The utterance may or may not have been heard.
      const story = line.story().filter((type) => type !== 'line.one_way');
      t.deepEqual(story.slice(-3), ['line.played', 'line.played', 'line.ended']);
    },
  );

  clause(
    'reports the interrupted utterance before the end of the line on a hang-up',
    'silent',
    async (t, driver, reach) => {
      const line = reach();
      await answered(driver, line);
      line.say(longSentence);
      line.say('Never heard.');
      await driver.pass(1_000);
      line.tell({ type: 'hangUp' });
      line.tell({ type: 'hangUp' });
      line.say('Too late.');
      await driver.until(() => line.isOver());
      t.deepEqual(line.story().slice(-4), ['line.played', 'line.played', 'line.played', 'line.ended']);
      t.is(line.all('line.ended').length, 1);
    },
  );

  clause(
    'ignores commands after the end of the line and emits no more events',
    'silent',
    async (t, driver, reach) => {
      const line = reach();
      await answered(driver, line);
      line.tell({ type: 'hangUp' });
      await driver.until(() => line.isOver());
      const story = line.story();
      line.say('Is anybody there?');
      line.tell({ type: 'stopTalking' });
      line.tell({ type: 'expectHangup' });
      line.tell({ type: 'hangUp' });
      await driver.pass(2_000);
      t.deepEqual(line.story(), story);
    },
  );
};

const phases: readonly [string, FarEndKind, (driver: LineDriver, line: WatchedLine) => Promise<void>][] = [
  ['just opened', 'silent', async () => {}],
  ['ringing', 'unattended', (driver, line) => driver.until(() => line.saw('line.ringing'))],
  ['answered', 'silent', answered],
  [
    'talking',
    'silent',
    async (driver, line) => {
      await answered(driver, line);
      line.say(longSentence);
      await driver.pass(500);
    },
  ],
  ['in conversation', 'talking', (driver, line) => driver.until(() => line.saw('line.speech'), 15_000)],
  [
    'being hung up',
    'silent',
    async (driver, line) => {
      await answered(driver, line);
      line.tell({ type: 'hangUp' });
    },
  ],
  ['over', 'busy', (driver, line) => driver.until(() => line.isOver())],
];

/** Clauses about closing a line in each of its states. */
export const closeClauses = (clause: Clause): void => {
  for (const [phase, farEnd, bring] of phases)
    clause(`emits no events after a close while ${phase}`, farEnd, async (t, driver, reach) => {
      const line = reach();
      await bring(driver, line);
      const story = line.story();
      line.close();
      line.close();
      line.say('Is anybody there?');
      line.tell({ type: 'hangUp' });
      await driver.pass(5_000);
      t.deepEqual(line.story(), story);
    });
};
