/** `npm run bench`: prints each figure as it is measured; `npm run bench -- turn` measures one. See README.md. */
import type { Bench } from './bench.ts';
import { benchBargeIn, benchGrowth } from './barge-in.ts';
import { benchCreateCall } from './create-call.ts';
import { benchMemory } from './memory.ts';
import { benchStart } from './start.ts';
import { benchTurn } from './turn.ts';

const benches: ReadonlyMap<string, Bench> = new Map([
  ['create-call', benchCreateCall],
  ['turn', benchTurn],
  ['barge-in', benchBargeIn],
  ['growth', benchGrowth],
  ['memory', benchMemory],
  ['start', benchStart],
]);

const interruption = new Promise<never>((_resolve, reject) => {
  for (const signal of ['SIGINT', 'SIGTERM'] as const)
    process.on(signal, () => reject(new Error(`broken off by ${signal}`)));
});
// It may come between two benches, when nobody waits for it.
interruption.catch(() => undefined);

const print = (figure: string, text: string): void => {
  process.stdout.write(`${figure.padEnd(22)}${text}\n`);
};

const run = async (bench: Bench): Promise<void> => {
  await using started = new AsyncDisposableStack();
  await Promise.race([bench({ started, print }), interruption]);
};

const [wanted, ...more] = process.argv.slice(2);
const chosen = wanted === undefined ? [...benches.values()] : [benches.get(wanted)];
try {
  for (const bench of chosen) {
    if (bench === undefined || more.length > 0) {
      throw new Error(`give the name of one bench, or none for all: ${[...benches.keys()].join(', ')}`);
    }
    await run(bench);
  }
} catch (error) {
  process.stderr.write(
    `The bench did not finish: ${error instanceof Error ? error.message : String(error)}\n`,
  );
  process.exitCode = 1;
}
