/** Clauses of the line contract: DTMF in both directions. */
import { answered, longSentence } from '../answered.ts';
import type { Clause } from '../clause.ts';

export const keyClauses = (clause: Clause): void => {
  clause('reports DTMF digits one by one', 'dialling', async (t, driver, reach) => {
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

  clause("sends the agent's DTMF digits, even while it speaks", 'echoing', async (t, driver, reach) => {
    const line = reach();
    line.tell({ type: 'press', keys: '9' });
    await answered(driver, line);
    line.say(longSentence);
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
    t.deepEqual(
      line.all('line.pressed').map(({ keys }) => keys),
      ['1w2', '#'],
    );
  });
};
