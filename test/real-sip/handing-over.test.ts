/** Gateways with calls on real servers are asked to end: each call goes on at another one, or in the next process. */
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import test, { type ExecutionContext } from 'ava';
import { pino } from 'pino';
import { z } from 'zod';
import { relayNumbers } from '#config/line-policy.ts';
import { createRelay } from '#sip/relay/relay.ts';
import { systemClock } from '#src/clocks.ts';
import { apiClient, type ApiClient } from '#test/helpers/api-client.ts';
import { testDatabaseUrl } from '#test/helpers/database.ts';
import { testSettings } from '#test/helpers/gateway.ts';
import { credentialsIn, emptyFolder, runGateway, type GatewayProcess } from '#test/start/gateway-process.ts';
import { until } from './real-lines.ts';
import { realTimeTest } from './real-time-test.ts';
import { missingPrograms, startServers, type SipServers } from './sip-servers.ts';
import { startUdpEnd } from './udp-end.ts';

const missing = missingPrograms();
if (missing.length > 0) {
  test.skip(`handing over: NOT RUN, ${missing.join(', ')} not installed`, (t) => t.pass());
} else {
  let servers: SipServers;
  test.beforeEach(async () => {
    servers = await startServers();
  });
  test.afterEach.always(() => servers.close());

  /** The sound of all calls arrives here. */
  const startEar = async (t: ExecutionContext) => {
    const socket = createSocket('udp4').bind(0, '127.0.0.1');
    t.teardown(() => socket.close());
    await once(socket, 'listening');
    const arrivals = new Map<number, number[]>();
    socket.on('message', (packet, { port }) => {
      if ((packet[1] ?? 0) >= 200) return;
      const of = arrivals.get(port) ?? [];
      arrivals.set(port, of);
      of.push(performance.now());
    });
    return {
      port: socket.address().port,
      forget: () => arrivals.clear(),
      /** The longest silences of the calls, in milliseconds. */
      gaps: (): number[] =>
        [...arrivals.values()]
          .map((times) => Math.max(0, ...times.slice(1).map((at, index) => at - (times[index] ?? at))))
          .map(Math.round)
          .toSorted((one, other) => other - one),
    };
  };

  type Running = GatewayProcess & { client: ApiClient; folder: string };

  const startWorld = async (t: ExecutionContext, media: 'freeswitch' | 'direct') => {
    const databaseUrl = await testDatabaseUrl(t);
    const ear = await startEar(t);
    const end = await startUdpEnd({ ear: ear.port });
    t.teardown(end.close);
    const relay = createRelay({
      listen: { host: '127.0.0.1', port: 0 },
      drachtio: servers.drachtio,
      numbers: relayNumbers,
      clock: systemClock,
      logger: pino({ level: 'silent' }),
    });
    t.teardown(() => relay.close());
    const relayPort = await relay.start();
    const { drachtio, freeSwitch } = servers;
    let key: string | undefined;
    return {
      relay,
      end,
      ear,
      async start(node: string, folder?: string): Promise<Running> {
        const own = folder ?? (await emptyFolder(t));
        const gateway = runGateway(t, {
          ...testSettings(databaseUrl, own),
          GW_NODE: node,
          GW_LINES: 'drachtio',
          GW_DRACHTIO_SECRET: drachtio.secret,
          GW_RELAY: `127.0.0.1:${relayPort}`,
          GW_FREESWITCH: `${freeSwitch.host}:${freeSwitch.port}`,
          GW_FREESWITCH_SECRET: freeSwitch.secret,
          GW_TRUNK: `127.0.0.1:${end.port}`,
          GW_TRUNK_MEDIA: media,
          // The far end sends no audio.
          GW_RTP_TIMEOUT_SEC: '0',
          GW_DRAIN_SEC: '30',
          GW_RATE_LIMIT: '0',
        });
        await gateway.printed('the gateway is ready');
        const credentials = await credentialsIn(own);
        key ??= credentials.number_key;
        const client = apiClient(credentials.base_url, key);
        await client
          .as(credentials.admin_token)
          .patch(`/api/v1/admin/numbers/${credentials.number_id}`, { silence_timeout_sec: 600 });
        await until(async () => (await client.get('/readyz')).status === 200);
        return { ...gateway, client, folder: own };
      },
      async place({ client }: Running, count: number): Promise<string[]> {
        const calls: string[] = [];
        for (let call = 0; call < count; call += 1) {
          const { body } = await client.post('/api/v1/calls', {
            to: `0109999${1000 + call}`,
            instruction: 'x',
          });
          calls.push(z.object({ call_id: z.uuid() }).parse(body).call_id);
        }
        await until(() => end.count('ACK') >= count);
        return calls;
      },
    };
  };

  const typesOf = async ({ client }: Running, callId: string): Promise<string[]> => {
    const { status, body } = await client.get(`/api/v1/calls/${callId}/events`);
    if (status !== 200) throw new Error(`${status} ${JSON.stringify(body)}`);
    return z
      .array(z.object({ type: z.string() }))
      .parse(body['events'])
      .map(({ type }) => type);
  };

  /** What it has warned of. */
  const warningsOf = ({ stdout }: Running): string =>
    stdout()
      .split('\n')
      .filter((line) => /"level":[45]0/.test(line))
      .join('\n');

  const untilAllGoOn = async (gateway: Running, calls: readonly string[], times = 1): Promise<void> => {
    const goOn = async (): Promise<boolean> => {
      await delay(100);
      const told = await Promise.all(calls.map((callId) => typesOf(gateway, callId)));
      return told.every((types) => types.filter((type) => type === 'call.taken_over').length === times);
    };
    try {
      await until(goOn);
    } catch (cause) {
      throw new Error(`Not all calls go on: ${warningsOf(gateway)}`, { cause });
    }
  };

  const hangUpAll = async ({ client }: Running, calls: readonly string[]): Promise<void> => {
    for (const callId of calls) {
      const { status, body } = await client.post(`/api/v1/calls/${callId}/hangup`, { immediate: true });
      if (status !== 202) throw new Error(`${status} ${JSON.stringify(body)}`);
    }
  };

  for (const media of ['freeswitch', 'direct'] as const) {
    realTimeTest(`${media}: a rolling restart of two gateways loses no call`, async (t) => {
      const world = await startWorld(t, media);
      const one = await world.start('one');
      const two = await world.start('two');
      const calls = await world.place(one, 10);
      world.ear.forget();
      one.signal('SIGTERM');
      t.is((await one.ended).code, 0);
      await untilAllGoOn(two, calls);
      t.is(world.end.count('BYE'), 0);
      const again = await world.start('one', one.folder);
      two.signal('SIGTERM');
      t.is((await two.ended).code, 0);
      await untilAllGoOn(again, calls, 2);
      t.log('longest silences', world.ear.gaps().slice(0, 5));
      t.is(world.end.count('BYE'), 0);
      if (media === 'freeswitch') t.is(world.end.count('INVITE'), calls.length);
      await hangUpAll(again, calls);
      await until(() => world.end.count('BYE') === calls.length);
    });

    realTimeTest(`${media}: a gateway alone leaves its calls to its next process`, async (t) => {
      const world = await startWorld(t, media);
      const one = await world.start('one');
      const calls = await world.place(one, 5);
      one.signal('SIGTERM');
      t.is((await one.ended).code, 0);
      t.is(world.end.count('BYE'), 0);
      const next = await world.start('one', one.folder);
      await untilAllGoOn(next, calls);
      await hangUpAll(next, calls);
      await until(() => world.end.count('BYE') === calls.length);
    });
  }

  realTimeTest('calls that no gateway comes for are hung up by the relay', async (t) => {
    const world = await startWorld(t, 'freeswitch');
    const one = await world.start('one');
    await world.place(one, 2);
    one.signal('SIGTERM');
    await one.ended;
    t.is(world.end.count('BYE'), 0);
    await until(() => world.end.count('BYE') === 2, relayNumbers.held.longestMs + 30_000);
  });
}
