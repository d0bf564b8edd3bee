/** Gateways with calls on real servers are stopped: each call continues at another one, or in the next process. */
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { glob, readFile } from 'node:fs/promises';
import { loadavg } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import test, { type ExecutionContext } from 'ava';
import { pino } from 'pino';
import { z } from 'zod';
import { relayNumbers } from '#config/line-policy.ts';
import { leaseSec, shortestParkSec } from '#config/cluster-policy.ts';
import { mediaServers as mediaPool } from '#config/policy.ts';
import { createRelay } from '#sip/relay/relay.ts';
import { systemClock } from '#src/clocks.ts';
import { createFarEnd, type FarCall } from '#test/doubles/far-end.ts';
import { describeSound } from '#test/doubles/session-description.ts';
import { apiClient, type ApiClient } from '#test/helpers/api-client.ts';
import { testDatabaseUrl } from '#test/helpers/database.ts';
import { testSettings } from '#test/helpers/gateway.ts';
import { credentialsIn, emptyFolder, runGateway, type GatewayProcess } from '#test/start/gateway-process.ts';
import { decodeRecording } from './decode-recording.ts';
import { audible, startEarAndMouth, type HeardPacket } from './ear-and-mouth.ts';
import { ownPort } from './ports.ts';
import { until } from './real-lines.ts';
import { realTimeTest } from './real-time-test.ts';
import { missingPrograms, startServers, type SipServers } from './sip-servers.ts';
import { startUdpEnd } from './udp-end.ts';
import { createUdpNetwork } from './udp-network.ts';

const personNumber = '01000000011';
/** Number of a telephone that only rings. */
const ringingNumber = '01099992000';

/** A tone that lasts longer than a test. */
const tone = Int16Array.from(
  { length: 8_000 * 90 },
  (_, index) => 6_000 * Math.sin((2 * Math.PI * 1_000 * index) / 8_000),
);

