/** The contract of a line whose language changes (`machines/line.ts`, clause 13), as a suite that every driver runs. */
import { createClause, type DeclareTest } from './clause.ts';
import type { LineDriver, NotingDriver } from './line-driver.ts';
import type { WatchedLine } from './watched-line.ts';

const sentence = 'This is a rather long sentence, which takes a few seconds until it was said to its end.';

export const languageContract = (
  test: DeclareTest,
  name: string,
  makeDriver: () => NotingDriver | Promise<NotingDriver>,
): void => {
  // A simulated line synthesizes speech only for its recording.
  const clause = createClause(test, `${name}, changing its language`, makeDriver, [], { recording: true });

  const answered = async (driver: LineDriver, line: WatchedLine): Promise<void> =>
    driver.until(() => line.saw('line.answered'));

  clause('speaks each utterance in its language', 'silent', async (t, driver, reach) => {
    const line = reach();
    await answered(driver, line);
    line.say('In English.');
    line.say('Named.', 'ja');
    line.say('English again.');
    line.tell({ type: 'changeLanguage', language: 'ko' });
    line.say('Korean.');
    line.say('Named.', 'ja');
    await driver.until(() => line.all('line.played').length === 5, 30_000);
    t.true(line.all('line.played').every(({ whole }) => whole));
    line.tell({ type: 'hangUp' });
    await driver.until(() => line.isOver());
    t.deepEqual(await driver.spokenIn(), ['en', 'ja', 'en', 'ko', 'ja']);
  });

  clause(
    'reports a backchannel as speech while another language is set',
    'murmuring',
    async (t, driver, reach) => {
      const line = reach();
      await answered(driver, line);
      line.tell({ type: 'changeLanguage', language: 'ko' });
      line.say(sentence);
      await driver.until(() => line.saw('line.heard'), 15_000);
      t.true(line.saw('line.speech'));
      t.false(line.all('line.heard')[0]?.backchannel ?? true);
    },
  );

  clause('ignores a second request for the same language', 'murmuring', async (t, driver, reach) => {
    const line = reach();
    await answered(driver, line);
    line.tell({ type: 'changeLanguage', language: 'ko' });
    line.tell({ type: 'changeLanguage', language: 'en' });
    line.tell({ type: 'changeLanguage', language: 'en' });
    line.say(sentence);
    await driver.until(() => line.saw('line.heard') && line.saw('line.played'), 15_000);
    t.true(line.all('line.heard')[0]?.backchannel ?? false);
    t.false(line.saw('line.speech'));
  });
};
