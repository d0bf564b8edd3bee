/** Clauses of the line contract: utterances of the agent. */
import { answered, longSentence } from '../answered.ts';
import type { Clause } from '../clause.ts';

export const utteranceClauses = (clause: Clause): void => {
  clause('plays utterances completely, one after the other', 'silent', async (t, driver, reach) => {
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

  clause('reports an utterance without speakable text as played', 'silent', async (t, driver, reach) => {
    const line = reach();
    await answered(driver, line);
    line.say('');
    await driver.until(() => line.saw('line.played'));
    t.is(line.all('line.played')[0]?.text, '');
  });

  clause('reports a stopped utterance with the part that was heard', 'silent', async (t, driver, reach) => {
    const line = reach();
    await answered(driver, line);
    line.say(longSentence);
    line.say('Never heard.');
    line.say('Never heard either.');
    await driver.pass(2_000);
    line.tell({ type: 'stopTalking' });
    t.false(line.saw('line.played'), 'nothing is said inside stopTalking');
    line.say('This is new.');
    await driver.until(() => line.all('line.played').length === 4, 15_000);
    const [cut, second, third, fresh] = line.all('line.played');
    t.true(cut !== undefined && cut.text.length > 0 && cut.text.length < longSentence.length);
    t.false(cut?.whole ?? true);
    t.deepEqual([second?.text, second?.whole], ['', false]);
    t.deepEqual([third?.text, third?.whole], ['', false]);
    t.deepEqual([fresh?.text, fresh?.whole], ['This is new.', true]);
  });

  clause('emits no event when a silent line is stopped', 'silent', async (t, driver, reach) => {
    const line = reach();
    await answered(driver, line);
    line.tell({ type: 'stopTalking' });
    line.tell({ type: 'stopTalking' });
    await driver.pass(1_000);
    t.deepEqual(line.story(), ['line.ringing', 'line.answered']);
  });
};
