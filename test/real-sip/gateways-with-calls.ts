/** Gateways with calls on real servers, as processes of their own that share a database and a SIP relay. */
import { setTimeout as delay } from 'node:timers/promises';
import type { ExecutionContext } from 'ava';
import { pino } from 'pino';
import { z } from 'zod';
import { leaseSec, shortestParkSec } from '#config/cluster-policy.ts';
import { relayNumbers } from '#config/line-policy.ts';
import { createRelay } from '#sip/relay/relay.ts';
import { systemClock } from '#src/clocks.ts';
import { apiClient, type ApiClient } from '#test/helpers/api-client.ts';
import { testDatabaseUrl } from '#test/helpers/database.ts';
import { testSettings } from '#test/helpers/test-settings.ts';
import { credentialsIn, emptyFolder, runGateway, type GatewayProcess } from '#test/start/gateway-process.ts';
import { isMachineBusy } from './busy-machine.ts';
import { startEars } from './ears.ts';
import { until } from './real-lines.ts';
import type { SipServers } from './sip-servers.ts';
import { startUdpEnd, type UdpEnd } from './udp-end.ts';

export const personNumber = '01000000011';
/** Number of a telephone that only rings. */
export const ringingNumber = '01099992000';

/** `begunAt`: when its process began to start, in milliseconds since the epoch. */
export type Running = GatewayProcess & { client: ApiClient; folder: string; begunAt: number };

/** Logged by a gateway when it takes over the calls of another one that it has found dead. */
export const takesOver = 'this gateway takes over its calls';

/**
 * Time within which each call of a lost gateway continues or has ended, in milliseconds: ten seconds after the lapse of
 * its lease; on a busy machine, before FreeSWITCH hangs up what is left.
 */
export const longestLossMs = (): number => 1_000 * (isMachineBusy() ? shortestParkSec : leaseSec + 10);

export type Media = 'freeswitch' | 'direct';

/** The server to which gateways connect for SIP. */
export type Signalling = 'relay' | 'drachtio-server';

/** The step that began last. Several starts or several groups of calls at the same time would make two processors busy. */
let lastStep: Promise<unknown> = Promise.resolve();

/** Runs this step after all that began before it. */
const inTurn = <Result>(step: () => Promise<Result>): Promise<Result> => {
  const own = lastStep.then(step);
  lastStep = own.catch(() => undefined);
  return own;
};

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
  const start = async (
    node: string,
    folder: string | undefined,
    settings: Record<string, string>,
  ): Promise<Running> => {
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
  };
  return {
    relay,
    relayPort,
    databaseUrl,
    /** `settings` replace those of the others. Gateways of a test file start one after the other. */
    start: (node: string, folder?: string, settings: Record<string, string> = {}): Promise<Running> =>
      inTurn(() => start(node, folder, settings)),
  };
};

/** Calls of a gateway, one of which only rings. */
export type PlacedCalls = { answered: string[]; ringing: string };

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
  const placeOne = async ({ client }: Running, to: string): Promise<string> => {
    const { body } = await client.post('/api/v1/calls', { to, instruction: 'x' });
    return z.object({ call_id: z.uuid() }).parse(body).call_id;
  };
  /** Places calls to the numbers from `first` on. Resolves when they are answered. */
  const place = (gateway: Running, count: number, first = 0): Promise<string[]> =>
    inTurn(async () => {
      const calls: string[] = [];
      const acknowledged = end.count('ACK');
      for (let call = first; call < first + count; call += 1)
        calls.push(await placeOne(gateway, answeringNumber(call)));
      await until(() => end.count('ACK') >= acknowledged + count);
      return calls;
    });
  return {
    ...(await startGateways(t, servers, media, end.port, signalling)),
    end,
    ears,
    place,
    /**
     * Places calls of a gateway that is lost then, and one that only rings. Resolves when `other` could take over the
     * answered ones.
     */
    async placeBeforeLoss(gateway: Running, other: Running, count: number): Promise<PlacedCalls> {
      const sent = countFromNow(end);
      const answered = await place(gateway, count);
      const ringing = await placeOne(gateway, ringingNumber);
      await until(() => sent('INVITE') === count + 1);
      await untilAllAreAnswered(other, answered);
      // Far ends and progress are stored by then.
      await delay(1_000);
      return { answered, ringing };
    },
    /** Checks that each call, also the one that rang, ends once, by one BYE if it was answered. */
    async endAfterLoss(
      t: ExecutionContext,
      holder: Running,
      { answered, ringing }: PlacedCalls,
    ): Promise<void> {
      const sent = countFromNow(end);
      await hangUpAll(holder, answered);
      await until(() => sent('BYE') === answered.length);
      for (const callId of [...answered, ringing]) {
        await until(async () => (await typesOf(holder, callId)).includes('call.ended'));
        t.is((await typesOf(holder, callId)).filter((type) => type === 'call.ended').length, 1);
      }
    },
    /** Checks that a gateway that has returned carries calls again. */
    async carriesCalls(t: ExecutionContext, returned: Running): Promise<void> {
      const sent = countFromNow(end);
      const [callId = ''] = await place(returned, 1);
      await untilAllAreAnswered(returned, [callId]);
      await hangUpAll(returned, [callId]);
      await until(async () => (await typesOf(returned, callId)).includes('call.ended'));
      const { body } = await returned.client.get(`/api/v1/calls/${callId}`);
      t.is(body['status'], 'completed');
      t.is(sent('BYE'), 1);
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

/**
 * Remembers the present output of a gateway. The result resolves when the gateway has printed a text since then; a
 * frozen process and a lapse of its lease take their time.
 */
export const printedFromNow = ({ stdout }: Running): ((text: string) => Promise<void>) => {
  const from = stdout().length;
  return (text) => until(() => stdout().includes(text, from), 60_000);
};

/** Warnings and errors that the gateway logged. */
const warningsOf = ({ stdout }: Running): string =>
  stdout()
    .split('\n')
    .filter((line) => /"level":[45]0/.test(line))
    .join('\n');

/** Counts the requests that a far end receives from now on, by method. */
export const countFromNow = ({ heard }: UdpEnd): ((method: string) => number) => {
  const from = heard.length;
  return (method) => heard.slice(from).filter((request) => request.method === method).length;
};

/** Resolves when the answer of each call is stored: before that, a call ends with its gateway. */
export const untilAllAreAnswered = (gateway: Running, calls: readonly string[]): Promise<void> =>
  until(async () => {
    const stored = await Promise.all(calls.map((callId) => typesOf(gateway, callId)));
    return stored.every((types) => types.includes('call.answered'));
  });

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
