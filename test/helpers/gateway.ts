/** A complete gateway in the test's process, with its own database and fast simulated lines. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ExecutionContext } from 'ava';
import pino from 'pino';
import { z } from 'zod';
import { readConfig } from '#config/config.ts';
import { startGateway, type Gateway } from '#src/gateway.ts';
import { realEnvironment } from '#src/parts/runtime.ts';
import { apiClient, type ApiClient } from './api-client.ts';
import { testDatabaseUrl } from './database.ts';
import { fileScope, type Scope } from './file-scope.ts';
import { openQuickEncoding } from './quick-encoding.ts';
import { silentSynthesizer } from './silent-synthesizer.ts';
import { testSettings } from './test-settings.ts';
import { until } from './until.ts';

const turn = z.object({
  role: z.enum(['assistant', 'user']),
  sequence: z.number(),
  t_offset_sec: z.number(),
  text: z.string(),
  timestamp: z.string(),
});

export type Turn = z.infer<typeof turn>;

export type TestGateway = Gateway & {
  /** Client with the number's key. */
  client: ApiClient;
  /** Client with the admin token; paths are relative to `/api/v1/admin`. */
  admin: ApiClient;
  /** The path of the seeded number in the admin API. */
  numberPath: string;
  /** Every line that the gateway logged, as text. */
  logged: string[];
  /** Places a call and resolves to its id. */
  call(to: string, instruction?: string): Promise<string>;
  /** Resolves to the call's record when it has one of these statuses. */
  untilStatus(callId: string, ...statuses: string[]): Promise<Record<string, unknown>>;
  transcript(callId: string): Promise<Turn[]>;
};

export const finalStatuses = ['completed', 'no_answer', 'failed'];

/** Longer limits, because the database may answer late on a busy machine. */
const patientMs = 20_000;
const patientLimits = {
  connectMs: patientMs,
  statementMs: patientMs,
  answerMs: patientMs,
  beatAnswerMs: patientMs,
};

let lastStart: Promise<unknown> = Promise.resolve();

/**
 * Starts gateways one after the other. The tests of a file begin together; if all of their gateways started at once in
 * one process, database answers would be read too late on a busy machine.
 */
const startNext = (...parameters: Parameters<typeof startGateway>): Promise<Gateway> => {
  const start = lastStart.then(() => startGateway(...parameters));
  lastStart = start.catch(() => undefined);
  return start;
};

/** Minimum level of log lines that help to explain a failure. */
const warningLevel = 40;
const logLine = z.looseObject({ level: z.number() });

/** Prints the gateway's warnings and errors below the failure of this test. */
export const logWarningsOnFailure = (t: ExecutionContext, logged: readonly string[]): void => {
  const before = logged.length;
  t.teardown(() => {
    if (t.passed) return;
    for (const line of logged.slice(before))
      if (logLine.parse(JSON.parse(line)).level >= warningLevel) t.log(line.trim());
  });
};

/** Settings of tests whose gateways speak or record audio; the others are silent. */
const soundSettings = ['GW_RECORDINGS_FORMAT', 'GW_SYNTHESIZERS', 'GW_RECOGNIZERS'];

/**
 * Starts a gateway that ends with the scope. `environment` overrides the settings. Recordings have no audio unless it
 * names their format. A synthesizer for each sentence of a recorded call would cost more than the rest of the call.
 */
export const startTestGateway = async (
  scope: Scope,
  environment: Record<string, string>,
  logged: string[],
): Promise<TestGateway> => {
  // Registered first so that it runs last: the database is dropped after the gateway has ended.
  const databaseUrl = environment['GW_DATABASE_URL'] ?? (await testDatabaseUrl(scope));
  const dataFolder = environment['GW_DATA_DIR'] ?? (await mkdtemp(join(tmpdir(), 'trunkline-test-')));
  const logger = pino({ level: 'trace', base: null }, { write: (line: string) => void logged.push(line) });
  const config = readConfig({ ...testSettings(databaseUrl, dataFolder), ...environment }, false);
  const databaseLimits = { ...config.databaseLimits, ...patientLimits };
  const means = {
    ...realEnvironment,
    ...(environment['GW_RECORDINGS_FORMAT'] === undefined ? { openEncoding: openQuickEncoding } : {}),
    ...(soundSettings.some((name) => name in environment) ? {} : { synthesizer: silentSynthesizer }),
  };
  const gateway = await startNext({ ...config, databaseLimits }, logger, means);
  scope.teardown(async () => {
    await gateway.close();
    if (environment['GW_DATA_DIR'] === undefined) await rm(dataFolder, { recursive: true, force: true });
  });
  return seenBy(gateway, logged);
};

