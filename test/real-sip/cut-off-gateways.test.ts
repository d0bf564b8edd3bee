/**
 * Gateways that lose their packets to some of their servers, but live: others take over their calls, and they send and
 * write nothing of these calls afterwards.
 */
import type { NetConnectOpts } from 'node:net';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { ExecutionContext } from 'ava';
import { loadNow } from './busy-machine.ts';
import {
  countFromNow,
  hangUpAll,
  longestLossMs,
  printedFromNow,
  startWorld,
  takesOver,
  typesOf,
  untilAllGoOn,
  type Media,
  type Running,
} from './gateways-with-calls.ts';
import { onRealServers } from './on-real-servers.ts';
import { until } from './real-lines.ts';
import { realTimeTest } from './real-time-test.ts';
import { testInRounds } from './rounds.ts';
import { startWire } from './wire.ts';

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
        t.log(media, { silences: await world.ears.silences(), load: loadNow() });
        wire.mend();
        await until(async () => (await one.client.get('/readyz')).status === 200);
        t.is(world.end.count('BYE'), 0);
        await hangUpAll(two, calls);
        await until(() => world.end.count('BYE') === calls.length);
      },
    );

  /** Two gateways, the first of which can be cut off from servers. */
  const startTwo = async (t: ExecutionContext, media: Media) => {
    const world = await startWorld(t, servers(), media);
    const database = new URL(world.databaseUrl);
    const wires = {
      database: await startWire(t, databaseServer(database)),
      relay: await startWire(t, { host: '127.0.0.1', port: world.relayPort }),
      freeSwitch: await startWire(t, servers().freeSwitch),
    };
    database.host = `127.0.0.1:${wires.database.port}`;
    database.searchParams.delete('host');
    // One address for both, because a gateway takes over channels of media servers that it knows.
    const shared = {
      GW_RELAY: `127.0.0.1:${wires.relay.port}`,
      GW_FREESWITCH: `127.0.0.1:${wires.freeSwitch.port}`,
    };
    const two = await world.start('two', undefined, shared);
    wires.relay.spare();
    wires.freeSwitch.spare();
    const one = await world.start('one', undefined, { ...shared, GW_DATABASE_URL: database.href });
    // Otherwise the gateway of a failed round would wait for its servers when it stops.
    t.teardown(() => {
      for (const wire of Object.values(wires)) wire.mend();
    });
    return { ...world, wires, one, two };
  };

  for (const media of ['freeswitch', 'direct'] as const)
    for (const cutOffFrom of ['all its servers', 'the database'] as const)
      testInRounds(`${media}: a gateway that is cut off from ${cutOffFrom} loses its calls unheard`, {
        begin: (t) => startTwo(t, media),
        async round(t, { wires, one, two, end, ears, placeBeforeLoss, endAfterLoss, carriesCalls }) {
          const count = countFromNow(end);
          const [onePrinted, twoPrinted] = [printedFromNow(one), printedFromNow(two)];
          const calls = await placeBeforeLoss(one, two, 5);
          const { answered, ringing } = calls;

          const lost = cutOffFrom === 'the database' ? [wires.database] : Object.values(wires);
          ears.forget();
          const cutOffAt = Date.now();
          for (const wire of lost) wire.lose();
          await twoPrinted(takesOver);
          await untilAllGoOn(two, answered);
          const takenMs = Date.now() - cutOffAt;
          await until(async () => (await typesOf(two, ringing)).includes('call.ended'));
          await until(() => count('CANCEL') === 1);
          const endedMs = Date.now() - cutOffAt;
          const [longestSilenceMs = Infinity] = await ears.silences();
          t.true(
            Math.max(takenMs, endedMs) < longestLossMs(),
            `taken over after ${takenMs} ms, ended after ${endedMs} ms`,
          );
          if (cutOffFrom === 'the database') await onePrinted('another gateway has taken over');
          // Each agent speaks after the take-over; the new owner writes no further facts then.
          await until(async () => {
            const facts = await factsOf(two, answered);
            return facts.every(
              (types) => types.lastIndexOf('turn.spoken') > types.indexOf('call.taken_over'),
            );
          });
          const sent = end.heard.length;
          const before = await factsOf(two, answered);
          const untilEachHasOneVoice = async (): Promise<void> => {
            ears.forget();
            await delay(2_000);
            const heard = await ears.measure();
            t.deepEqual(
              heard.map(({ sources }) => sources),
              answered.map(() => 1),
              'each call has audio from one gateway',
            );
          };
          await untilEachHasOneVoice();

          for (const wire of lost) wire.mend();
          await onePrinted('other gateways declared this one dead');
          await until(async () => (await one.client.get('/readyz')).status === 200);
          await untilEachHasOneVoice();
          t.deepEqual(
            end.heard.slice(sent).map(({ method }) => method),
            [],
            'the returning gateway sends nothing',
          );
          t.deepEqual(await factsOf(two, answered), before, 'the returning gateway writes nothing');
          await endAfterLoss(t, two, calls);
          await carriesCalls(t, one);
          return { takenMs, endedMs, longestSilenceMs };
        },
      });
});
