/** Clauses of the line contract: speech of the other party, and the classification of who answered. */
import { answered, longSentence } from '../answered.ts';
import type { Clause } from '../clause.ts';

export const hearingClauses = (clause: Clause): void => {
  clause('reports the beginning of speech, and its words at the end', 'talking', async (t, driver, reach) => {
    const line = reach();
    await driver.until(() => line.saw('line.heard'), 15_000);
    const [speech] = line.all('line.speech');
    const [heard] = line.all('line.heard');
    t.true(line.story().indexOf('line.speech') < line.story().indexOf('line.heard'));
    t.false(heard?.backchannel ?? true);
    t.true(
      heard !== undefined && speech !== undefined && heard.startedAt <= speech.at && speech.at < heard.at,
    );
  });

  clause(
    'has preliminary words only until it reports the final ones',
    'talking',
    async (t, driver, reach) => {
      let atHeard: string | undefined;
      const line = reach((event, it) => {
        if (event.type === 'line.heard') atHeard = it.hearing();
      });
      t.is(line.hearing(), '', 'before the answer');
      await driver.until(() => line.hearing() !== '' || line.saw('line.heard'), 15_000);
      const preliminary = line.hearing();
      await driver.until(() => line.saw('line.heard'), 15_000);
      const [heard] = line.all('line.heard');
      t.true(preliminary.length <= (heard?.text.length ?? 0));
      t.is(atHeard, '');
      line.close();
      t.is(line.hearing(), '', 'after the end');
    },
  );

  clause(
    "recognizes speech of the other party during the agent's speech",
    'interrupting',
    async (t, driver, reach) => {
      const line = reach((event, it) => {
        if (event.type === 'line.speech') it.tell({ type: 'stopTalking' });
      });
      await answered(driver, line);
      line.say(longSentence);
      line.say(longSentence);
      await driver.until(() => line.saw('line.heard'), 15_000);
      t.deepEqual(
        line.story().filter((type) => !['line.ringing', 'line.answered'].includes(type)),
        ['line.speech', 'line.played', 'line.played', 'line.heard'],
      );
      t.false(line.all('line.heard')[0]?.backchannel ?? true);
    },
  );

  clause(
    "reports the words of a backchannel during the agent's speech, without a speech event",
    'murmuring',
    async (t, driver, reach) => {
      const line = reach();
      await answered(driver, line);
      line.say(longSentence);
      await driver.until(() => line.saw('line.heard') && line.saw('line.played'), 15_000);
      t.true(line.all('line.heard')[0]?.backchannel ?? false);
      t.false(line.saw('line.speech'));
      t.true(line.all('line.played')[0]?.whole ?? false, 'nobody was interrupted');
    },
  );

  clause('classifies a callee that answers and waits as a person', 'talking', async (t, driver, reach) => {
    const line = reach();
    await driver.until(() => line.saw('line.answered_by'), 15_000);
    t.is(line.all('line.answered_by')[0]?.by, 'human');
    t.false(line.saw('line.takes_message'));
  });

  clause(
    'reports an answering machine, and when it begins to record',
    'machine',
    async (t, driver, reach) => {
      const line = reach();
      await driver.until(() => line.saw('line.takes_message'), 20_000);
      t.is(line.all('line.answered_by')[0]?.by, 'machine');
      line.say('This is the message.');
      await driver.until(() => line.saw('line.played'), 10_000);
      t.true(line.all('line.played')[0]?.whole ?? false);
    },
  );
};
