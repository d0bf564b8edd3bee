/**
 * `npm run simulate -- --seeds 1000` runs seeds 1 to 1000 (`--from N`: from N on) in as many processes as there are
 * processors, for `--minutes M` at most, and says what broke; `--seed N` runs one and writes its journal. The exit code
 * is 0 only when everything held.
 */
import { machineNow } from './determinism.ts';
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { parseArgs } from 'node:util';
import { z } from 'zod';
import { runSeed, startPostgres } from './run-seed.ts';
import { createTally, type Tally } from './tally.ts';

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

/** What a process is told to do: every `step`-th seed. */
const share = z.object({ first: z.number(), behindLast: z.number(), step: z.number(), untilMs: z.number() });

const workOff = async ({ first, behindLast, step, untilMs }: z.infer<typeof share>): Promise<void> => {
  const postgres = await startPostgres();
  const deadline = machineNow() + untilMs;
  for (let seed = first; seed < behindLast && machineNow() < deadline; seed += step) {
    const { violations, coverage, effects, calls, seconds } = await runSeed(seed, postgres);
    process.send?.({
      seed,
      violations,
      coverage: [...coverage],
      effects: [...effects.keys()],
      calls,
      seconds,
    });
  }
};

const inProcesses = async (): Promise<Tally> => {
  const tally = createTally(say);
  const step = Math.max(1, Math.min(availableParallelism(), options.seeds));
  const ends = Array.from({ length: step }, async (_, index) => {
    const child = fork(import.meta.filename, { env: { ...process.env, SIMULATION_SHARE: '1' } });
    child.on('message', tally.add);
    child.send({
      first: options.from + index,
      behindLast: options.from + options.seeds,
      step,
      untilMs: options.minutes * 60_000,
    });
    const [code] = await once(child, 'exit');
    if (code !== 0) tally.broke(`a process of the simulation ended with ${String(code)}`);
  });
  await Promise.all(ends);
  return tally;
};

const oneSeed = async (seed: number): Promise<number> => {
  const { violations, lines, digest, plan } = await runSeed(seed, await startPostgres());
  const file = `simulation-${seed}.txt`;
  writeFileSync(file, `${JSON.stringify(plan)}\n${lines.join('\n')}\n`);
  say(`seed ${seed}: ${violations.length === 0 ? 'every rule held' : violations.join('\n  ')}`);
  say(`its journal is in ${file}, digest ${digest}`);
  return violations.length === 0 ? 0 : 1;
};

if (process.env['SIMULATION_SHARE'] === '1') {
  const [told] = await once(process, 'message');
  await workOff(share.parse(told));
  process.exit(0);
}
if (options.seed !== undefined) process.exit(await oneSeed(options.seed));
const begun = machineNow();
const tally = await inProcesses();
if (options.coverage) for (const line of tally.coverage()) say(line);
say(tally.summary(machineNow() - begun));
process.exit(tally.failed() === 0 ? 0 : 1);
