/** Gateways that share a database, as processes of their own, and their calls. */
import type { ExecutionContext } from 'ava';
import { z } from 'zod';
import { apiClient, type ApiClient } from '#test/helpers/api-client.ts';
import { runStatement } from '#test/helpers/database-statement.ts';
import { testDatabaseUrl } from '#test/helpers/database.ts';
import { openEventStream, type EventStreamReader } from '#test/helpers/event-stream.ts';
import { fileScope, type Scope } from '#test/helpers/file-scope.ts';
import { testSettings } from '#test/helpers/test-settings.ts';
import { until } from '#test/helpers/until.ts';
import { readOggVorbis } from '#test/recordings/ogg-vorbis.ts';
import {
  credentialsIn,
  emptyFolder,
  lastOutput,
  runGateway,
  type GatewayProcess,
} from '#test/start/gateway-process.ts';

export const silent = '01000000006';
export const neverAnswers = '01000000002';

export type Running = GatewayProcess & {
  url: string;
  adminToken: string;
  client: ApiClient;
  admin: ApiClient;
  /** Opens the stream of a call's events; it ends with the scope of the gateway. */
  watch(callId: string): Promise<EventStreamReader>;
};

export const oneDatabase = async (t: ExecutionContext | Scope) => {
  const running: GatewayProcess[] = [];
  const databaseUrl = await testDatabaseUrl(t);
  let numberKey: string | undefined;
  return {
    databaseUrl,
    /** All started gateways. */
    running,
    async start(node: string, settings: Record<string, string> = {}): Promise<Running> {
      const folder = await emptyFolder(t);
      const all = {
        ...testSettings(databaseUrl, folder),
        GW_NODE: node,
        GW_SIMULATOR_SPEED: '1',
        ...settings,
      };
      const gateway = runGateway(t, all);
      running.push(gateway);
      await gateway.printed('the gateway is ready');
      const { base_url, number_id, number_key, admin_token } = await credentialsIn(folder);
      numberKey ??= number_key;
      const client = apiClient(base_url, numberKey);
      const admin = client.as(admin_token);
      // Calls to a silent callee last as long as a test may take.
      await admin.patch(`/api/v1/admin/numbers/${number_id}`, { silence_timeout_sec: 600 });
      const watch = async (callId: string): Promise<EventStreamReader> => {
        const stream = await openEventStream(`${base_url}/api/v1/calls/${callId}/events`, numberKey ?? '');
        t.teardown(stream.close);
        return stream;
      };
      return { ...gateway, url: base_url, adminToken: admin_token, client, admin, watch };
    },
    rows: (sql: string): Promise<unknown[]> => runStatement(databaseUrl, sql),
  };
};

type OneDatabase = Awaited<ReturnType<typeof oneDatabase>>;

/**
 * Module-level, called once per test file: gateways that the tests of the file share, because each process costs two
 * seconds. The first test that asks for them starts them.
 */
export const sharedGateways = <World>(
  arrange: (database: OneDatabase, scope: Scope) => Promise<World>,
): ((t: ExecutionContext) => Promise<World>) => {
  const scope = fileScope();
  let database: OneDatabase | undefined;
  let arranging: Promise<World> | undefined;
  const begin = async (): Promise<World> => {
    database = await oneDatabase(scope);
    return arrange(database, scope);
  };
  return (t) => {
    t.teardown(() => {
      if (!t.passed) for (const gateway of database?.running ?? []) t.log(lastOutput(gateway));
    });
    return (arranging ??= begin());
  };
};

export const place = async (
  { client }: Running,
  to: string,
  instruction: string | null = null,
): Promise<string> => {
  const { body } = await client.post('/api/v1/calls', { to, instruction });
  return z.object({ call_id: z.uuid() }).parse(body).call_id;
};

export const statusOf = async ({ client }: Running, callId: string): Promise<unknown> =>
  (await client.get(`/api/v1/calls/${callId}`)).body['status'];

export const untilStatus = (gateway: Running, callId: string, ...statuses: string[]): Promise<unknown> =>
  until(`the call is ${statuses.join(' or ')}`, async () => {
    const status = await statusOf(gateway, callId);
    return statuses.includes(z.string().parse(status)) ? status : undefined;
  });

const transcriptOf = z.object({
  transcript: z.array(z.object({ text: z.string(), t_offset_sec: z.number() })),
});

const recordedCall = z.object({
  duration_sec: z.number(),
  recording: z.object({ status: z.literal('completed'), truncated: z.boolean(), duration_sec: z.number() }),
});

/**
 * The recording of a call that has ended, its excess over the duration of the call in seconds, and the texts of turns at
 * whose time it is silent.
 */
export const recordingOf = async ({ client }: Running, callId: string) => {
  const { duration_sec: lastedSec, recording } = await until('the recording is completed', async () => {
    const { body } = await client.get(`/api/v1/calls/${callId}`);
    return recordedCall.safeParse(body).data;
  });
  const { blocks } = readOggVorbis((await client.get(`/api/v1/calls/${callId}/recording`)).bytes);
  const { transcript } = transcriptOf.parse((await client.get(`/api/v1/calls/${callId}/transcript`)).body);
  const isSilentFrom = (from: number): boolean =>
    blocks.every(({ at, left, right }) => at < from || at > from + 1 || !(left || right === true));
  return {
    truncated: recording.truncated,
    longerBySec: recording.duration_sec - lastedSec,
    turns: transcript.length,
    silentTurns: transcript.filter(({ t_offset_sec: from }) => isSilentFrom(from)).map(({ text }) => text),
  };
};

export const untilTakenOver = (gateway: Running, callId: string): Promise<unknown> =>
  until('the call is taken over', async () => {
    const { body } = await gateway.client.get(`/api/v1/calls/${callId}/events`);
    const events = z.array(z.object({ type: z.string() })).parse(body['events']);
    return events.some(({ type }) => type === 'call.taken_over') ? true : undefined;
  });

/** Binds another agent to the number's outbound calls, with a token; resolves to the response status. */
export const bindAgent = async ({ admin }: Running, binding: object): Promise<number> => {
  const { body } = await admin.get('/api/v1/admin/numbers');
  const [number] = z.array(z.object({ id: z.string() })).parse(body['numbers']);
  const path = `/api/v1/admin/numbers/${number?.id}/agents/outbound`;
  return (await admin.put(path, { ...binding, token: 'agent-token' })).status;
};
