/**
 * `npm run simulate -- --planted`: runs seeds with each known mistake (`planted.ts`) until its rule finds it, each in a
 * process of its own. `simulate.ts` starts it.
 */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { availableParallelism } from 'node:os';
import { z } from 'zod';
import { nodeOptions } from '#test/run/node-options.ts';
import { compiled } from './in-processes.ts';
import { mistakes, type Mistake } from './planted.ts';

/** Message of the process: the seed that found the mistake, or `null`, and all rules that seeds broke until then. */
export const findingForm = z.object({ seed: z.number().nullable(), rules: z.array(z.string()) });
export type Finding = z.infer<typeof findingForm>;

/** A violation begins with its rule. */
export const ruleOf = (violation: string): string => violation.split(':')[0] ?? '';

type Result = { mistake: Mistake; finding: Finding | null };

const find = async (program: string, mistake: Mistake): Promise<Result> => {
  const child = fork(program, process.argv.slice(2), {
    execArgv: [...process.execArgv, ...nodeOptions, '--import', new URL('plant.ts', import.meta.url).href],
    env: { NODE_COMPILE_CACHE: compiled, ...process.env, SIMULATION_PLANTED: mistake.name },
  });
  let finding: Finding | null = null;
  child.on('message', (told) => (finding = findingForm.parse(told)));
  const [code] = await once(child, 'exit');
  return { mistake, finding: code === 0 ? finding : null };
};

const rowOf = ({ mistake: { name, rule }, finding }: Result): string => {
  const seed = finding === null ? 'broke off' : finding.seed === null ? 'NOT FOUND' : `seed ${finding.seed}`;
  const others = (finding?.rules ?? []).filter((other) => other !== rule);
  const beside = others.length === 0 ? '' : ` (also: ${others.join('; ')})`;
  return `${seed.padEnd(10)} ${name} → ${rule}${beside}`;
};

/** Runs as many processes at a time as there are processors. Returns the number of mistakes that were not found. */
export const findPlanted = async (
  program: string,
  only: string,
  say: (line: string) => void,
): Promise<number> => {
  const wanted = mistakes.filter(({ name }) => name.includes(only));
  const queue = wanted.values();
  let missed = 0;
  const workOff = async (): Promise<void> => {
    for (const mistake of queue) {
      const result = await find(program, mistake);
      if (result.finding === null || result.finding.seed === null) missed += 1;
      say(rowOf(result));
    }
  };
  await Promise.all(Array.from({ length: availableParallelism() }, workOff));
  say(`${wanted.length - missed} mistakes found, ${missed} missed`);
  return missed;
};
