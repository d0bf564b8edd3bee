/**
 * `npm run simulate -- --seeds 1000` runs seeds 1 to 1000 (`--from N`: beginning with N) in as many processes as there
 * are processors, for `--minutes M` at most, and prints violations; `--seed N` runs one seed and writes its journal,
 * with `--open` its calls can then be replayed in a console.
 * The exit code is 0 only if all rules held. `--planted` verifies that the rules find each known mistake (`planted.ts`;
 * `--only TEXT`: those whose names contain it) within `--seeds`.
 */
import { machineNow } from './determinism.ts';
import { writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { z } from 'zod';
import { inProcesses, ownShare, type Share } from './in-processes.ts';
import { findPlanted, ruleOf, type Finding } from './find-planted.ts';
import { checkPlanted, plantedHere } from './plant.ts';
import type { Mistake } from './planted.ts';
import { createTally, toldOf } from './tally.ts';

const wholeNumber = z.coerce.number().int().nonnegative();

const options = z
  .object({
    seeds: wholeNumber.optional(),
    from: wholeNumber,
    seed: wholeNumber.optional(),
    minutes: z.coerce.number().positive(),
    coverage: z.boolean(),
    planted: z.boolean(),
    only: z.string(),
    open: z.boolean(),
  })
  .parse(
    parseArgs({
      options: {
        seeds: { type: 'string' },
        from: { type: 'string', default: '1' },
        seed: { type: 'string' },
        minutes: { type: 'string', default: '600' },
        coverage: { type: 'boolean', default: false },
        planted: { type: 'boolean', default: false },
        only: { type: 'string', default: '' },
        open: { type: 'boolean', default: false },
      },
    }).values,
  );

const seeds = options.seeds ?? (options.planted ? 200 : 100);

const say = (line: string): void => void process.stdout.write(`${line}\n`);

/** The gateway is loaded only in processes that run seeds: their parent would compile it without stored code. */
const loadSeeds = () => import('./run-seed.ts');

/** Runs every `step`-th seed while time remains. */
const workOff = async ({ index, step }: Share): Promise<void> => {
  const { runSeed, startPostgres } = await loadSeeds();
  const postgres = await startPostgres();
  const deadline = machineNow() + options.minutes * 60_000;
  const behindLast = options.from + seeds;
  for (let seed = options.from + index; seed < behindLast && machineNow() < deadline; seed += step)
    process.send?.(toldOf(`seed ${seed}`, `simulate -- --seed ${seed}`, await runSeed(seed, postgres)));
};

const oneSeed = async (seed: number): Promise<number> => {
  const { runSeed, startPostgres } = await loadSeeds();
  const postgres = await startPostgres();
  const { violations, lines, digest, plan } = await runSeed(seed, postgres, undefined, true);
  const file = `simulation-${seed}.txt`;
  writeFileSync(file, `${JSON.stringify(plan)}\n${lines.join('\n')}\n`);
  say(`seed ${seed}: ${violations.length === 0 ? 'every rule held' : violations.join('\n  ')}`);
  say(`its journal is in ${file}, digest ${digest}`);
  if (options.open) {
    const { callRowsOf, openInConsole } = await import('./open-seed.ts');
    await openInConsole(callRowsOf(postgres), resolve(`simulation-${seed}`), say);
  }
  return violations.length === 0 ? 0 : 1;
};

/** Runs seeds until the rule of the planted mistake is broken. */
const findMistake = async (mistake: Mistake): Promise<void> => {
  const { runSeed, startPostgres } = await loadSeeds();
  const rules = new Set<string>();
  const postgres = await startPostgres((violations) => violations.forEach((one) => rules.add(ruleOf(one))));
  checkPlanted(mistake);
  let seed = options.from;
  for (; seed < options.from + seeds && !rules.has(mistake.rule); seed += 1)
    for (const violation of (await runSeed(seed, postgres)).violations) rules.add(ruleOf(violation));
  const isFound = rules.has(mistake.rule);
  process.send?.({ seed: isFound ? seed - 1 : null, rules: [...rules] } satisfies Finding);
};

const mistake = plantedHere();
if (mistake !== undefined) {
  await findMistake(mistake);
  process.exit(0);
}
if (options.planted) process.exit((await findPlanted(import.meta.filename, options.only, say)) === 0 ? 0 : 1);
const share = ownShare();
if (share !== null) {
  await workOff(share);
  process.exit(0);
}
if (options.seed !== undefined) process.exit(await oneSeed(options.seed));
const begun = machineNow();
const tally = createTally(say, 'seeds');
await inProcesses({ program: import.meta.filename, most: seeds, onTold: tally.add }).catch(tally.broke);
if (options.coverage) for (const line of tally.coverage()) say(line);
say(tally.summary(machineNow() - begun));
process.exit(tally.failed() === 0 ? 0 : 1);
