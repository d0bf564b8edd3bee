/**
 * The contract of a line that transfers its other party to a person (`machines/line.ts`, clauses 11 and 12), as a suite
 * that every driver runs. Drivers that reach no person report that, as every line does.
 */
import { answered } from './answered.ts';
import { createClause, type Clause, type DeclareTest } from './clause.ts';
import type { LineDriver } from './line-driver.ts';
import type { WatchedLine } from './watched-line.ts';

/** Transfer targets of the simulated line and behind a trunk; a web phone has none. */
const whoAnswers = '01000000011';
const whoIsBusy = '01000000012';
const whoLetsItRing = '01000000013';

/** Answers a warm transfer, hears the briefing and hangs up. */
const whoDeclines = '01000000014';

const outcomesOf = (line: WatchedLine): string[] =>
  line.story().filter((type) => type === 'line.transferred' || type === 'line.transfer_failed');

const isDecided = (line: WatchedLine): boolean => outcomesOf(line).length > 0;

const warmTransferContract = (clause: Clause): void => {
  /** Either no person was reached, which has been reported, or one waits for the briefing. */
  const answeredWarmly = async (driver: LineDriver, line: WatchedLine, to: string): Promise<boolean> => {
    await answered(driver, line);
    line.tell({ type: 'transfer', to, mode: 'warm' });
    await driver.until(() => line.saw('line.transfer_answered') || isDecided(line));
    return !isDecided(line);
  };

  const briefing = { type: 'brief', text: 'It is about an order.' } as const;

  clause(
    'connects a person who answered a warm transfer when commanded to',
    'silent',
    async (t, driver, reach) => {
      const line = reach();
      if (!(await answeredWarmly(driver, line, whoAnswers))) return;
      await driver.pass(2_000);
      t.deepEqual(outcomesOf(line), []);
      line.tell({ ...briefing, acceptKey: '1' });
      await driver.until(() => line.saw('line.briefed') && line.saw('line.accepted'), 15_000);
      t.deepEqual(outcomesOf(line), []);
      line.tell({ type: 'connect' });
      await driver.until(() => isDecided(line));
      t.deepEqual(outcomesOf(line), ['line.transferred']);
    },
  );

  clause('ignores the accept digit if none is required', 'silent', async (t, driver, reach) => {
    const line = reach();
    if (!(await answeredWarmly(driver, line, whoAnswers))) return;
    line.tell({ ...briefing, acceptKey: null });
    await driver.until(() => line.saw('line.briefed'), 15_000);
    await driver.pass(2_000);
    t.false(line.saw('line.accepted'));
  });

  clause(
    'reports a person who hangs up during the briefing as having declined',
    'silent',
    async (t, driver, reach) => {
      const line = reach();
      if (await answeredWarmly(driver, line, whoDeclines)) {
        line.tell({ ...briefing, acceptKey: '1' });
        await driver.until(() => isDecided(line), 15_000);
        t.is(line.all('line.transfer_failed')[0]?.cause, 'declined');
      }
      t.deepEqual(outcomesOf(line), ['line.transfer_failed']);
      t.false(line.isOver());
    },
  );

  clause('releases a person during the briefing when commanded to', 'silent', async (t, driver, reach) => {
    const line = reach();
    if (await answeredWarmly(driver, line, whoAnswers)) {
      line.tell({ ...briefing, acceptKey: '1' });
      line.tell({ type: 'cancelTransfer' });
      await driver.until(() => isDecided(line));
      await driver.pass(3_000);
      t.false(line.saw('line.accepted'));
    }
    t.deepEqual(outcomesOf(line), ['line.transfer_failed']);
    t.false(line.isOver());
  });
};

export const transferContract = (
  test: DeclareTest,
  name: string,
  makeDriver: () => LineDriver | Promise<LineDriver>,
): void => {
  const clause = createClause(test, `${name}, transferring`, makeDriver, []);

  clause('reports an unreachable person once and continues the call', 'silent', async (t, driver, reach) => {
    const line = reach();
    await answered(driver, line);
    line.tell({ type: 'transfer', to: whoIsBusy, mode: 'cold' });
    await driver.until(() => isDecided(line));
    line.say('Nobody is there.');
    await driver.until(() => line.saw('line.played'), 15_000);
    t.true(line.all('line.played')[0]?.whole ?? false);
    t.deepEqual(outcomesOf(line), ['line.transfer_failed']);
    line.tell({ type: 'transfer', to: whoIsBusy, mode: 'cold' });
    await driver.until(() => outcomesOf(line).length === 2);
  });

  clause('reports the end of a cancelled transfer attempt once', 'silent', async (t, driver, reach) => {
    const line = reach();
    await answered(driver, line);
    line.tell({ type: 'transfer', to: whoLetsItRing, mode: 'cold' });
    line.tell({ type: 'cancelTransfer' });
    line.tell({ type: 'cancelTransfer' });
    await driver.until(() => isDecided(line));
    await driver.pass(2_000);
    line.tell({ type: 'cancelTransfer' });
    await driver.pass(1_000);
    t.deepEqual(outcomesOf(line), ['line.transfer_failed']);
    t.false(line.isOver());
  });

  clause(
    'reports the end of a line on which a person is still ringing',
    'silent',
    async (t, driver, reach) => {
      const line = reach();
      await answered(driver, line);
      line.tell({ type: 'transfer', to: whoAnswers, mode: 'cold' });
      line.tell({ type: 'hangUp' });
      await driver.until(() => line.isOver());
      await driver.pass(3_000);
      t.is(line.story().at(-1), 'line.ended');
      t.false(line.saw('line.transferred'));
    },
  );

  clause(
    'emits no events after a line is closed while a person is ringing',
    'silent',
    async (t, driver, reach) => {
      const line = reach();
      await answered(driver, line);
      line.tell({ type: 'transfer', to: whoAnswers, mode: 'cold' });
      line.close();
      const story = line.story();
      await driver.pass(3_000);
      t.deepEqual(line.story(), story);
    },
  );

  warmTransferContract(clause);
};
