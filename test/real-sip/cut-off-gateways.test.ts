/**
 * Gateways that lose their packets to some of their servers, but live: others take over their calls, and they send and
 * write nothing of these calls afterwards.
 */
import type { NetConnectOpts } from 'node:net';
import { loadavg } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { z } from 'zod';
import { leaseSec } from '#config/cluster-policy.ts';
import {
  hangUpAll,
  ringingNumber,
  startWorld,
  typesOf,
  untilAllGoOn,
  type Running,
} from './gateways-with-calls.ts';
import { onRealServers } from './on-real-servers.ts';
import { until } from './real-lines.ts';
import { realTimeTest } from './real-time-test.ts';
import { startWire } from './wire.ts';

/** Time after the lapse of the lease within which each call continues or has ended. */
const afterLapseMs = 10_000;

/** PostgreSQL listens at a port, or at a socket in the folder `host`. */
const databaseServer = ({ searchParams, hostname: host, port }: URL): NetConnectOpts => {
  const folder = searchParams.get('host');
  const number = Number(port || 5_432);
  return folder === null ? { host, port: number } : { path: join(folder, `.s.PGSQL.${number}`) };
};

/** The facts of each call, except that of a far end that sends no audio, which any gateway may notice. */
const factsOf = (gateway: Running, calls: readonly string[]): Promise<string[][]> =>
  Promise.all(
    calls.map(async (callId) => (await typesOf(gateway, callId)).filter((type) => type !== 'sound.one_way')),
  );

onRealServers('gateways that are cut off', (servers) => {
  for (const media of ['freeswitch', 'direct'] as const)
    realTimeTest(
      `${media}: the calls of a gateway that is cut off from the relay alone continue at another one`,
      async (t) => {
        const world = await startWorld(t, servers(), media);
        const wire = await startWire(t, { host: '127.0.0.1', port: world.relayPort });
        // One address for both, because gateways hand over only what they reach in the same way.
        const relay = { GW_RELAY: `127.0.0.1:${wire.port}` };
        const two = await world.start('two', undefined, relay);
        wire.spare();
        const one = await world.start('one', undefined, relay);
        const calls = await world.place(one, 3);
        // Far ends and progress are stored by then.
        await delay(1_000);
        world.ears.forget();
        wire.lose();
        await one.printed('this gateway is cut off from drachtio-server');
        await untilAllGoOn(two, calls);
        await delay(1_000);
        t.log(media, { silences: await world.ears.silences(), load: loadavg()[0] });
        wire.mend();
        await until(async () => (await one.client.get('/readyz')).status === 200);
        t.is(world.end.count('BYE'), 0);
        await hangUpAll(two, calls);
        await until(() => world.end.count('BYE') === calls.length);
      },
    );

  for (const media of ['freeswitch', 'direct'] as const)
    for (const cutOffFrom of ['all its servers', 'the database'] as const)
      realTimeTest(
        `${media}: a gateway that is cut off from ${cutOffFrom} loses its calls unheard`,
        async (t) => {
          const world = await startWorld(t, servers(), media);
          const database = new URL(world.databaseUrl);
          const wires = {
            database: await startWire(t, databaseServer(database)),
            relay: await startWire(t, { host: '127.0.0.1', port: world.relayPort }),
            freeSwitch: await startWire(t, servers().freeSwitch),
          };
          database.host = `127.0.0.1:${wires.database.port}`;
          database.searchParams.delete('host');
          const one = await world.start('one', undefined, {
            GW_DATABASE_URL: database.href,
            GW_RELAY: `127.0.0.1:${wires.relay.port}`,
            GW_FREESWITCH: `127.0.0.1:${wires.freeSwitch.port}`,
          });
          const two = await world.start('two');
          const calls = await world.place(one, 5);
          const { body } = await one.client.post('/api/v1/calls', { to: ringingNumber, instruction: 'x' });
          const ringing = z.uuid().parse(body['call_id']);
          await until(() => world.end.heard.some(({ user }) => user === ringingNumber));
          // Far ends and progress are stored by then.
          await delay(1_000);

          const lost = cutOffFrom === 'the database' ? [wires.database] : Object.values(wires);
          const cutOffAt = Date.now();
          for (const wire of lost) wire.lose();
          await untilAllGoOn(two, calls, 1, 45_000);
          const takenMs = Date.now() - cutOffAt;
          await until(async () => (await typesOf(two, ringing)).includes('call.ended'));
          await until(() => world.end.count('CANCEL') === 1);
          const endedMs = Date.now() - cutOffAt;
          const [load = 0] = loadavg();
          t.log(media, cutOffFrom, { takenMs, endedMs, load });
          t.true(Math.max(takenMs, endedMs) < 1_000 * leaseSec + afterLapseMs);
          if (cutOffFrom === 'the database') await one.printed('another gateway has taken over');
          const sent = world.end.heard.length;
          const before = await factsOf(two, calls);
          const untilEachHasOneVoice = async (): Promise<void> => {
            world.ears.forget();
            await delay(2_000);
            const heard = await world.ears.measure();
            t.deepEqual(
              heard.map(({ sources }) => sources),
              calls.map(() => 1),
              'each call has audio from one gateway',
            );
          };
          await untilEachHasOneVoice();

          for (const wire of lost) wire.mend();
          await one.printed('other gateways declared this one dead');
          await until(async () => (await one.client.get('/readyz')).status === 200);
          await untilEachHasOneVoice();
          t.deepEqual(
            world.end.heard.slice(sent).map(({ method }) => method),
            [],
            'the returning gateway sends nothing',
          );
          t.deepEqual(await factsOf(two, calls), before, 'the returning gateway writes nothing');
          await hangUpAll(two, calls);
          await until(() => world.end.count('BYE') === calls.length);
          for (const callId of [...calls, ringing]) {
            await until(async () => (await typesOf(two, callId)).includes('call.ended'));
            t.is((await typesOf(two, callId)).filter((type) => type === 'call.ended').length, 1);
          }
        },
      );
});
