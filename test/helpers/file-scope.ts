/** Resources shared by the tests of a file, such as a gateway, end after the last of them. */
import test, { type ExecutionContext } from 'ava';

/** The part of a test context that a helper needs to release resources. */
export type Scope = Pick<ExecutionContext, 'teardown'>;

/** Module-level, called once per test file: releases everything in reverse order after all tests of the file. */
export const fileScope = (): Scope => {
  const ends: (() => unknown)[] = [];
  test.after.always('releases the shared resources of this file', async () => {
    for (const end of ends.toReversed()) await end();
  });
  return { teardown: (end) => void ends.push(end) };
};
