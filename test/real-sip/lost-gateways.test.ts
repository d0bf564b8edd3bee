/** Gateways with calls on real servers are killed again and again, with and without a relay, or frozen: each call continues at another one. */
import { setTimeout as delay } from 'node:timers/promises';
import test from 'ava';
import { leaseSec } from '#config/cluster-policy.ts';
import { isMachineBusy, loadNow } from './busy-machine.ts';
import {
  countFromNow,
  hangUpAll,
  longestLossMs,
  printedFromNow,
  startWorld,
  takesOver,
  typesOf,
  untilAllAreAnswered,
  untilAllGoOn,
} from './gateways-with-calls.ts';
import { until } from './real-lines.ts';
import { realTimeTest } from './real-time-test.ts';
import { testInRounds } from './rounds.ts';
import { missingPrograms, startServers, type SipServers } from './sip-servers.ts';
import { untilTime } from './until-time.ts';

/** More than there are gateways: each takes a call over that it had before, and that another one had since. */
const killsOfOneCall = 4;

const frozenMs = 60_000;

/**
 * Longest silence of calls whose gateway was killed, without a relay: the database must find the gateway without a
 * connection for almost a second. On a machine with far more work than processors the checks are late.
 */
const longestWithoutRelayMs = (): number => (isMachineBusy() ? 10_000 : 4_000);

const missing = missingPrograms();
if (missing.length > 0) {
  test.skip(`lost gateways: NOT RUN, ${missing.join(', ')} not installed`, (t) => t.pass());
} else {
  let servers: SipServers;
  test.beforeEach(async () => {
    servers = await startServers();
  });
  test.afterEach.always(() => servers.close());

  for (const media of ['freeswitch', 'direct'] as const)
    realTimeTest(`${media}: a call outlives repeated kills of the gateway that holds it`, async (t) => {
      const world = await startWorld(t, servers, media);
      let [holder, next] = [await world.start('one'), await world.start('two')];
      const calls = await world.place(holder, 1);
      const silences: number[] = [];
      for (let kills = 1; kills <= killsOfOneCall; kills += 1) {
        await delay(1_000);
        world.ears.forget();
        const names = kills % 2 === 1 ? ['one', 'two'] : ['two', 'one'];
        holder.signal('SIGKILL');
        await untilAllGoOn(next, calls, kills);
        await delay(1_000);
        silences.push(...(await world.ears.silences()));
        const again = await world.start(names[0] ?? '', holder.folder);
        [holder, next] = [next, again];
      }
      t.log(media, { silences: silences.toSorted((one, other) => one - other), load: loadNow() });
      t.is(world.end.count('BYE'), 0);
      await hangUpAll(holder, calls);
      await until(() => world.end.count('BYE') === 1);
    });

  for (const media of ['freeswitch', 'direct'] as const)
    realTimeTest(
      `${media}: without a relay, another gateway takes over the calls of a killed gateway`,
      async (t) => {
        const world = await startWorld(t, servers, media, 'drachtio-server');
        const [one, two] = [await world.start('one'), await world.start('two')];
        const calls = await world.place(one, 5);
        await untilAllAreAnswered(two, calls);
        await delay(1_000);
        world.ears.forget();
        const killedAt = Date.now();
        one.signal('SIGKILL');
        await untilAllGoOn(two, calls);
        const takenMs = Date.now() - killedAt;
        await delay(1_000);
        const silences = await world.ears.silences();
        t.log(media, { takenMs, silences, load: loadNow() });
        t.true((silences[0] ?? Infinity) <= longestWithoutRelayMs(), `${silences[0]} ms of silence`);
        t.is(world.end.count('BYE'), 0);
        await hangUpAll(two, calls);
        await until(() => world.end.count('BYE') === calls.length);
        for (const callId of calls) {
          await until(async () => (await typesOf(two, callId)).includes('call.ended'));
          const types = await typesOf(two, callId);
          const count = (type: string): number => types.filter((each) => each === type).length;
          t.deepEqual([count('call.taken_over'), count('call.ended')], [1, 1]);
          const { body } = await two.client.get(`/api/v1/calls/${callId}`);
          t.like(body, { status: 'completed', end_reason: 'agent_hangup' });
        }
        t.is(world.end.count('BYE'), calls.length);
      },
    );

  for (const media of ['freeswitch', 'direct'] as const) {
    testInRounds(
      `${media}: another gateway takes over the calls of a frozen gateway, which sends no SIP afterwards`,
      {
        async begin(t) {
          const world = await startWorld(t, servers, media);
          return { ...world, one: await world.start('one'), two: await world.start('two') };
        },
        async round(t, { one, two, end, ears, placeBeforeLoss, endAfterLoss, carriesCalls }) {
          const count = countFromNow(end);
          const [onePrinted, twoPrinted] = [printedFromNow(one), printedFromNow(two)];
          const calls = await placeBeforeLoss(one, two, 10);

          const frozenAt = Date.now();
          one.signal('SIGSTOP');
          await twoPrinted(takesOver);
          await untilAllGoOn(two, calls.answered);
          const takenMs = Date.now() - frozenAt;
          await until(() => count('CANCEL') === 1, 10_000);
          const endedMs = Date.now() - frozenAt;
          t.true(
            Math.max(takenMs, endedMs) < longestLossMs(),
            `taken over after ${takenMs} ms, ended after ${endedMs} ms`,
          );
          // By then FreeSWITCH and the relay have hung up what no gateway has claimed.
          await untilTime(frozenAt + frozenMs);
          const sent = end.heard.length;

          ears.forget();
          one.signal('SIGCONT');
          await onePrinted('other gateways declared this one dead');
          await until(async () => (await one.client.get('/readyz')).status === 200);
          await delay(3_000);
          t.deepEqual(
            end.heard.slice(sent).map(({ method }) => method),
            [],
            'the returning gateway sends nothing',
          );
          const heard = await ears.measure();
          t.deepEqual(
            heard.map(({ sources }) => sources),
            calls.answered.map(() => 1),
            'all calls have audio, from one gateway each',
          );
          t.true(heard.every(({ silenceMs }) => silenceMs < 1_000));
          await endAfterLoss(t, two, calls);
          await carriesCalls(t, one);
          return { takenMs, endedMs };
        },
      },
    );

    realTimeTest(`${media}: a gateway that was frozen for less than its lease keeps its calls`, async (t) => {
      const world = await startWorld(t, servers, media);
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
}
