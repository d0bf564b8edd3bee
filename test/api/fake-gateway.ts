/**
 * The API on a real HTTP server and a real database, with a gateway behind it that only remembers what it was asked.
 * Each test has a workspace, an admin token, a number and a number key of its own.
 */
import { randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { ExecutionContext } from 'ava';
import pino from 'pino';
import { Registry } from 'prom-client';
import { readConfig } from '#config/config.ts';
import { platformMaxCallsInProgress } from '#config/policy.ts';
import { createApi } from '#src/api/app.ts';
import { createReadBrowser } from '#src/api/browser.ts';
import { createClientAddress } from '#src/api/client-address.ts';
import { answerClientErrors } from '#src/api/client-errors.ts';
import { newAdminToken, newNumberKey } from '#src/administration/new-key.ts';
import type { ApiServices } from '#src/api/api-services.ts';
import { createStreamPermits } from '#src/api/stream-permits.ts';
import { createNumberAuthentication } from '#src/calls/live/number-authentication.ts';
import { createRepeatedRequests } from '#src/calls/setup/repeated-requests.ts';
import { createStoredCalls } from '#src/calls/stored-calls.ts';
import { systemClock } from '#src/clocks.ts';
import { createAdminToken, fingerprintOf } from '#src/persistence/admin-tokens.ts';
import { isTransient } from '#src/persistence/connection-errors.ts';
import type { Database } from '#src/persistence/database.ts';
import { putNumberKey } from '#src/persistence/number-keys.ts';
import { createNumber } from '#src/persistence/numbers.ts';
import { createSealing } from '#src/persistence/sealing.ts';
import { createWorkspace } from '#src/persistence/workspaces.ts';
import { platformPolicyOf } from '#src/start/platform-policy.ts';
import { apiClient, type ApiClient } from '#test/helpers/api-client.ts';
import { testDatabase } from '#test/helpers/database.ts';
import { fakeCalls, fakeSpeech, fakeTrials } from './fake-services.ts';

export const sealing = createSealing(Buffer.alloc(32, 1));

export type FakeGateway = {
  /** With the number key. */
  client: ApiClient;
  /** With the admin token. */
  admin: ApiClient;
  adminToken: string;
  baseUrl: string;
  port: number;
  database: Database;
  workspaceId: string;
  number: { id: string; number: string; key: string };
  /** What was asked of the gateway: the name of the function and what it was given. */
  asked: [string, unknown][];
  /** Every line that was logged, parsed. */
  logged: Record<string, unknown>[];
};

/** No limits on requests. */
export const testLimits: ApiServices['limits'] = {
  perKey: { points: 0, perSeconds: 60 },
  failuresPerAddress: { points: 0, perSeconds: 60 },
  bodyBytes: 64 * 1024,
  eventStream: {
    keepAliveMs: 15_000,
    slowReaderMs: 30_000,
    pollMs: 20,
    revalidateMs: 5_000,
    lateFactsMs: Infinity,
    retryMs: 2_000,
  },
  readinessMs: 2_000,
  countingMs: 3_000,
};

let counted = 0;

const digits = (): string =>
  `070${String(process.pid % 10_000).padStart(4, '0')}${String(++counted).padStart(4, '0')}`;

/** A further number of the same workspace. */
export const addNumber = async (
  { database, workspaceId }: Pick<FakeGateway, 'database' | 'workspaceId'>,
  key = newNumberKey(),
): Promise<FakeGateway['number']> => {
  const id = randomUUID();
  const number = digits();
  await createNumber(database, { id, workspaceId, number, language: 'ko', createdAt: new Date() });
  await putNumberKey(database, {
    numberId: id,
    keyHash: sealing.fingerprint(key),
    keySealed: sealing.seal(key, id),
    issuedAt: new Date(),
  });
  return { id, number, key };
};

export const addWorkspace = async (
  database: Database,
): Promise<{ workspaceId: string; adminToken: string }> => {
  const workspaceId = randomUUID();
  const adminToken = newAdminToken();
  await createWorkspace(database, { id: workspaceId, name: 'Test', createdAt: new Date() });
  await createAdminToken(database, {
    id: randomUUID(),
    workspaceId,
    name: 'test',
    ...fingerprintOf(sealing, adminToken),
    createdAt: new Date(),
  });
  return { workspaceId, adminToken };
};

/** Resolves to the port; the server ends with the test. */
const serve = async (t: ExecutionContext, api: ReturnType<typeof createApi>): Promise<number> => {
  const handle = api.callback();
  const server = createServer(
    { requireHostHeader: false },
    (request, response) => void handle(request, response),
  );
  answerClientErrors(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.teardown(() => {
    server.closeAllConnections();
    server.close();
  });
  return (server.address() as AddressInfo).port;
};

/** `overrides` replaces single services. The server ends with the test. */
export const fakeGateway = async (
  t: ExecutionContext,
  overrides: Partial<ApiServices> = {},
): Promise<FakeGateway> => {
  const database = await testDatabase(t);
  const { workspaceId, adminToken } = await addWorkspace(database);
  const number = await addNumber({ database, workspaceId });
  const asked: [string, unknown][] = [];
  const logged: Record<string, unknown>[] = [];
  const logger = pino({ level: 'debug', base: null }, { write: (line) => logged.push(JSON.parse(line)) });
  /** What the API itself asks. */
  const asking = overrides.database ?? database;
  const note = (name: string, given: unknown): void => void asked.push([name, given]);
  const api = createApi({
    database,
    sealing,
    logger,
    clock: systemClock,
    country: 'KR',
    limits: testLimits,
    countWithOthers: () => () => Promise.resolve(null),
    clientAddress: createClientAddress([]),
    readBrowser: createReadBrowser([]),
    platform: {
      ...platformPolicyOf(readConfig({}, false)),
      maxCallsInProgress: platformMaxCallsInProgress,
      dailyMinutes: null,
    },
    authenticateNumber: createNumberAuthentication({
      database: asking,
      sealing,
      knownKeys: { find: () => undefined, note: () => {} },
      patienceMs: 1_000,
      clock: systemClock,
    }),
    repeatedRequests: createRepeatedRequests(asking, sealing),
    storedCalls: createStoredCalls(asking),
    isPassing: isTransient,
    approach: () => ({ leave: () => {} }),
    node: 'test',
    ...fakeCalls(database, workspaceId, note),
    recordings: { open: async () => undefined },
    sipTrace: { days: 7, isSimulated: false },
    watchFacts: () => () => {},
    watchCall: () => () => {},
    isHeldHere: () => false,
    charts: async (name) => `<svg id="${name}"/>`,
    chartDefinitions: (name) => JSON.stringify({ id: name }),
    streams: createStreamPermits({ perKey: 20, clock: systemClock }),
    simulator: null,
    trunkHostProblem: async (host) =>
      host === '169.254.169.254' ? 'This gateway sends no SIP there.' : undefined,
    urlProblem: async (url) => (url.startsWith('https://') ? undefined : 'The URL must begin with https://.'),
    ...fakeTrials(note),
    ...fakeSpeech(note),
    webhookTests: { send: async () => ({ httpStatus: 200, error: null, durationMs: 12, advice: null }) },
    health: {
      isDraining: () => false,
      dataFolderProblem: () => Promise.resolve(undefined),
      whyLinesAreDown: () => undefined,
      whatIsDown: () => undefined,
    },
    metrics: new Registry(),
    inspects: true,
    onAnswered: () => {},
    version: '0.0.0',
    ...overrides,
  });
  const port = await serve(t, api);
  const baseUrl = `http://127.0.0.1:${port}`;
  return {
    client: apiClient(baseUrl, number.key),
    admin: apiClient(baseUrl, adminToken),
    adminToken,
    baseUrl,
    port,
    database,
    workspaceId,
    number,
    asked,
    logged,
  };
};
