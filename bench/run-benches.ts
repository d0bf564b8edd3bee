/**
 * Runs the bench named on the command line, or all benches, and ends everything that they started, also after an
 * interruption.
 */
import type { Bench } from './bench.ts';

const print = (figure: string, text: string): void => {
  process.stdout.write(`${figure.padEnd(22)}${text}\n`);
};

/** `byName`: benches that are run only by their name, because they take long. */
export const runBenches = async (
  benches: ReadonlyMap<string, Bench>,
  byName: ReadonlyMap<string, Bench> = new Map(),
): Promise<void> => {
  let isInterrupted = false;
  const interruption = new Promise<never>((_resolve, reject) => {
    for (const signal of ['SIGINT', 'SIGTERM'] as const)
      process.on(signal, () => {
        isInterrupted = true;
        reject(new Error(`broken off by ${signal}`));
      });
  });
  // The rejection may occur between two benches, when it has no handler.
  interruption.catch(() => undefined);

  const run = async (bench: Bench): Promise<void> => {
    await using started = new AsyncDisposableStack();
    await Promise.race([bench({ started, print }), interruption]);
  };

  const [wanted, ...more] = process.argv.slice(2);
  const chosen = wanted === undefined ? [...benches.values()] : [benches.get(wanted) ?? byName.get(wanted)];
  try {
    for (const bench of chosen) {
      if (bench === undefined || more.length > 0) {
        throw new Error(
          `give the name of one bench, or none for all: ${[...benches.keys(), ...byName.keys()].join(', ')}`,
        );
      }
      await run(bench);
    }
  } catch (error) {
    process.stderr.write(
      `The bench did not finish: ${error instanceof Error ? error.message : String(error)}\n`,
    );
    process.exitCode = 1;
    // The interrupted bench does not know that its resources were ended and would wait for them.
    if (isInterrupted) process.exit();
  }
};
