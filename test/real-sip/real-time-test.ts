/**
 * A test of sound in real time. A machine that stands still for half a second in the wrong moment makes words unheard
 * that a telephone would have carried, so that a failed test is tried once more, and says so; what is wrong fails twice.
 */
import test, { type ExecutionContext } from 'ava';

export const realTimeTest = (title: string, body: (t: ExecutionContext) => Promise<void>): void =>
  test.serial(title, async (t) => {
    const first = await t.try('first', body);
    if (first.passed) return first.commit();
    t.log('It failed and is tried once more:', ...first.errors.map(String));
    first.discard();
    const second = await t.try('second', body);
    return second.commit();
  });
