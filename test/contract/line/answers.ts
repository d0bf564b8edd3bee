/** Clauses of the line contract: results of dialling. */
import type { UnansweredCause } from '#machines/line.ts';
import { answered } from '../answered.ts';
import type { Clause } from '../clause.ts';
import type { FarEndKind } from '../line-driver.ts';

export const answerClauses = (clause: Clause): void => {
  clause('rings, is answered, and ends when the gateway hangs up', 'silent', async (t, driver, reach) => {
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
      `ends the line as unanswered with the cause ${cause} if the far end is ${farEnd}`,
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

  clause(
    'rings until the gateway hangs up, then cancels the call',
    'unattended',
    async (t, driver, reach) => {
      const line = reach();
      await driver.until(() => line.saw('line.ringing'));
      await driver.pass(5_000);
      t.deepEqual(line.story(), ['line.ringing']);
      line.tell({ type: 'hangUp' });
      await driver.until(() => line.isOver());
      t.is(line.all('line.unanswered')[0]?.cause, 'cancelled');
    },
  );
};
