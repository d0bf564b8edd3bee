/**
 * Tests that prove a property by repetition. `TEST_ROUNDS` of the environment is the number of rounds of each, 1 unless
 * it is set. The rounds are distributed over a few worlds at the same time, because they mostly wait.
 */
import test, { type ExecutionContext } from 'ava';
import { z } from 'zod';
import { loadNow } from './busy-machine.ts';
import { realTimeTest } from './real-time-test.ts';

/** More gateways at a time would make two processors busy. */
const mostWorlds = 4;

/** Limit of one round, in milliseconds. */
const longestRoundMs = 180_000;

const { TEST_ROUNDS: rounds } = z
  .object({ TEST_ROUNDS: z.coerce.number().int().min(1).max(1_000).default(1) })
  .parse(process.env);

type Repeated<World> = {
  /** Starts what the rounds of a world share. */
  begin: (t: ExecutionContext) => Promise<World>;
  /** Resolves to the measurements of a round, in milliseconds, which are logged. Rejects if the round fails. */
  round: (t: ExecutionContext, world: World) => Promise<Record<string, number>>;
};

/** Runs rounds in a world, one after the other. Rejects at the first that fails. */
const runInWorld = async <World>(
  t: ExecutionContext,
  numbers: readonly number[],
  { begin, round }: Repeated<World>,
): Promise<void> => {
  const world = await begin(t);
  for (const number of numbers) {
    try {
      t.log(`round ${number}`, await round(t, world), { load: loadNow() });
    } catch (error) {
      t.log(`round ${number} failed`, { load: loadNow() }, String(error));
      throw error;
    }
  }
};

export const testInRounds = <World>(title: string, repeated: Repeated<World>): void => {
  const all = Array.from({ length: rounds }, (_, index) => index + 1);
  const worlds = Math.min(mostWorlds, rounds);
  const run = async (t: ExecutionContext): Promise<void> => {
    const runs = await Promise.allSettled(
      Array.from({ length: worlds }, (_, world) =>
        runInWorld(
          t,
          all.filter((number) => number % worlds === world),
          repeated,
        ),
      ),
    );
    for (const each of runs) if (each.status === 'rejected') throw each.reason;
  };
  if (rounds === 1) return realTimeTest(title, run);
  // Without a second try, which would hide a failed round.
  return test.serial(`${title}, ${rounds} rounds`, async (t) => {
    t.timeout(longestRoundMs * Math.ceil(rounds / worlds));
    await run(t);
  });
};
