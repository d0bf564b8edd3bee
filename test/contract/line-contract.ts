/**
 * The contract of a line (`machines/line.ts`) as a suite that every driver runs. A driver brings its line and, for
 * each kind of far end that it can reach, the number to dial.
 */
import type { UnansweredCause } from '#machines/line.ts';
import { createClause, type DeclareTest } from './clause.ts';
import type { FarEndKind, LineDriver } from './line-driver.ts';
import type { WatchedLine } from './watched-line.ts';

const sentence = 'This is a rather long sentence, which takes a few seconds until it was said to its end.';

export const lineContract = (
  test: DeclareTest,
  name: string,
  makeDriver: () => LineDriver | Promise<LineDriver>,
  /** The far ends that this driver cannot reach: their clauses say that they did not run. */
  unreached: readonly FarEndKind[] = [],
): void => {
  const clause = createClause(test, name, makeDriver, unreached);

  const answered = async (driver: LineDriver, line: WatchedLine): Promise<void> =>
    driver.until(() => line.saw('line.answered'));

  clause('rings, is answered and is hung up by the gateway', 'silent', async (t, driver, reach) => {
    const line = reach();
    t.deepEqual(line.story(), [], 'nothing is said inside open');
    await answered(driver, line);
    line.tell({ type: 'hangUp' });
    t.false(line.isOver(), 'nothing is said inside hangUp');
    await driver.until(() => line.isOver());
    t.deepEqual(line.story(), ['line.ringing', 'line.answered', 'line.ended']);
    t.is(line.all('line.ended')[0]?.by, 'gateway');
  });

  const causes: readonly [FarEndKind, UnansweredCause][] = [
    ['busy', 'busy'],
    ['declining', 'declined'],
    ['unreachable', 'trunk_error'],
  ];
  for (const [farEnd, cause] of causes)
    clause(
      `a far end that is ${farEnd} is unanswered because of ${cause}`,
      farEnd,
      async (t, driver, reach) => {
        const line = reach();
        await driver.until(() => line.isOver());
        t.deepEqual(
          line.all('line.unanswered').map((event) => event.cause),
          [cause],
        );
      },
    );

  clause('rings until it is hung up, and is then cancelled', 'unattended', async (t, driver, reach) => {
    const line = reach();
    await driver.until(() => line.saw('line.ringing'));
    await driver.pass(5_000);
    t.deepEqual(line.story(), ['line.ringing']);
    line.tell({ type: 'hangUp' });
    await driver.until(() => line.isOver());
    t.is(line.all('line.unanswered')[0]?.cause, 'cancelled');
  });

  clause('utterances are played whole, one after the other', 'silent', async (t, driver, reach) => {
    const line = reach();
    await answered(driver, line);
    const texts = ['One.', 'And this is the second one.', 'Three.'];
    for (const text of texts) line.say(text);
    await driver.until(() => line.all('line.played').length === 3, 30_000);
    const played = line.all('line.played');
    t.deepEqual(
      played.map(({ text }) => text),
      texts,
    );
    t.true(played.every(({ whole }) => whole));
    for (const [index, { startedAt }] of played.entries())
      t.true(startedAt >= (played[index - 1]?.at ?? 0) - 50, 'no two utterances sound at once');
  });

  clause('an utterance with nothing to say is reported, too', 'silent', async (t, driver, reach) => {
    const line = reach();
    await answered(driver, line);
    line.say('');
    await driver.until(() => line.saw('line.played'));
    t.is(line.all('line.played')[0]?.text, '');
  });

  clause('what is stopped is reported with what was heard of it', 'silent', async (t, driver, reach) => {
    const line = reach();
    await answered(driver, line);
    line.say(sentence);
    line.say('Never heard.');
    line.say('Never heard either.');
    await driver.pass(2_000);
    line.tell({ type: 'stopTalking' });
    t.false(line.saw('line.played'), 'nothing is said inside stopTalking');
    line.say('This is new.');
    await driver.until(() => line.all('line.played').length === 4, 15_000);
    const [cut, second, third, fresh] = line.all('line.played');
    t.true(cut !== undefined && cut.text.length > 0 && cut.text.length < sentence.length);
    t.false(cut?.whole ?? true);
    t.deepEqual([second?.text, second?.whole], ['', false]);
    t.deepEqual([third?.text, third?.whole], ['', false]);
    t.deepEqual([fresh?.text, fresh?.whole], ['This is new.', true]);
  });

  clause('stopping a silent line says nothing', 'silent', async (t, driver, reach) => {
    const line = reach();
    await answered(driver, line);
    line.tell({ type: 'stopTalking' });
    line.tell({ type: 'stopTalking' });
    await driver.pass(1_000);
    t.deepEqual(line.story(), ['line.ringing', 'line.answered']);
  });

  clause('speech is reported as it begins and heard when it is over', 'talking', async (t, driver, reach) => {
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
    'the other party can be heard over the voice of the agent',
    'interrupting',
    async (t, driver, reach) => {
      const line = reach((event, it) => {
        if (event.type === 'line.speech') it.tell({ type: 'stopTalking' });
      });
      await answered(driver, line);
      line.say(sentence);
      line.say(sentence);
      await driver.until(() => line.saw('line.heard'), 15_000);
      t.deepEqual(
        line.story().filter((type) => !['line.ringing', 'line.answered'].includes(type)),
        ['line.speech', 'line.played', 'line.played', 'line.heard'],
      );
      t.false(line.all('line.heard')[0]?.backchannel ?? true);
    },
  );

  clause('a backchannel over the voice is heard and is no speech', 'murmuring', async (t, driver, reach) => {
    const line = reach();
    await answered(driver, line);
    line.say(sentence);
    await driver.until(() => line.saw('line.heard') && line.saw('line.played'), 15_000);
    t.true(line.all('line.heard')[0]?.backchannel ?? false);
    t.false(line.saw('line.speech'));
    t.true(line.all('line.played')[0]?.whole ?? false, 'nobody was interrupted');
  });

  clause('who answers and waits is a person', 'talking', async (t, driver, reach) => {
    const line = reach();
    await driver.until(() => line.saw('line.answered_by'), 15_000);
    t.is(line.all('line.answered_by')[0]?.by, 'human');
    t.false(line.saw('line.takes_message'));
  });

  clause('a machine is told, and when it takes a message', 'machine', async (t, driver, reach) => {
    const line = reach();
    await driver.until(() => line.saw('line.takes_message'), 20_000);
    t.is(line.all('line.answered_by')[0]?.by, 'machine');
    line.say('This is the message.');
    await driver.until(() => line.saw('line.played'), 10_000);
    t.true(line.all('line.played')[0]?.whole ?? false);
  });

  clause('keys are reported one by one', 'dialling', async (t, driver, reach) => {
    const line = reach();
    await driver.until(() => line.all('line.digit').length === 3, 15_000);
    t.is(
      line
        .all('line.digit')
        .map(({ digit }) => digit)
        .join(''),
      '12#',
    );
  });

  clause('keys that the agent presses arrive, also while it speaks', 'echoing', async (t, driver, reach) => {
    const line = reach();
    line.tell({ type: 'press', keys: '9' });
    await answered(driver, line);
    line.say(sentence);
    line.tell({ type: 'press', keys: '1w2' });
    await driver.pass(500);
    line.tell({ type: 'press', keys: '#' });
    await driver.until(() => line.all('line.digit').length === 3 && line.saw('line.played'), 30_000);
    t.deepEqual(
      line.all('line.digit').map(({ digit }) => digit),
      ['1', '2', '#'],
      'what was pressed before the answer went nowhere',
    );
    t.is(line.all('line.played')[0]?.whole, true, 'pressing keys does not silence the agent');
  });

  clause(
    'a counterparty that hangs up ends the line and what is said',
    'leaving',
    async (t, driver, reach) => {
      const line = reach();
      await answered(driver, line);
      line.say(`${sentence} ${sentence}`);
      line.say('Never heard.');
      await driver.until(() => line.isOver(), 15_000);
      t.is(line.all('line.ended')[0]?.by, 'counterparty');
      t.deepEqual(
        line.all('line.played').map(({ whole }) => whole),
        [false, false],
      );
      // Whether it was heard is another matter.
      const story = line.story().filter((type) => type !== 'line.one_way');
      t.deepEqual(story.slice(-3), ['line.played', 'line.played', 'line.ended']);
    },
  );

  clause('hanging up reports what was cut before the line ends', 'silent', async (t, driver, reach) => {
    const line = reach();
    await answered(driver, line);
    line.say(sentence);
    line.say('Never heard.');
    await driver.pass(1_000);
    line.tell({ type: 'hangUp' });
    line.tell({ type: 'hangUp' });
    line.say('Too late.');
    await driver.until(() => line.isOver());
    t.deepEqual(line.story().slice(-4), ['line.played', 'line.played', 'line.played', 'line.ended']);
    t.is(line.all('line.ended').length, 1);
  });

  clause('a line that is over takes commands and says nothing more', 'silent', async (t, driver, reach) => {
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
  });

  const phases: readonly [string, FarEndKind, (driver: LineDriver, line: WatchedLine) => Promise<void>][] = [
    ['just opened', 'silent', async () => {}],
    ['ringing', 'unattended', (driver, line) => driver.until(() => line.saw('line.ringing'))],
    ['answered', 'silent', answered],
    [
      'talking',
      'silent',
      async (driver, line) => {
        await answered(driver, line);
        line.say(sentence);
        await driver.pass(500);
      },
    ],
    ['being talked to', 'talking', (driver, line) => driver.until(() => line.saw('line.speech'), 15_000)],
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
  for (const [phase, farEnd, bring] of phases)
    clause(`a line that is ${phase} is silent once it was closed`, farEnd, async (t, driver, reach) => {
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
