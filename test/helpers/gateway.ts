/** A whole gateway in the test's own process, on a database of the test file's own, with fast simulated lines. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ExecutionContext } from 'ava';
import pino from 'pino';
import { readConfig } from '#config/config.ts';
import { startGateway, type Gateway } from '#src/gateway.ts';
import { testDatabaseUrl } from './database.ts';

export type TestGateway = Gateway & {
  /** Every line that the gateway logged, parsed. */
  logged: Record<string, unknown>[];
};

/** Ends with the test. `environment` overrides the settings. */
export const testGateway = async (
  t: ExecutionContext,
  environment: Record<string, string> = {},
): Promise<TestGateway> => {
  const dataFolder = await mkdtemp(join(tmpdir(), 'trunkline-test-'));
  const logged: Record<string, unknown>[] = [];
  const logger = pino(
    { level: 'debug', base: null },
    {
      write(line: string) {
        logged.push(JSON.parse(line));
      },
    },
  );
  const config = readConfig(
    {
      GW_PORT: '0',
      GW_DATA_DIR: dataFolder,
      GW_DATABASE_URL: await testDatabaseUrl(t),
      GW_MASTER_KEY: Buffer.alloc(32, 7).toString('base64'),
      GW_AGENT_ALLOW_LOOPBACK: '1',
      GW_SIMULATOR_SPEED: '20',
      GW_DRAIN_SEC: '0',
      ...environment,
    },
    false,
  );
  const gateway = await startGateway(config, logger);
  t.teardown(async () => {
    await gateway.close();
    await rm(dataFolder, { recursive: true, force: true });
  });
  return { ...gateway, logged };
};
