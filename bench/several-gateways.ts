/**
 * Calls per second that one, two and three gateways of one database can begin, with the processor time per call of
 * their Node programs and of PostgreSQL. The callee is busy, so that each call ends at once. A single gateway counts
 * calls in progress in memory, several gateways count them in the database.
 */
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { prepareSocketFolder } from '#src/persistence/embedded/socket-folder.ts';
import type { Bench } from './bench.ts';
import { makeDataFolder } from './data-folder.ts';
import { gatewayProgram, startGatewayProcess } from './gateway-process.ts';
import { load } from './load.ts';
import { median } from './percentile.ts';
import { startProgram } from './program.ts';
import { readProgramTimes } from './sip/program-times.ts';

const busy = '01000000003';
const mostGateways = 3;
const rounds = 3;
const requests = 1_200;
const connections = 16;
/**
 * Waits until a gateway has detected another one, which takes up to a second, and until all placed calls have ended.
 */
const restMs = 3_000;

const masterKey = Buffer.alloc(32, 7).toString('base64');

type Figures = { perSecond: number; node: number; postgres: number };

export const benchSeveralGateways: Bench = async ({ started, print }) => {
  const first = await startGatewayProcess(started, {
    settings: { GW_NODE: 'node-1', GW_MASTER_KEY: masterKey },
  });
  await first.admin('PATCH', `/numbers/${first.numberId}`, { max_concurrent_calls: 10_000 });
  const host = await prepareSocketFolder(join(first.dataFolder, 'postgresql'));
  const database = `postgresql://localhost/postgres?${new URLSearchParams({ host, user: 'postgres' }).toString()}`;
  const urls = [first.url];

  const placeCalls = async (): Promise<number> => {
    const results = await Promise.all(
      urls.map((url) =>
        load({
          url,
          path: '/api/v1/calls',
          headers: first.headers,
          body: JSON.stringify({ to: busy }),
          requests: Math.round(requests / urls.length),
          connections: Math.floor(connections / urls.length),
        }),
      ),
    );
    return results.reduce((sum, { perSecond }) => sum + perSecond, 0);
  };

  const measure = async (): Promise<Figures> => {
    const before = await readProgramTimes();
    const perSecond = await placeCalls();
    await pause(restMs);
    const after = await readProgramTimes();
    const spent = (...names: string[]): number =>
      names.reduce((sum, name) => sum + (after.get(name) ?? 0) - (before.get(name) ?? 0), 0) / requests;
    return { perSecond, node: spent('node', 'MainThread'), postgres: spent('postgres') };
  };

  for (let count = 1; count <= mostGateways; count += 1) {
    if (count > 1) {
      const settings = {
        GW_NODE: `node-${count}`,
        GW_MASTER_KEY: masterKey,
        GW_DATABASE_URL: database,
      };
      const { url } = await startProgram(started, gatewayProgram(makeDataFolder(started), settings));
      urls.push(url);
    }
    await pause(restMs);
    // Warm-up: code is still being compiled in the first round.
    await placeCalls();
    const measured: Figures[] = [];
    for (let round = 0; round < rounds; round += 1) measured.push(await measure());
    const typical = (figure: keyof Figures): number => median(measured.map((each) => each[figure]));
    print(
      `calls, ${count} gateways`,
      `${typical('perSecond').toFixed(0)}/s; processor time of a call ${(typical('node') * 1_000).toFixed(0)} µs Node, ${(typical('postgres') * 1_000).toFixed(0)} µs PostgreSQL`,
    );
  }
};
