/** What the tests of a file share, such as a gateway, ends when the last of them has run. */
import test, { type ExecutionContext } from 'ava';

/** The part of a test that a helper needs to end what it starts. */
export type Scope = Pick<ExecutionContext, 'teardown'>;

/** Module-level, called once per test file: ends everything in reverse order, after all tests of the file. */
export const fileScope = (): Scope => {
  const ends: (() => unknown)[] = [];
  test.after.always('what the tests of this file share is ended', async () => {
    for (const end of ends.toReversed()) await end();
  });
  return { teardown: (end) => void ends.push(end) };
};
