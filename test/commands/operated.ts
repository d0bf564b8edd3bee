/** `npm run admin` beside a gateway that runs on the same database. */
import { dirname } from 'node:path';
import type { ExecutionContext } from 'ava';
import type { z } from 'zod';
import { failureOf, main } from '#src/commands/admin.ts';
import { testDatabaseUrl } from '#test/helpers/database.ts';
import { testGateway, testSettings } from '#test/helpers/gateway.ts';
import { emptyFolder } from '#test/start/gateway-process.ts';

type Run = (...args: string[]) => Promise<string>;

/** A gateway, and the commands on its database. */
export const operated = async (t: ExecutionContext) => {
  const url = await testDatabaseUrl(t);
  const gateway = await testGateway(t, { GW_DATABASE_URL: url });
  const runIn =
    (folder: string): Run =>
    async (...args) => {
      const printed: string[] = [];
      await main(args, testSettings(url, folder), (text) => void printed.push(text));
      return printed.join('\n');
    };
  const run = runIn(await emptyFolder(t));
  /** With the data folder of the gateway. */
  const runAtHome = runIn(dirname(gateway.credentials.file));
  const json = async <Schema extends z.ZodType>(schema: Schema, args: string[]): Promise<z.output<Schema>> =>
    schema.parse(JSON.parse(await run(...args, '--json')));
  return { gateway, run, runAtHome, json, baseUrl: gateway.credentials.base_url };
};

/** A failure as the operator reads it, and its exit code. */
export const failure = async (t: ExecutionContext, running: Promise<string>) => {
  const error = await t.throwsAsync(running);
  return failureOf(error);
};
