/** `npm run admin` beside a running gateway on the same database. */
import { dirname } from 'node:path';
import type { ExecutionContext } from 'ava';
import type { z } from 'zod';
import { failureOf, main } from '#src/commands/admin.ts';
import { testDatabaseUrl } from '#test/helpers/database.ts';
import { sharedGateway, testGateway, type TestGateway } from '#test/helpers/gateway.ts';
import { testSettings } from '#test/helpers/test-settings.ts';
import { emptyFolder } from '#test/start/gateway-process.ts';

type Run = (...args: string[]) => Promise<string>;

/** The commands on the database of this gateway. */
const operatedBy = async (t: ExecutionContext, url: string, gateway: TestGateway) => {
  const runIn =
    (folder: string): Run =>
    async (...args) => {
      const printed: string[] = [];
      await main(args, testSettings(url, folder), (text) => void printed.push(text));
      return printed.join('\n');
    };
  const run = runIn(await emptyFolder(t));
  /** Runs commands in the data folder of the gateway. */
  const runAtHome = runIn(dirname(gateway.credentials.file));
  const json = async <Schema extends z.ZodType>(schema: Schema, args: string[]): Promise<z.output<Schema>> =>
    schema.parse(JSON.parse(await run(...args, '--json')));
  return { gateway, run, runAtHome, json, baseUrl: gateway.credentials.base_url };
};

/** A gateway of this test alone, and the commands on its database. */
export const operated = async (t: ExecutionContext) => {
  const url = await testDatabaseUrl(t);
  return operatedBy(t, url, await testGateway(t, { GW_DATABASE_URL: url }));
};

/** Module-level, called once per test file: one gateway for all tests that leave one workspace and its first token. */
export const sharedOperated = () => {
  let url = '';
  const sharing = sharedGateway(async (scope) => {
    url = await testDatabaseUrl(scope);
    return { GW_DATABASE_URL: url };
  });
  return async (t: ExecutionContext) => {
    const gateway = await sharing(t);
    return operatedBy(t, url, gateway);
  };
};

/** A failure as shown to the operator, and its exit code. */
export const failure = async (t: ExecutionContext, running: Promise<string>) => {
  const error = await t.throwsAsync(running);
  return failureOf(error);
};
