/**
 * The API on a real HTTP server and a real database, with a gateway that only records requests. Each test has a
 * workspace, an admin token, a number and a number key of its own.
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
import { createReadBrowser } from '#src/api/http/browser.ts';
import { createClientAddress } from '#src/api/http/client-address.ts';
import { answerClientErrors } from '#src/api/http/client-errors.ts';
import { newAdminToken, newNumberKey } from '#src/administration/new-key.ts';
import { createDirectory } from '#src/administration/directory.ts';
import type {
  CallServices,
  DirectoryServices,
  EventServices,
  OperationServices,
  RequestLimits,
} from '#src/api/api-services.ts';
import { createEndpoints } from '#src/events/endpoints.ts';
import { createStreamPermits } from '#src/api/http/stream-permits.ts';
import { createNumberAuthentication } from '#src/calls/live/number-authentication.ts';
import { createRepeatedRequests } from '#src/calls/setup/repeated-requests.ts';
import { createFleetHistory } from '#src/calls/fleet-history.ts';
import { transitionTallies } from '#src/persistence/calls/transition-tallies.ts';
import { createStoredCalls } from '#src/calls/stored-calls.ts';
import { systemClock } from '#src/clocks.ts';
import { createAdminToken, fingerprintOf } from '#src/persistence/workspaces/admin-tokens.ts';
import { isTransient } from '#src/persistence/database/connection-errors.ts';
import type { Database } from '#src/persistence/database/database.ts';
import { putNumberKey } from '#src/persistence/numbers/number-keys.ts';
import { createNumber } from '#src/persistence/numbers/numbers.ts';
import { createSealing, type Sealing } from '#src/persistence/database/sealing.ts';
import { createWorkspace } from '#src/persistence/workspaces/workspaces.ts';
import { platformPolicyOf } from '#src/start/platform-policy.ts';
import { apiClient, type ApiClient } from '#test/helpers/api-client.ts';
import { testDatabase } from '#test/helpers/database.ts';
import { fakeCalls, fakeSpeech, fakeTrials } from './fake-services.ts';

export const sealing = createSealing(Buffer.alloc(32, 1));

export type FakeGateway = {
  /** Client with the number key. */
  client: ApiClient;
  /** Client with the admin token. */
  admin: ApiClient;
  adminToken: string;
  baseUrl: string;
  port: number;
  database: Database;
  workspaceId: string;
  number: { id: string; number: string; key: string };
  /** Requests to the gateway: function names and arguments. */
  asked: [string, unknown][];
  /** Every logged line, parsed. */
  logged: Record<string, unknown>[];
};

/** No limits on requests. */
export const testLimits: RequestLimits = {
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
  readinessMs: 60_000,
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
  const server = createServer({ requireHostHeader: false }, api);
  answerClientErrors(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.teardown(() => {
    server.closeAllConnections();
    server.close();
  });
  return (server.address() as AddressInfo).port;
};

/** The services of the API without their grouping, and dependencies of some of them. */
export type FakeServices = CallServices &
  DirectoryServices &
  EventServices &
  OperationServices & { database: Database; sealing: Sealing };

/** `overrides` replaces single services. The server ends with the test. */
export const fakeGateway = async (
  t: ExecutionContext,
  overrides: Partial<FakeServices> = {},
): Promise<FakeGateway> => {
  const database = await testDatabase(t);
  const { workspaceId, adminToken } = await addWorkspace(database);
  const number = await addNumber({ database, workspaceId });
  const asked: [string, unknown][] = [];
  const logged: Record<string, unknown>[] = [];
  const logger = pino({ level: 'debug', base: null }, { write: (line) => logged.push(JSON.parse(line)) });
  const { database: asking = database, sealing: sealer = sealing, clock = systemClock } = overrides;
  const urlProblem: FakeServices['urlProblem'] = async (url) =>
    url.startsWith('https://') ? undefined : 'The URL must begin with https://.';
  const note = (name: string, given: unknown): void => void asked.push([name, given]);
  const all: FakeServices = {
    ...createDirectory({ database: asking, sealing: sealer, clock, logger }),
    endpoints: createEndpoints({ db: asking, sealing: sealer, clock, urlProblem }),
    database: asking,
    sealing: sealer,
    logger,
    clock,
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
      sealing: sealer,
      knownKeys: { find: () => undefined, note: () => {} },
      patienceMs: 1_000,
      clock: systemClock,
    }),
    repeatedRequests: createRepeatedRequests(asking, sealer),
    storedCalls: createStoredCalls(asking),
    isPassing: isTransient,
    approach: () => ({ leave: () => {} }),
    refusal: () => null,
    node: 'test',
    ...fakeCalls(database, workspaceId, note),
    recordings: { open: async () => undefined },
    sipTrace: { days: 7, isSimulated: false },
    watchFacts: () => () => {},
    watchCall: () => () => {},
    watchFleet: () => () => {},
    fleetHistory: createFleetHistory({
      read: (wanted) => transitionTallies(asking, wanted),
      numbers: { mostCalls: 100, restFactor: 0, forgetMs: 600_000 },
      clock,
      steadyClock: clock,
    }),
    isHeldHere: () => false,
    charts: async (name) => `<svg id="${name}"/>`,
    chartDefinitions: (name) => JSON.stringify({ id: name }),
    streams: createStreamPermits({ perKey: 20, clock: systemClock }),
    simulator: null,
    rehearsals: {
      start: () => Promise.reject(new Error('No rehearsal starts here')),
      list: () => Promise.resolve([]),
      find: () => Promise.resolve(undefined),
      cancel: () => Promise.resolve(false),
    },
    trunkHostProblem: async (host) =>
      host === '169.254.169.254' ? 'This gateway sends no SIP there.' : undefined,
    urlProblem,
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
    load: () => ({ utilization: 0.25, memory: 0.5, delayMs: 3 }),
    ...overrides,
  };
  const api = createApi({ calls: all, directory: all, events: all, operation: all });
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
