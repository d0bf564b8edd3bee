import type { ExecutionContext } from 'ava';
import type { LineEvent, LineInput } from '#machines/line.ts';
import { lineInput } from '#test/helpers/line-input.ts';
import type { FarEndKind, LineDriver } from './line-driver.ts';
import { openWatched, type WatchedLine } from './watched-line.ts';

/** Special settings of the lines of a clause. */
type Special = Partial<Pick<LineInput, 'bargeIn' | 'recording'>>;

/** Opens a watched line to the far end of the clause. */
type Reach = (onEvent?: (event: LineEvent, line: WatchedLine) => void) => WatchedLine;

export type Clause<Driver extends LineDriver = LineDriver> = (
  title: string,
  farEnd: FarEndKind,
  check: (t: ExecutionContext, driver: Driver, reach: Reach) => Promise<void>,
) => void;

/** AVA's `test`, or a replacement of it. */
export type DeclareTest = (title: string, body: (t: ExecutionContext) => Promise<void>) => void;

export const createClause = <Driver extends LineDriver>(
  test: DeclareTest,
  name: string,
  makeDriver: () => Driver | Promise<Driver>,
  unreached: readonly FarEndKind[],
  special: Special = {},
): Clause<Driver> => {
  /** One clause of the contract, with a far end of this kind. The line must have kept the whole contract, too. */
  return (
    title: string,
    farEnd: FarEndKind,
    check: (t: ExecutionContext, driver: Driver, reach: Reach) => Promise<void>,
  ): void => {
    if (unreached.includes(farEnd))
      return test(`${name}: NOT RUN, the driver cannot reach a far end that is ${farEnd}: ${title}`, async (t) => {
        t.pass();
      });
    return test(`${name}: ${title}`, async (t) => {
      const driver = await makeDriver();
      const number = driver.numberOf(farEnd);
      if (number === null) {
        await driver.close();
        t.fail(`it reaches no far end that is ${farEnd}, and does not say so`);
        return;
      }
      const watched: WatchedLine[] = [];
      try {
        await check(t, driver, (onEvent) => {
          const line = openWatched(driver.open, lineInput({ to: number, ...special }), onEvent);
          watched.push(line);
          return line;
        });
        for (const line of watched) {
          if (!line.isOver()) line.close();
          await driver.pass(1_000);
          t.deepEqual(line.finish(), []);
        }
      } finally {
        await driver.close();
      }
    });
  };
};