/** Clients of a gateway with the credentials of one number. */
const seenBy = (gateway: Gateway, logged: string[]): TestGateway => {
  const { base_url, number_key, admin_token, number_id } = gateway.credentials;
  const client = apiClient(base_url, number_key);
  return {
    ...gateway,
    client,
    admin: client.as(admin_token),
    numberPath: `/api/v1/admin/numbers/${number_id}`,
    logged,
    async call(to, instruction) {
      const { status, body } = await client.post('/api/v1/calls', { to, instruction: instruction ?? null });
      if (status !== 201) throw new Error(`The call was not placed: ${JSON.stringify(body)}`);
      return z.string().parse(body['call_id']);
    },
    untilStatus: (callId, ...statuses) =>
      until(`call ${callId} is ${statuses.join(' or ')}`, async () => {
        const { body } = await client.get(`/api/v1/calls/${callId}`);
        return statuses.includes(z.string().parse(body['status'])) ? body : undefined;
      }),
    async transcript(callId) {
      const { body } = await client.get(`/api/v1/calls/${callId}/transcript`);
      return z.array(turn).parse(body['transcript']);
    },
  };
};

/** The same gateway with the credentials of another workspace. */
export const asWorkspace = (
  gateway: TestGateway,
  credentials: Partial<TestGateway['credentials']>,
): TestGateway =>
  seenBy({ ...gateway, credentials: { ...gateway.credentials, ...credentials } }, gateway.logged);

/** A gateway only for this test. `environment` overrides the settings. */
export const testGateway = async (
  t: ExecutionContext,
  environment: Record<string, string> = {},
): Promise<TestGateway> => {
  const logged: string[] = [];
  logWarningsOnFailure(t, logged);
  return startTestGateway(t, environment, logged);
};

let numbers = 0;

/** The same gateway with a new number, which has its own settings, agents, key and calls. */
export const withFreshNumber = async (gateway: TestGateway): Promise<TestGateway> => {
  numbers += 1;
  const given = { number: `0701${String(numbers).padStart(7, '0')}` };
  const { body } = await gateway.admin.post('/api/v1/admin/numbers', given);
  const { id, number } = z.object({ id: z.string(), number: z.string() }).parse(body);
  const { body: issued } = await gateway.admin.post(`/api/v1/admin/numbers/${id}/key`);
  const key = z.string().parse(issued['key']);
  const credentials = { ...gateway.credentials, number, number_id: id, number_key: key };
  return seenBy({ ...gateway, credentials }, gateway.logged);
};

/**
 * Module-level, called once per test file: a gateway for all tests of the file that do not affect each other. The
 * gateway starts when the first test requests it.
 */
export const sharedGateway = (
  environment: Record<string, string> | ((scope: Scope) => Promise<Record<string, string>>) = {},
): ((t: ExecutionContext) => Promise<TestGateway>) => {
  const scope = fileScope();
  const logged: string[] = [];
  const start = async (): Promise<TestGateway> => {
    const settings = typeof environment === 'function' ? await environment(scope) : environment;
    return startTestGateway(scope, settings, logged);
  };
  let starting: Promise<TestGateway> | undefined;
  return (t) => {
    logWarningsOnFailure(t, logged);
    return (starting ??= start());
  };
};

/** Like `sharedGateway`, but each test gets its own number. */
export const sharedGatewayWithNumbers = (
  environment: Record<string, string> = {},
): ((t: ExecutionContext) => Promise<TestGateway>) => {
  const sharing = sharedGateway(environment);
  return async (t) => withFreshNumber(await sharing(t));
};
