/**
 * Time from the start of the process to the first "ready" response: a first start, which creates the database, and a
 * second one in the same data folder. Compared to a program that starts the same embedded PostgreSQL and a bare Koa
 * route with the same driver (`bare-koa.ts --embedded`): the difference is the gateway's own time. The median of
 * several pairs counts.
 */
import { makeDataFolder } from './data-folder.ts';
import type { Bench } from './bench.ts';
import { gatewayProgram } from './gateway-process.ts';
import { median } from './percentile.ts';
import { startProgram, type ProgramOptions } from './program.ts';

const rounds = 3;

const bareProgram = (dataFolder: string): ProgramOptions => ({
  file: 'bench/bare-koa.ts',
  parameters: (port: number) => ({ arguments: [String(port), dataFolder, '--embedded'] }),
  readyPath: '/',
});

type ReadyTimes = { first: number; second: number };

export const benchStart: Bench = async ({ started, print }) => {
  const startTwice = async (programIn: (dataFolder: string) => ProgramOptions): Promise<ReadyTimes> => {
    const folder = makeDataFolder(started);
    const readyMs = async (): Promise<number> => {
      const program = await startProgram(started, programIn(folder));
      await program.end();
      return program.readyMs;
    };
    return { first: await readyMs(), second: await readyMs() };
  };
  const bare: ReadyTimes[] = [];
  const own: ReadyTimes[] = [];
  for (let round = 0; round < rounds; round += 1) {
    bare.push(await startTwice(bareProgram));
    own.push(await startTwice(gatewayProgram));
  }
  for (const which of ['first', 'second'] as const) {
    const [ours, theirs] = [
      median(own.map((times) => times[which])),
      median(bare.map((times) => times[which])),
    ];
    print(
      `${which} start`,
      `${ours.toFixed(0)} ms to ready, ${(ours / theirs).toFixed(1)} × a bare Koa route on the same embedded PostgreSQL (${theirs.toFixed(0)} ms)`,
    );
  }
};
