/**
 * A test of audio in real time. A machine that stalls for half a second loses words that a telephone would have
 * carried, so a failed test is repeated once; a real defect fails twice. The runner (run.ts) lists the repeated
 * tests.
 */
import { basename } from 'node:path';
import { fileURLToPath } from 'node:url';
import test, { type ExecutionContext } from 'ava';
import { reportSecondTry } from './second-tries.ts';

export const realTimeTest = (title: string, body: (t: ExecutionContext) => Promise<void>): void =>
  test.serial(title, async (t) => {
    const first = await t.try('first', body);
    if (first.passed) return first.commit();
    t.log('It failed and is tried a second time:', ...first.errors.map(String));
    reportSecondTry(basename(fileURLToPath(test.meta.file)), title, first.errors[0]);
    first.discard();
    const second = await t.try('second', body);
    return second.commit();
  });
