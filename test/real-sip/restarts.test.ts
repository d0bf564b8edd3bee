/** Gateways with calls on real servers are restarted: the calls continue, and their far ends hear how long they are silent. */
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import test from 'ava';
import { z } from 'zod';
import { credentialsIn } from '#test/start/gateway-process.ts';
import { isMachineBusy, loadNow } from './busy-machine.ts';
import { startEars } from './ears.ts';
import { hangUpAll, startGateways, startWorld, untilAllGoOn, type Running } from './gateways-with-calls.ts';
import { ownPort } from './ports.ts';
import { until } from './real-lines.ts';
import { realTimeTest } from './real-time-test.ts';
import { endProcess, missingPrograms, startServers, type SipServers } from './sip-servers.ts';
import { startSipp } from './start-sipp.ts';

const scenario = fileURLToPath(new URL('far-ends/waiting.xml', import.meta.url));

const count = 100;

/**
 * Longest silence of a call. A call on FreeSWITCH is silent until its channel is in a new park with a new unicast. A
 * machine with far more work than processors stalls every process on it.
 */
const longestSilenceMs = 300;
const stalledMs = 1_500;

/**
 * Longest silence of calls whose gateways were killed, until one gateway has started again. On a machine with far more
 * work than processors the start alone takes several times as long.
 */
const longestRestartMs = (): number => (isMachineBusy() ? 15_000 : 3_000);

const calls = z.object({ calls: z.array(z.object({ id: z.uuid(), status: z.string() })) });

/** Calls in progress, as any of the gateways knows them. */
const activeCalls = async ({ client }: Running): Promise<string[]> =>
  calls.parse((await client.get('/api/v1/calls?status=active&limit=100')).body).calls.map(({ id }) => id);

const missing = missingPrograms();
if (missing.length > 0) {
  test.skip(`restarts: NOT RUN, ${missing.join(', ')} not installed`, (t) => t.pass());
} else {
  let servers: SipServers;
  test.beforeEach(async () => {
    servers = await startServers({ rtpPorts: 400 });
  });
  test.afterEach.always(() => servers.close());

  const logLine = z.object({ time: z.iso.datetime().transform((text) => Date.parse(text)), msg: z.string() });

  /** Times from the beginning of a start to its events, in milliseconds. */
  const startOf = ({ begunAt, stdout }: Running): Record<string, number> => {
    const lines = stdout()
      .split('\n')
      .flatMap((line) => (line.startsWith('{') ? [logLine.parse(JSON.parse(line))] : []));
    const firstMs = (text: string): number =>
      (lines.find(({ msg }) => msg.includes(text))?.time ?? Infinity) - begunAt;
    return {
      drachtioMs: firstMs('connected to drachtio-server'),
      freeSwitchMs: firstMs('connected to FreeSWITCH'),
      takenMs: firstMs('of another process was taken over'),
      readyMs: firstMs('the gateway is ready'),
    };
  };

  for (const media of ['freeswitch', 'direct'] as const)
    for (const by of ['SIGTERM', 'SIGKILL'] as const)
      realTimeTest(`${media}: the next process of a gateway continues its calls after ${by}`, async (t) => {
        const world = await startWorld(t, servers, media);
        const one = await world.start('one');
        const calls = await world.place(one, 5);
        await delay(1_000);
        world.ears.forget();
        one.signal(by);
        await one.ended;
        t.is(world.end.count('BYE'), 0);
        const next = await world.start('one', one.folder);
        await untilAllGoOn(next, calls);
        await delay(500);
        const silences = await world.ears.silences();
        t.log(media, by, { silences, ...startOf(next), load: loadNow() });
        if (by === 'SIGKILL')
          t.true((silences[0] ?? Infinity) <= longestRestartMs(), `${silences[0]} ms of silence`);
        await hangUpAll(next, calls);
        await until(() => world.end.count('BYE') === calls.length);
      });

  for (const media of ['freeswitch', 'direct'] as const)
    realTimeTest(
      `${media}: without a relay, the next process of a gateway continues its calls after SIGTERM`,
      async (t) => {
        const world = await startWorld(t, servers, media, 'drachtio-server');
        const one = await world.start('one');
        const calls = await world.place(one, 3);
        await delay(1_000);
        one.signal('SIGTERM');
        t.is((await one.ended).code, 0);
        t.is(world.end.count('BYE'), 0);
        const next = await world.start('one', one.folder);
        await untilAllGoOn(next, calls);
        await hangUpAll(next, calls);
        await until(() => world.end.count('BYE') === calls.length);
      },
    );

  realTimeTest(
    'the first of two killed gateways that starts again continues the calls of both',
    async (t) => {
      const world = await startWorld(t, servers, 'freeswitch');
      const one = await world.start('one');
      const two = await world.start('two');
      const calls = [...(await world.place(one, 3)), ...(await world.place(two, 3, 3))];
      await delay(1_000);
      world.ears.forget();
      one.signal('SIGKILL');
      two.signal('SIGKILL');
      await Promise.all([one.ended, two.ended]);
      const next = await world.start('one', one.folder);
      await untilAllGoOn(next, calls);
      await delay(500);
      const silences = await world.ears.silences();
      t.log({ silences, ...startOf(next), load: loadNow() });
      t.true((silences[0] ?? Infinity) <= longestRestartMs(), `${silences[0]} ms of silence`);
      t.is(world.end.count('BYE'), 0);
      await hangUpAll(next, calls);
      await until(() => world.end.count('BYE') === calls.length);
    },
  );

  for (const media of ['freeswitch', 'direct'] as const)
    realTimeTest(
      `${media}: loses no call of sipp in a rolling restart, and none is silent for long`,
      async (t) => {
        // Measured first, because the calls of this test alone make two processors busy.
        const mostMs = isMachineBusy() ? stalledMs : longestSilenceMs;
        const ears = await startEars(t, count);
        const port = await ownPort();
        const world = await startGateways(t, servers, media, port);
        const one = await world.start('one');
        const two = await world.start('two');
        const { number } = await credentialsIn(one.folder);
        const injected = join(servers.folder, 'ears.csv');
        await writeFile(injected, ['SEQUENTIAL', ...ears.ports].join('\n'));
        const sipp = await startSipp(
          [
            ['-sf', scenario, '-inf', injected, '-key', 'number', number],
            ['-m', String(count), '-l', String(count), '-r', '5', `127.0.0.1:${servers.sipPort}`],
          ].flat(),
          { port, rtpPort: await ownPort(4) },
          join(servers.folder, 'waiting.log'),
        );
        const over = once(sipp, 'exit');
        t.teardown(() => endProcess(sipp));
        await until(async () => (await ears.measure()).length === count);
        await delay(2_000);

        ears.forget();
        one.signal('SIGTERM');
        t.is((await one.ended).code, 0);
        const oneAgain = await world.start('one', one.folder);
        two.signal('SIGTERM');
        t.is((await two.ended).code, 0);
        await world.start('two', two.folder);
        const silences = await ears.silences();
        t.log(media, { calls: count, longest: silences.slice(0, 5), load: loadNow() });

        const standing = await activeCalls(oneAgain);
        t.is(standing.length, count, 'no call is lost');
        t.true((silences[0] ?? Infinity) <= mostMs, `${silences[0]} ms of silence`);
        for (const callId of standing)
          await oneAgain.client.post(`/api/v1/calls/${callId}/hangup`, { immediate: true });
        await over;
        t.is(sipp.exitCode, 0, 'each call has ended as in the scenario');
      },
    );
}