const missing = missingPrograms();
if (missing.length > 0) {
  test.skip(`hand-over: NOT RUN, ${missing.join(', ')} not installed`, (t) => t.pass());
} else {
  let servers: SipServers;
  test.beforeEach(async () => {
    servers = await startServers();
  });
  test.afterEach.always(() => servers.close());

  /** Starts a receiver for the audio of all calls. */
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
      /** The longest silence of a single call, whichever port its audio comes from. */
      silence(): number {
        const times = [...arrivals.values()].flat().toSorted((one, other) => one - other);
        return Math.round(Math.max(0, ...times.slice(1).map((at, index) => at - (times[index] ?? at))));
      },
    };
  };

  type Running = GatewayProcess & { client: ApiClient; folder: string };

  type Media = 'freeswitch' | 'direct';

  /** Gateways of one database and one relay, whose trunk is at this port. */
  const startGateways = async (t: ExecutionContext, media: Media, trunkPort: number) => {
    const databaseUrl = await testDatabaseUrl(t);
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
    const recordings = await emptyFolder(t);
    let key: string | undefined;
    return {
      relay,
      recordings,
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
          GW_TRUNK: `127.0.0.1:${trunkPort}`,
          GW_TRUNK_MEDIA: media,
          GW_RECORDINGS_DIR: recordings,
          // The far end sends no audio.
          GW_RTP_TIMEOUT_SEC: '0',
          GW_DRAIN_SEC: '30',
          GW_RATE_LIMIT: '0',
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
        return { ...gateway, client, folder: own };
      },
    };
  };

  const startWorld = async (t: ExecutionContext, media: Media) => {
    const ear = await startEar(t);
    const end = await startUdpEnd({ ear: ear.port, ringing: [ringingNumber] });
    t.teardown(end.close);
    return {
      ...(await startGateways(t, media, end.port)),
      end,
      ear,
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

  /** Its warnings. */
  const warningsOf = ({ stdout }: Running): string =>
    stdout()
      .split('\n')
      .filter((line) => /"level":[45]0/.test(line))
      .join('\n');

  const untilAllGoOn = async (
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

  const hangUpAll = async ({ client }: Running, calls: readonly string[]): Promise<void> => {
    for (const callId of calls) {
      const { status, body } = await client.post(`/api/v1/calls/${callId}/hangup`, { immediate: true });
      if (status !== 202) throw new Error(`${status} ${JSON.stringify(body)}`);
    }
  };

  /** A telephone, and the audio that it received from the other one. */
  const startTalking = async (t: ExecutionContext, call: FarCall) => {
    const sound = await startEarAndMouth();
    t.teardown(sound.close);
    /** Packets that the telephone received before its audio moved. */
    let earlier: readonly HeardPacket[] = [];
    return {
      call,
      /** Accepts the session that the last INVITE offers. */
      async take(): Promise<void> {
        earlier = [...earlier, ...sound.heard()];
        const [, port] = /^m=audio (\d+)/m.exec(call.last('INVITE').body) ?? [];
        call.answers(200, { sdp: describeSound({ port: sound.port }) });
        await sound.callsTo(Number(port));
        void sound.play(tone);
        await call.receives('ACK');
      },
      hears: (): boolean => (sound.lastHeardAt() ?? 0) > Date.now() - 200,
      /** The longest silence since then, in milliseconds. */
      silence(since: number): number {
        const times = [...earlier, ...sound.heard()].flatMap(({ at, loudness }) =>
          loudness > audible && at > since ? [at] : [],
        );
        return Math.max(...[...times, Date.now()].map((at, index) => at - (times[index - 1] ?? since)));
      },
    };
  };

  const untilBothHear = (
    one: Awaited<ReturnType<typeof startTalking>>,
    other: Awaited<ReturnType<typeof startTalking>>,
  ): Promise<void> => until(() => one.hears() && other.hears());

  /** True if both sides of a recording are audible in the half second before its last tenth. */
  const isHeardLast = async (folder: string, callId: string): Promise<boolean[]> => {
    let file = '';
    for await (const name of glob(`*/${callId}*.ogg`, { cwd: folder })) file = name;
    const { sampleRate, channels } = await decodeRecording(await readFile(join(folder, file)));
    return channels.map((samples) => {
      const last = samples.slice(-0.6 * sampleRate, -0.1 * sampleRate);
      return Math.sqrt(last.reduce((sum, one) => sum + one ** 2, 0) / last.length) > audible;
    });
  };

  const talkedOn = z.object({
    end_reason: z.literal('transfer_completed'),
    transfer: z.object({ status: z.literal('connected') }),
    duration_sec: z.number(),
    recording: z.object({
      status: z.literal('completed'),
      truncated: z.literal(false),
      duration_sec: z.number(),
    }),
  });

  for (const media of ['direct', 'freeswitch'] as const)
    for (const { by, leaves } of [
      { by: 'SIGKILL', leaves: 'person' },
      { by: 'SIGTERM', leaves: 'other party' },
    ] as const)
      realTimeTest(
        `${media}: two persons keep talking after ${by}, until the ${leaves} hangs up`,
        async (t) => {
          const network = createUdpNetwork(servers.sipPort);
          t.teardown(network.close);
          const trunk = createFarEnd(network, `127.0.0.1:${await ownPort()}`);
          const world = await startGateways(t, media, Number(trunk.address.split(':')[1]));
          const one = await world.start('one');
          const two = await world.start('two');
          const { body } = await one.client.post('/api/v1/calls', { to: '01099991000', instruction: 'x' });
          const callId = z.uuid().parse(body['call_id']);
          const party = await startTalking(t, await trunk.receives('INVITE'));
          await party.take();
          const asked = async (): Promise<number> =>
            (await one.client.post(`/api/v1/calls/${callId}/transfer`, { to: personNumber })).status;
          await until(async () => (await asked()) === 202);
          const person = await startTalking(t, await trunk.receives('INVITE'));
          await person.take();
          await untilBothHear(party, person);
          await until(async () => (await typesOf(two, callId)).includes('call.transfer_connected'));
          // A recording of less than a page of Ogg is lost with its gateway.
          await delay(4_000);

          const endedAt = Date.now();
          one.signal(by);
          await one.ended;
          if (media === 'direct')
            await Promise.all(
              [party, person].map(async ({ call, take }) => {
                await call.receives('INVITE');
                await take();
              }),
            );
          await untilAllGoOn(two, [callId]);
          await untilBothHear(party, person);
          await delay(2_000);
          t.log(media, by, { partySilence: party.silence(endedAt), personSilence: person.silence(endedAt) });
          t.true(party.hears() && person.hears());

          const [leaver, other] = leaves === 'person' ? [person, party] : [party, person];
          leaver.call.sends('BYE');
          await leaver.call.receives(200);
          await other.call.receives('BYE');
          other.call.answers(200);
          const call = async (): Promise<unknown> => (await two.client.get(`/api/v1/calls/${callId}`)).body;
          await until(async () => talkedOn.safeParse(await call()).success);
          const { duration_sec: lastedSec, recording } = talkedOn.parse(await call());
          t.true(
            Math.abs(recording.duration_sec - lastedSec) < 2,
            `${recording.duration_sec} of ${lastedSec} s`,
          );
          t.deepEqual(await isHeardLast(world.recordings, callId), [true, true], 'both are recorded');
          const types = await typesOf(two, callId);
          t.false(types.includes('call.transfer_failed'));
          t.is(types.filter((type) => type === 'call.ended').length, 1);
          t.deepEqual([...party.call.unread(), ...person.call.unread()], []);
          // Waits until only the pooled channels of the remaining gateway are left.
          await until(
            async () => (await servers.mediaServers[0]?.channels()) === mediaPool.pool.size,
            45_000,
          );
        },
      );

  for (const media of ['freeswitch', 'direct'] as const)
    realTimeTest(`${media}: a call outlives ten kills of the gateway that holds it`, async (t) => {
      const world = await startWorld(t, media);
      let [holder, next] = [await world.start('one'), await world.start('two')];
      const calls = await world.place(holder, 1);
      const silences: number[] = [];
      for (let kills = 1; kills <= 10; kills += 1) {
        await delay(1_000);
        world.ear.forget();
        const names = kills % 2 === 1 ? ['one', 'two'] : ['two', 'one'];
        holder.signal('SIGKILL');
        await untilAllGoOn(next, calls, kills);
        await delay(1_000);
        silences.push(world.ear.silence());
        const again = await world.start(names[0] ?? '', holder.folder);
        [holder, next] = [next, again];
      }
      t.log(media, { silences: silences.toSorted((one, other) => one - other), load: loadavg()[0] });
      t.is(world.end.count('BYE'), 0);
      await hangUpAll(holder, calls);
      await until(() => world.end.count('BYE') === 1);
    });

  for (const media of ['freeswitch', 'direct'] as const) {
    realTimeTest(`${media}: loses no call during a rolling restart of two gateways`, async (t) => {
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

    realTimeTest(`${media}: hands calls of a single gateway to its next process`, async (t) => {
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

  for (const media of ['freeswitch', 'direct'] as const) {
    realTimeTest(
      `${media}: another gateway takes over the calls of a frozen gateway, which sends no SIP afterwards`,
      async (t) => {
        const world = await startWorld(t, media);
        const one = await world.start('one');
        const two = await world.start('two');
        const calls = await world.place(one, 10);
        const { body } = await one.client.post('/api/v1/calls', { to: ringingNumber, instruction: 'x' });
        const ringing = z.uuid().parse(body['call_id']);
        await until(() => world.end.heard.some(({ user }) => user === ringingNumber));
        // Far ends and progress are stored by then.
        await delay(1_000);

        const frozenAt = Date.now();
        one.signal('SIGSTOP');
        await untilAllGoOn(two, calls, 1, 45_000);
        const takenMs = Date.now() - frozenAt;
        await until(() => world.end.count('CANCEL') === 1, 10_000);
        const endedMs = Date.now() - frozenAt;
        t.log(media, { takenMs, endedMs });
        // FreeSWITCH has hung up the channels that nobody claimed.
        await delay(frozenAt + 1_000 * (shortestParkSec + 8) - Date.now());
        t.true(takenMs < 1_000 * (leaseSec + 10), 'before FreeSWITCH hangs up the channels');
        await delay(1_000);
        const sent = world.end.heard.length;

        world.ear.forget();
        one.signal('SIGCONT');
        await one.printed('other gateways declared this one dead');
        await until(async () => (await one.client.get('/readyz')).status === 200);
        await delay(3_000);
        t.deepEqual(
          world.end.heard.slice(sent).map(({ method }) => method),
          [],
          'the returning gateway sends nothing',
        );
        t.is(world.ear.gaps().length, calls.length, 'all calls have audio, from one gateway each');
        t.true((world.ear.gaps()[0] ?? Infinity) < 1_000);
        await hangUpAll(two, calls);
        await until(() => world.end.count('BYE') === calls.length);
        for (const callId of [...calls, ringing]) {
          await until(async () => (await typesOf(two, callId)).includes('call.ended'));
          t.is((await typesOf(two, callId)).filter((type) => type === 'call.ended').length, 1);
        }
      },
    );

    realTimeTest(`${media}: a gateway that was frozen for less than its lease keeps its calls`, async (t) => {
      const world = await startWorld(t, media);
      const one = await world.start('one');
      const two = await world.start('two');
      const calls = await world.place(one, 5);
      await delay(1_000);
      one.signal('SIGSTOP');
      await delay((1_000 * leaseSec * 2) / 3);
      one.signal('SIGCONT');
      await one.printed('this process was frozen');
      await delay(2_000);
      for (const callId of calls) t.false((await typesOf(two, callId)).includes('call.taken_over'));
      t.is(world.end.count('BYE'), 0);
      await hangUpAll(one, calls);
      await until(() => world.end.count('BYE') === calls.length);
    });
  }

  for (const by of ['SIGTERM', 'SIGKILL'] as const)
    realTimeTest(`the SIP relay hangs up calls that no gateway takes over after ${by}`, async (t) => {
      const world = await startWorld(t, 'freeswitch');
      const one = await world.start('one');
      await world.place(one, 2);
      one.signal(by);
      await one.ended;
      t.is(world.end.count('BYE'), 0);
      await until(() => world.end.count('BYE') === 2, relayNumbers.held.longestMs + 30_000);
    });
}
