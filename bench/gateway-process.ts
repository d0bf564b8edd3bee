/** A gateway in its own process as users run it: embedded database, simulated line, default settings. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { openBareDatabase, type BareDatabase } from './bare-database.ts';
import { makeDataFolder } from './data-folder.ts';
import { startProgram, type ProgramOptions } from './program.ts';

const credentialsFile = z.object({
  workspace_id: z.string(),
  number_id: z.string(),
  number_key: z.string(),
  admin_token: z.string(),
});

export type GatewayProcess = {
  pid: number;
  url: string;
  dataFolder: string;
  numberId: string;
  /** Headers of a request with the number's key and a JSON body. */
  headers: Readonly<Record<string, string>>;
  /** Direct access to the gateway's database, for data that the API does not return. */
  database: BareDatabase;
  /** Sends a request to the admin API; resolves to the response body. Throws unless it succeeds. */
  admin(method: 'POST' | 'PUT' | 'PATCH', path: string, body: unknown): Promise<unknown>;
  /** Headers of a request with the token of the first admin. */
  adminHeaders: Readonly<Record<string, string>>;
  workspaceId: string;
};

/** Options of Node in `npm start`, for which the compiled code of a gateway is stored (config/gateway-script.mjs). */
const startOptions = ['--no-memory-protection-keys'];

/** Overrides only the limits that a bench must exceed; logs are written as usual, but discarded. */
export const gatewayProgram = (
  dataFolder: string,
  settings: Readonly<Record<string, string>> = {},
): ProgramOptions => ({
  nodeArguments: startOptions,
  file: 'src/main.mjs',
  parameters: (port: number) => ({
    environment: {
      GW_PORT: String(port),
      GW_DATA_DIR: dataFolder,
      GW_RATE_LIMIT: '0',
      GW_MAX_CALLS: '100000',
      GW_MAX_DELAY_MS: '0',
      GW_DRAIN_SEC: '0',
      ...settings,
    },
  }),
  readyPath: '/readyz',
});

const json = { 'content-type': 'application/json' };

/** Starts a gateway with a new data folder; its resources are released with `started`. */
export const startGatewayProcess = async (
  started: AsyncDisposableStack,
  {
    nodeArguments = startOptions,
    settings = {},
  }: { nodeArguments?: readonly string[]; settings?: Readonly<Record<string, string>> } = {},
): Promise<GatewayProcess> => {
  const dataFolder = makeDataFolder(started);
  const program = gatewayProgram(dataFolder, settings);
  const { pid, url } = await startProgram(started, { ...program, nodeArguments });
  const database = started.use(await openBareDatabase(dataFolder));
  const known = credentialsFile.parse(
    JSON.parse(await readFile(join(dataFolder, 'dev-credentials.json'), 'utf8')),
  );
  // Raises the only limit that has no setting.
  await database.execute('update workspace set max_calls_in_progress = 100000 where id = $1', [
    known.workspace_id,
  ]);
  return {
    pid,
    url,
    dataFolder,
    numberId: known.number_id,
    workspaceId: known.workspace_id,
    adminHeaders: { authorization: `Bearer ${known.admin_token}` },
    headers: { ...json, authorization: `Bearer ${known.number_key}` },
    database,
    async admin(method: 'POST' | 'PUT' | 'PATCH', path: string, body: unknown) {
      const response = await fetch(`${url}/api/v1/admin${path}`, {
        method,
        headers: { ...json, authorization: `Bearer ${known.admin_token}` },
        body: JSON.stringify(body),
      });
      const text = await response.text();
      if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`);
      return text === '' ? undefined : JSON.parse(text);
    },
  };
};
