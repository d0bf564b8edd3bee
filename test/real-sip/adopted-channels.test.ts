/** A gateway is killed during a call, and another process takes over its FreeSWITCH channel within its dialog. */
import { createSocket } from 'node:dgram';
import test, { type ExecutionContext } from 'ava';
import Srf from 'drachtio-srf';
import { pino } from 'pino';
import { mediaServers as numbers } from '#config/policy.ts';
import { createBackgroundTasks } from '#sip/background-tasks.ts';
import { createMediaServers } from '#sip/freeswitch/media-servers.ts';
import type { MediaEndpoint } from '#sip/audio/media-endpoint.ts';
import { createMediaThread } from '#sip/media-thread/media-thread.ts';
import { loadResampler } from '#sip/audio/resampler.ts';
import { openFence } from '#src/domain/fence.ts';
import { systemClock } from '#src/clocks.ts';
import type { MediaChannel } from '#src/domain/sip-leg.ts';
import { createFarEnd } from '#test/doubles/far-end.ts';
import { describeSound } from '#test/doubles/session-description.ts';
import { beep, startEarAndMouth, type EarAndMouth } from './ear-and-mouth.ts';
import { ownLinePorts, ownPort } from './ports.ts';
import { until } from './real-lines.ts';
import { realTimeTest } from './real-time-test.ts';
import { missingPrograms, startServers, type SipServers } from './sip-servers.ts';
import { startDoomedGateway } from './start-doomed.ts';
import { createUdpNetwork } from './udp-network.ts';

const logger = pino({ level: process.env['TEST_LOG'] ?? 'silent' });
const parkSec = 4;

const missing = missingPrograms();
if (missing.length > 0) {
  test.skip(`resumed channels: NOT RUN, ${missing.join(', ')} not installed`, (t) => t.pass());
} else {
  let servers: SipServers;
  test.before(async () => {
    servers = await startServers({ parkSec });
  });
  test.after.always(() => servers.close());

  const untilChannels = (count: number): Promise<void> =>
    until(async () => (await servers.mediaServers[0]?.channels()) === count);

  /** A call of a dead process, with a live far end. */
  const leaveCall = async (t: ExecutionContext): Promise<{ channel: MediaChannel; farEnd: EarAndMouth }> => {
    const farEnd = await startEarAndMouth();
    t.teardown(farEnd.close);
    const network = createUdpNetwork(servers.sipPort);
    t.teardown(network.close);
    const trunk = createFarEnd(network, `127.0.0.1:${await ownPort()}`);
    const trunkPort = Number(trunk.address.split(':')[1]);
    const doomed = await startDoomedGateway(t, servers, { trunkPort });
    const call = await trunk.receives('INVITE');
    const [, port] = /^m=audio (\d+)/m.exec(call.last('INVITE').body) ?? [];
    const telling = createSocket('udp4');
    telling.send(`call ${port}`, farEnd.port, '127.0.0.1', () => telling.close());
    call.answers(200, { sdp: describeSound({ port: farEnd.port }) });
    await call.receives('ACK');
    await doomed.answered();
    await until(() => farEnd.heard().length > 10);
    const left = await doomed.kill();
    if (left.leg.channel === null) throw new Error('The call has no channel');
    return { channel: left.leg.channel, farEnd };
  };

  const startNext = async (t: ExecutionContext) => {
    const srf = new Srf();
    await srf.connect(servers.drachtio);
    t.teardown(() => srf.disconnect());
    const mediaThread = createMediaThread({ ports: await ownLinePorts(), logger });
    t.teardown(() => mediaThread.close());
    const backgroundTasks = createBackgroundTasks(systemClock, logger);
    const next = createMediaServers([servers.freeSwitch], {
      ...numbers,
      pool: { ...numbers.pool, size: 0 },
      rtpTimeoutMs: 0,
      ownAddress: '127.0.0.1',
      srf,
      mediaThread,
      resample: await loadResampler(),
      fence: openFence,
      clock: systemClock,
      backgroundTasks,
      logger,
    });
    t.teardown(() => next.close());
    await next.open();
    await until(() => next.problem() === null);
    return next;
  };

  const loudest = (samples: Int16Array): number => samples.reduce((most, one) => Math.max(most, one), 0);

  /** Checks that both sides hear each other. */
  const talk = async (t: ExecutionContext, endpoint: MediaEndpoint, farEnd: EarAndMouth): Promise<void> => {
    let heard = 0;
    const path = await endpoint.connect(
      { onAudio: (samples) => (heard = Math.max(heard, loudest(samples))), onLost: () => t.fail() },
      8_000,
    );
    t.teardown(() => path.close());
    path.send(beep);
    await until(() => farEnd.lastHeardAt() !== null);
    await farEnd.play(beep);
    await until(() => heard > 2_000);
  };

  /** The longest time without a packet, in milliseconds. */
  const longestHole = (farEnd: EarAndMouth): number =>
    farEnd.heard().reduce((most, { at }, index, all) => Math.max(most, at - (all[index - 1]?.at ?? at)), 0);

  realTimeTest(
    'resumes a channel several times with two-way audio, DTMF digits, statistics and SDP',
    async (t) => {
      const next = await startNext(t);
      for (let times = 1; times <= 3; times += 1) {
        const { channel, farEnd } = await leaveCall(t);
        const killedAt = Date.now();
        const endpoint = await next.takeOverEndpoint(channel);
        const digits: string[] = [];
        endpoint.onDigit((digit) => void digits.push(digit));
        await talk(t, endpoint, farEnd);
        t.log(
          `longest hole at the far end ${longestHole(farEnd)} ms, all said ${Date.now() - killedAt} ms after the kill`,
        );
        await servers.console(`uuid_recv_dtmf ${channel.uuid} 7`);
        await until(() => digits.includes('7'));
        await endpoint.press('5');
        await until(() => farEnd.payloadTypes().has(101));
        const answer = await endpoint.modify(describeSound({ port: farEnd.port, direction: 'sendonly' }));
        t.regex(answer, /^a=recvonly\r?$/m);
        t.is((await endpoint.statistics())?.codec, 'PCMU');
        await endpoint.destroy();
        await untilChannels(0);
      }
      t.regex(await servers.console('status'), /UP/);
    },
  );

  realTimeTest('does not resume a missing channel or a channel of another server', async (t) => {
    const next = await startNext(t);
    const { channel } = await leaveCall(t);
    await t.throwsAsync(next.takeOverEndpoint({ ...channel, server: '127.0.0.1:1' }), {
      message: 'The media server of the channel is unknown to this gateway',
    });
    await servers.console(`uuid_kill ${channel.uuid}`);
    await untilChannels(0);
    await t.throwsAsync(next.takeOverEndpoint(channel), { message: 'The channel no longer exists' });
    t.is(next.states()[0]?.calls, 0);
  });

  realTimeTest('a resumed channel is kept beyond its time limit, but other channels end', async (t) => {
    const next = await startNext(t);
    const adopted = await leaveCall(t);
    const endpoint = await next.takeOverEndpoint(adopted.channel);
    // The second call starts late, because the first call has little time left.
    const left = await leaveCall(t);
    await untilChannels(1);
    t.regex(await servers.console(`uuid_exists ${left.channel.uuid}`), /^false/);
    t.regex(await servers.console(`uuid_exists ${adopted.channel.uuid}`), /^true/);
    await endpoint.destroy();
    await untilChannels(0);
  });
}
