/**
 * Shows the calls of a simulated world in the console: a gateway with a database of its own, into which the rows of the
 * calls are copied. All calls are stored under the workspace and the number of that gateway.
 */
import { once } from 'node:events';
import { join } from 'node:path';
import { Client } from 'pg';
import pino from 'pino';
import { readConfig } from '#config/config.ts';
import { startGateway } from '#src/gateway.ts';
import { startEmbedded } from '#src/persistence/embedded/start-embedded.ts';
import { storedMasterKey } from '#src/start/master-key.ts';
import type { Postgres } from './postgres.ts';

/** Tables that the console reads for a call and its replay. */
const tables = ['call', 'call_fact', 'call_turn', 'call_transition'] as const;

type Row = Record<string, unknown>;

export type CallRows = ReadonlyMap<string, readonly Row[]>;

export const callRowsOf = (postgres: Postgres): CallRows =>
  new Map(tables.map((table) => [table, postgres.rows(`select * from ${table} order by 1, 2`)]));

const copy = async (
  connectionString: string,
  rows: CallRows,
  owner: { number_id: string; workspace_id: string },
): Promise<void> => {
  const client = new Client({ connectionString });
  await client.connect();
  try {
    for (const [table, found] of rows) {
      const given = table === 'call' ? found.map((row) => ({ ...row, ...owner })) : found;
      await client.query(
        `insert into ${table} select * from json_populate_recordset(null::${table}, $1) on conflict do nothing`,
        [JSON.stringify(given)],
      );
    }
  } finally {
    await client.end();
  }
};

const isInterrupted = (): Promise<unknown> =>
  Promise.race([once(process, 'SIGINT'), once(process, 'SIGTERM')]);

/** Runs until SIGINT or SIGTERM, or until `ended` resolves. The data stay in `folder`. */
export const openInConsole = async (
  rows: CallRows,
  folder: string,
  say: (line: string) => void,
  {
    ended = isInterrupted,
    environment = process.env,
  }: { ended?: () => Promise<unknown>; environment?: NodeJS.ProcessEnv } = {},
): Promise<void> => {
  await using started = new AsyncDisposableStack();
  const logger = pino({ level: 'warn' });
  const embedded = await startEmbedded({ dataFolder: folder, logger });
  started.defer(() => embedded.stop());
  const { socketFolder, database, user } = embedded.connection;
  const url = `postgresql://localhost/${database}?${new URLSearchParams({ host: socketFolder, user }).toString()}`;
  const settings = {
    GW_PORT: '0',
    GW_MASTER_KEY: (await storedMasterKey(folder)).toString('base64'),
    ...environment,
    GW_DATA_DIR: join(folder, 'gateway'),
    GW_DATABASE_URL: url,
  };
  const gateway = await startGateway(readConfig({ ...settings, GW_LINES: 'none' }, false), logger);
  started.defer(() => gateway.close());
  const { number_id, workspace_id, console_url } = gateway.credentials;
  await copy(url, rows, { number_id, workspace_id });
  say(`The calls are in the console at ${console_url}. Sign in: ${await gateway.makeSignInLink()}`);
  for (const { id } of rows.get('call') ?? []) say(`  ${console_url}#/calls/${String(id)}`);
  say('Ctrl-C ends it.');
  await ended();
};
