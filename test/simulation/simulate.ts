/**
 * `npm run simulate -- --seeds 1000` runs seeds 1 to 1000 (`--from N`: beginning with N) in as many processes as there
 * are processors, for `--minutes M` at most, and prints violations; `--seed N` runs one seed and writes its journal.
 * The exit code is 0 only if all rules held.
 */
import { machineNow } from './determinism.ts';
import { writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { z } from 'zod';
import { inProcesses, ownShare, type Share } from './in-processes.ts';
import { runSeed, startPostgres } from './run-seed.ts';
import { createTally, toldOf } from './tally.ts';

const wholeNumber = z.coerce.number().int().nonnegative();

const options = z
  .object({
    seeds: wholeNumber,
    from: wholeNumber,
    seed: wholeNumber.optional(),
    minutes: z.coerce.number().positive(),
    coverage: z.boolean(),
  })
  .parse(
    parseArgs({
      options: {
        seeds: { type: 'string', default: '100' },
        from: { type: 'string', default: '1' },
        seed: { type: 'string' },
        minutes: { type: 'string', default: '600' },
        coverage: { type: 'boolean', default: false },
      },
    }).values,
  );

const say = (line: string): void => void process.stdout.write(`${line}\n`);

/** Runs every `step`-th seed while time remains. */
const workOff = async ({ index, step }: Share): Promise<void> => {
  const postgres = await startPostgres();
  const deadline = machineNow() + options.minutes * 60_000;
  const behindLast = options.from + options.seeds;
  for (let seed = options.from + index; seed < behindLast && machineNow() < deadline; seed += step)
    process.send?.(toldOf(`seed ${seed}`, `simulate -- --seed ${seed}`, await runSeed(seed, postgres)));
};

const oneSeed = async (seed: number): Promise<number> => {
  const { violations, lines, digest, plan } = await runSeed(seed, await startPostgres());
  const file = `simulation-${seed}.txt`;
  writeFileSync(file, `${JSON.stringify(plan)}\n${lines.join('\n')}\n`);
  say(`seed ${seed}: ${violations.length === 0 ? 'every rule held' : violations.join('\n  ')}`);
  say(`its journal is in ${file}, digest ${digest}`);
  return violations.length === 0 ? 0 : 1;
};

const share = ownShare();
if (share !== null) {
  await workOff(share);
  process.exit(0);
}
if (options.seed !== undefined) process.exit(await oneSeed(options.seed));
const begun = machineNow();
const tally = createTally(say, 'seeds');
await inProcesses({ program: import.meta.filename, most: options.seeds, onTold: tally.add }).catch(
  tally.broke,
);
if (options.coverage) for (const line of tally.coverage()) say(line);
say(tally.summary(machineNow() - begun));
process.exit(tally.failed() === 0 ? 0 : 1);
