/** Gateways with calls on real servers, as processes of their own that share a database and a SIP relay. */
import { setTimeout as delay } from 'node:timers/promises';
import type { ExecutionContext } from 'ava';
import { pino } from 'pino';
import { z } from 'zod';
import { relayNumbers } from '#config/line-policy.ts';
import { createRelay } from '#sip/relay/relay.ts';
import { systemClock } from '#src/clocks.ts';
import { apiClient, type ApiClient } from '#test/helpers/api-client.ts';
import { testDatabaseUrl } from '#test/helpers/database.ts';
import { testSettings } from '#test/helpers/test-settings.ts';
import { credentialsIn, emptyFolder, runGateway, type GatewayProcess } from '#test/start/gateway-process.ts';
import { startEars } from './ears.ts';
import { until } from './real-lines.ts';
import type { SipServers } from './sip-servers.ts';
import { startUdpEnd } from './udp-end.ts';

export const personNumber = '01000000011';
/** Number of a telephone that only rings. */
export const ringingNumber = '01099992000';

/** `begunAt`: when its process began to start, in milliseconds since the epoch. */
export type Running = GatewayProcess & { client: ApiClient; folder: string; begunAt: number };

export type Media = 'freeswitch' | 'direct';

/** The server to which gateways connect for SIP. */
export type Signalling = 'relay' | 'drachtio-server';

/** Gateways of one database and one relay, unless they connect to drachtio-server, whose trunk is at this port. */
export const startGateways = async (
  t: ExecutionContext,
  { drachtio, freeSwitch }: Pick<SipServers, 'drachtio' | 'freeSwitch'>,
  media: Media,
  trunkPort: number,
  signalling: Signalling = 'relay',
) => {
  const databaseUrl = await testDatabaseUrl(t);
  const relay = createRelay({
    listen: { host: '127.0.0.1', port: 0 },
    drachtio,
    numbers: relayNumbers,
    clock: systemClock,
    logger: pino({ level: 'silent' }),
  });
  t.teardown(() => relay.close());
  const relayPort = await relay.start();
  let key: string | undefined;
  return {
    relay,
    relayPort,
    databaseUrl,
    /** `settings` replace those of the others. */
    async start(node: string, folder?: string, settings: Record<string, string> = {}): Promise<Running> {
      const own = folder ?? (await emptyFolder(t));
      const begunAt = Date.now();
      const gateway = runGateway(t, {
        ...testSettings(databaseUrl, own),
        GW_NODE: node,
        GW_LINES: 'drachtio',
        GW_DRACHTIO_SECRET: drachtio.secret,
        ...(signalling === 'relay'
          ? { GW_RELAY: `127.0.0.1:${relayPort}` }
          : { GW_RELAY: 'none', GW_DRACHTIO: `${drachtio.host}:${drachtio.port}` }),
        GW_FREESWITCH: `${freeSwitch.host}:${freeSwitch.port}`,
        GW_FREESWITCH_SECRET: freeSwitch.secret,
        GW_TRUNK: `127.0.0.1:${trunkPort}`,
        GW_TRUNK_MEDIA: media,
        // The far end sends no audio.
        GW_RTP_TIMEOUT_SEC: '0',
        GW_DRAIN_SEC: '30',
        GW_RATE_LIMIT: '0',
        ...settings,
      });
      await gateway.printed('the gateway is ready');
      const credentials = await credentialsIn(own);
      key ??= credentials.number_key;
      const client = apiClient(credentials.base_url, key);
      await client.as(credentials.admin_token).patch(`/api/v1/admin/numbers/${credentials.number_id}`, {
        silence_timeout_sec: 600,
        transfer_to: [personNumber],
      });
      await until(async () => (await client.get('/readyz')).status === 200);
      return { ...gateway, client, folder: own, begunAt };
    },
  };
};

/** A number that answers; each has an ear of its own. */
const answeringNumber = (index: number): string => `0109999${1000 + index}`;

/** Gateways, the far end of their calls, and receivers for its audio. */
export const startWorld = async (
  t: ExecutionContext,
  servers: Pick<SipServers, 'drachtio' | 'freeSwitch'>,
  media: Media,
  signalling: Signalling = 'relay',
) => {
  const ears = await startEars(t, 20);
  const earOf = new Map(ears.ports.map((port, index) => [answeringNumber(index), port]));
  const end = await startUdpEnd({ ear: (user) => earOf.get(user) ?? 0, ringing: [ringingNumber] });
  t.teardown(end.close);
  return {
    ...(await startGateways(t, servers, media, end.port, signalling)),
    end,
    ears,
    /** Places calls to the numbers from `first` on. */
    async place({ client }: Running, count: number, first = 0): Promise<string[]> {
      const calls: string[] = [];
      const acknowledged = end.count('ACK');
      for (let call = first; call < first + count; call += 1) {
        const { body } = await client.post('/api/v1/calls', {
          to: answeringNumber(call),
          instruction: 'x',
        });
        calls.push(z.object({ call_id: z.uuid() }).parse(body).call_id);
      }
      await until(() => end.count('ACK') >= acknowledged + count);
      return calls;
    },
  };
};

/** The types of the facts of a call. */
export const typesOf = async ({ client }: Running, callId: string): Promise<string[]> => {
  const { status, body } = await client.get(`/api/v1/calls/${callId}/events`);
  if (status !== 200) throw new Error(`${status} ${JSON.stringify(body)}`);
  return z
    .array(z.object({ type: z.string() }))
    .parse(body['events'])
    .map(({ type }) => type);
};

/** Warnings and errors that the gateway logged. */
const warningsOf = ({ stdout }: Running): string =>
  stdout()
    .split('\n')
    .filter((line) => /"level":[45]0/.test(line))
    .join('\n');

/** Resolves when each call was taken over this often. */
export const untilAllGoOn = async (
  gateway: Running,
  calls: readonly string[],
  times = 1,
  atMostMs = 30_000,
): Promise<void> => {
  const goOn = async (): Promise<boolean> => {
    await delay(100);
    const told = await Promise.all(calls.map((callId) => typesOf(gateway, callId)));
    return told.every((types) => types.filter((type) => type === 'call.taken_over').length === times);
  };
  try {
    await until(goOn, atMostMs);
  } catch (cause) {
    throw new Error(`Not all calls go on: ${warningsOf(gateway)}`, { cause });
  }
};

export const hangUpAll = async ({ client }: Running, calls: readonly string[]): Promise<void> => {
  for (const callId of calls) {
    const { status, body } = await client.post(`/api/v1/calls/${callId}/hangup`, { immediate: true });
    if (status !== 202) throw new Error(`${status} ${JSON.stringify(body)}`);
  }
};
