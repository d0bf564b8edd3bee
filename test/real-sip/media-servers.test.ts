/** Several media servers, one of which dies, hangs or returns; and the channels that a dead gateway leaves on them. */
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import test, { type ExecutionContext } from 'ava';
import { mediaServers } from '#config/policy.ts';
import { recordingSampleRate, type RecordingSink } from '#sip/audio/recording-sink.ts';
import type { DrachtioLines, DrachtioLinesOptions } from '#sip/drachtio/drachtio-lines.ts';
import { openWatched, type WatchedLine } from '#test/contract/watched-line.ts';
import { lineInput } from '#test/helpers/line-input.ts';
import { sameSpeech } from '#test/helpers/same-speech.ts';
import { directoryOf, someTrunk } from '#test/sip/trunks/some-trunk.ts';
import { isMachineBusy, loadNow } from './busy-machine.ts';
import { startTelephone } from './far-end.ts';
import { startManyEnds } from './many-ends.ts';
import { pooled, realLines, until } from './real-lines.ts';
import { realTimeTest } from './real-time-test.ts';
import { missingPrograms, startServers, type RunningMediaServer, type SipServers } from './sip-servers.ts';
import { startDoomedGateway } from './start-doomed.ts';
import { toneRecognizer } from './tone-recognizer.ts';
import { createToneDecoder, sayInTones } from './tone-speech.ts';
import { callIn } from './trunk-ends.ts';
import { startUdpEnd, type UdpEnd } from './udp-end.ts';

const parkSec = 4;
const ownNumber = '07012345678';

/** Longest silence of a call that moves, in milliseconds; at high load other programs delay the moves. */
const longestMoveMs = (): number => (isMachineBusy() ? 10_000 : 1_000);

const missing = missingPrograms();
if (missing.length > 0) {
  test.skip(`media servers: NOT RUN, ${missing.join(', ')} not installed`, (t) => t.pass());
} else {
  let servers: SipServers;
  let callee: UdpEnd;
  let one: RunningMediaServer;
  let other: RunningMediaServer;

  test.before(async () => {
    servers = await startServers({ mediaServers: 2, parkSec });
    callee = await startUdpEnd();
    const [first, second] = servers.mediaServers;
    if (first === undefined || second === undefined) throw new Error('There are not two media servers');
    one = first;
    other = second;
  });
  test.after.always(async () => {
    callee.close();
    await servers.close();
  });

  const untilChannels = (server: RunningMediaServer, count: number): Promise<void> =>
    until(async () => (await server.channels()) === count);

  const linesOn = async (
    t: ExecutionContext,
    used: readonly RunningMediaServer[],
    options: Partial<DrachtioLinesOptions> = {},
  ): Promise<DrachtioLines> => {
    const lines = await realLines(servers, callee.port, {
      freeSwitches: used.map(({ address }) => address),
      ...options,
    });
    await lines.start(async () => ({ accepted: true }));
    t.teardown(async () => {
      await lines.close();
      for (const server of used) await untilChannels(server, 0);
    });
    for (const server of used) await untilChannels(server, options.mediaServers?.pool.size ?? pooled);
    return lines;
  };

  const call = async (lines: DrachtioLines, recording = false): Promise<WatchedLine> => {
    const line = openWatched(lines.open, lineInput({ recording }));
    await until(() => line.saw('line.answered'));
    return line;
  };

  const callsOf = (lines: DrachtioLines): number[] => lines.mediaServers().map(({ calls }) => calls);

  /** The lines that failed. */
  const failedOf = (lines: readonly WatchedLine[]): WatchedLine[] =>
    lines.filter((line) => line.saw('line.failed'));

  /** An end that accepts to move its audio, and the longest silences that its calls heard. */
  const startMovable = async (t: ExecutionContext) => {
    const socket = createSocket('udp4').bind(0, '127.0.0.1');
    t.teardown(() => socket.close());
    await once(socket, 'listening');
    const arrivals: number[] = [];
    socket.on('message', () => void arrivals.push(performance.now()));
    const end = await startUdpEnd({ ear: socket.address().port });
    t.teardown(end.close);
    return {
      end,
      longestGapMs: (since: number): number => {
        const times = [since, ...arrivals.filter((at) => at > since), performance.now()];
        return Math.max(...times.slice(1).map((at, index) => at - (times[index] ?? at)));
      },
    };
  };

  /** A recording in memory: the level of the agent in each tenth of a second, and the end. */
  const createLevels = () => {
    const tenth = recordingSampleRate / 10;
    const levels: number[] = [];
    const state = { samples: 0, sum: 0, isFinished: false };
    const sink: RecordingSink = {
      write(_counterparty, agent) {
        for (const sample of agent) {
          state.sum += sample ** 2;
          state.samples += 1;
          if (state.samples % tenth !== 0) continue;
          levels.push(Math.sqrt(state.sum / tenth));
          state.sum = 0;
        }
      },
      drained: async () => {},
      finish: () => void (state.isFinished = true),
      leave() {},
      fail() {},
    };
    return {
      open: () => sink,
      isFinished: () => state.isFinished,
      seconds: () => state.samples / recordingSampleRate,
      /** The share of the time between these seconds in which the agent is audible. */
      spoken(fromSec: number, toSec: number): number {
        const part = levels.slice(Math.round(fromSec * 10), Math.round(toSec * 10));
        return part.filter((level) => level > 200).length / part.length;
      },
    };
  };

  for (const way of ['killed', 'stopped'] as const)
    realTimeTest(`moves a call to another media server when its own is ${way}`, async (t) => {
      const { end, longestGapMs } = await startMovable(t);
      const recorded = createLevels();
      const lines = await linesOn(t, [one, other], {
        trunk: { address: `127.0.0.1:${end.port}` },
        openRecording: recorded.open,
      });
      const line = await call(lines, true);
      const answeredAt = performance.now();
      const used = lines.mediaServers()[0]?.calls === 1 ? one : other;
      const words = 'This sentence is long enough to be still spoken when the media server of its call dies.';
      line.say(words);
      await delay(1_500);
      const diedAt = performance.now();
      await (way === 'killed' ? used.kill() : used.close());
      await until(() => line.saw('line.played'));
      const silenceMs = Math.round(longestGapMs(diedAt));
      t.log('longest silence of the far end in ms', way, silenceMs, { load: loadNow() });
      t.like(line.all('line.played')[0], { whole: true, text: words });
      t.deepEqual(line.all('line.failed'), []);
      t.deepEqual([end.count('INVITE'), end.count('BYE')], [2, 0]);
      t.true(silenceMs <= longestMoveMs(), `${silenceMs} ms of silence`);
      const [died, played] = [diedAt, performance.now()].map((at) => (at - answeredAt) / 1_000);
      line.close();
      await until(recorded.isFinished);
      const shares = [recorded.spoken(0.5, died ?? 0), recorded.spoken((died ?? 0) + 2, played ?? 0)];
      t.log('recorded', { seconds: recorded.seconds(), died, played, shares });
      t.true(
        shares.every((share) => share > 0.5),
        'both parts of the sentence are recorded at their time',
      );
      t.true(Math.abs(recorded.seconds() - (played ?? 0)) < 1);
      await until(() => end.count('BYE') === 1);
      await used.restart();
      await until(() => lines.mediaServers().every(({ isUsable }) => isUsable));
    });

  for (const [direction, srtp] of [
    ['outbound', 'required'],
    ['inbound', 'required'],
    ['inbound', 'off'],
  ] as const)
    realTimeTest(`hears the far end of an ${direction} call with SRTP ${srtp} after its move`, async (t) => {
      const says = Array.from({ length: 8 }, (_, index) => ({
        afterMs: 1_500 + 4_000 * index,
        text: `Sentence ${index}.`,
      }));
      const secret = srtp === 'required' ? { srtp: true } : {};
      const isInbound = direction === 'inbound';
      const callee = isInbound
        ? null
        : await startTelephone(servers.folder, { seconds: 50, says, ...secret });
      const trunk = someTrunk({
        host: '127.0.0.1',
        port: callee?.port ?? 9,
        srtp,
        media: 'freeswitch',
        inboundAddresses: isInbound ? ['127.0.0.1'] : [],
      });
      const voice = {
        name: 'tones',
        synthesize: async (text: string) => ({ sampleRate: 8_000, samples: sayInTones(text) }),
      };
      const lines = await realLines(servers, 9, {
        freeSwitches: [one.address, other.address],
        trunk: null,
        trunks: directoryOf([trunk]),
        speech: sameSpeech(voice, toneRecognizer()),
      });
      const arrived: { callId: string; from: string; to: string }[] = [];
      await lines.start(async (arrival) => {
        arrived.push(arrival);
        return { accepted: true };
      });
      t.teardown(() => lines.close());
      const telephone =
        callee ??
        (await startTelephone(servers.folder, {
          seconds: 50,
          says,
          ...secret,
          dial: `sip:${ownNumber}@127.0.0.1:${servers.sipPort}`,
        }));
      t.teardown(telephone.close);
      await until(() => !isInbound || arrived.length === 1);
      const party = isInbound ? { direction, ...arrived[0] } : { from: ownNumber, to: '01099998888' };
      const line = openWatched(lines.open, lineInput(party));
      await until(() => line.saw('line.heard'));

      const used = callsOf(lines)[0] === 1 ? one : other;
      await used.kill();
      t.teardown(() => used.restart());
      await until(
        () =>
          callsOf(lines)
            .toSorted((one, other) => one - other)
            .join() === '0,1',
      );
      const before = line.all('line.heard').length;
      await until(() => line.all('line.heard').length > before + 1);
      const utterance = line.say('Good day.');
      await until(() => line.all('line.played').length === utterance);
      t.false(line.saw('line.failed'));
      line.tell({ type: 'hangUp' });
      await until(() => line.isOver());
      const { channels } = await telephone.heard();
      const texts: string[] = [];
      createToneDecoder({ words: () => {}, whole: (text) => texts.push(text) }).write(
        channels[0] ?? new Int16Array(),
      );
      const log = await telephone.log();
      t.log(srtp, { heard: texts, cannotDecrypt: /failed to decrypt/.test(log) });
      // baresip before 3.12 ignores the new key of the re-INVITE (RFC 4568), and so does not hear the agent.
      if (srtp === 'off') t.deepEqual(texts, ['Good day.']);
    });

  for (const srtp of ['off', 'required'] as const)
    realTimeTest(`moves 20 calls of a dead media server at the same time, with SRTP ${srtp}`, async (t) => {
      const end = await startManyEnds(t, 20, srtp);
      const trunk = someTrunk({ host: '127.0.0.1', port: end.port, srtp, media: 'freeswitch' });
      const lines = await linesOn(t, [one, other], { trunk: null, trunks: directoryOf([trunk]) });
      // All calls begin on one server.
      await other.kill();
      await until(() => !lines.mediaServers().every(({ isUsable }) => isUsable));
      const calls: WatchedLine[] = [];
      while (calls.length < 20) calls.push(await call(lines));
      await other.restart();
      await until(() => lines.mediaServers().every(({ isUsable }) => isUsable));
      t.deepEqual(callsOf(lines), [20, 0]);
      await until(() => end.measure().every(({ silenceMs }) => silenceMs < Infinity));

      end.forget();
      await one.kill();
      t.teardown(() => one.restart());
      await until(() => callsOf(lines)[1] === 20);
      // A call counts as moved when its new channel is created; its far end hears the agent after the re-INVITE.
      await delay(2_000);
      const heard = end.measure();
      const silences = heard.map(({ silenceMs }) => silenceMs).toSorted((left, right) => left - right);
      t.log(srtp, { silences, load: loadNow() });
      t.deepEqual(failedOf(calls), []);
      t.deepEqual([end.count('INVITE'), end.count('BYE')], [40, 0]);
      t.true(Math.max(...silences) <= longestMoveMs(), 'each far end hears the agent again');
      // FreeSWITCH chooses its key itself.
      if (srtp === 'required') t.deepEqual(new Set(heard.map(({ keys }) => keys)), new Set([2]));
      for (const line of calls) line.close();
      await until(() => end.count('BYE') === 20);
    });

  realTimeTest('distributes calls, and moves those of a dead media server to another one', async (t) => {
    const lines = await linesOn(t, [one, other]);
    const calls: WatchedLine[] = [];
    for (let times = 1; times <= 4; times += 1) calls.push(await call(lines));
    t.deepEqual(callsOf(lines), [2, 2]);

    await other.kill();
    await until(() => callsOf(lines)[0] === 4);
    const left = [...calls];
    await until(() => !lines.mediaServers().every(({ isUsable }) => isUsable));
    const health = lines.health();
    t.true(health.ready);
    t.regex(
      health.ready ? (health.warning ?? '') : '',
      new RegExp(`FreeSWITCH at .*:${other.address.port}: `),
    );

    const late = await call(lines);
    left.push(late);
    t.deepEqual(callsOf(lines), [5, 0]);
    late.say('This call goes on.');
    await until(() => late.saw('line.played'));
    t.like(late.all('line.played')[0], { whole: true });

    await other.restart();
    await until(() => lines.mediaServers().every(({ isUsable }) => isUsable));
    t.deepEqual(lines.health(), { ready: true });
    left.push(await call(lines));
    t.deepEqual(callsOf(lines), [5, 1]);
    t.deepEqual(failedOf(left), []);
    for (const line of left) line.close();
    await until(() => callsOf(lines).every((count) => count === 0));
    for (const server of [one, other]) await untilChannels(server, pooled);
  });

  realTimeTest(
    'detects a hanging media server, keeps its calls and places new ones on another',
    async (t) => {
      const lines = await linesOn(t, [one, other], {
        mediaServers: {
          ...mediaServers,
          pool: { ...mediaServers.pool, size: pooled },
          probeMs: 200,
          rtpTimeoutMs: 0,
        },
      });
      const calls = [await call(lines), await call(lines)];
      // Their audio is connected when they have spoken.
      for (const line of calls) line.say('Hello.');
      await until(() => calls.every((line) => line.saw('line.played')));
      other.pause();
      try {
        await until(() => callsOf(lines)[0] === 2);
        const late = await call(lines);
        t.deepEqual(callsOf(lines), [3, 0]);
        t.deepEqual(failedOf(calls), []);
        late.close();
      } finally {
        other.goOn();
      }
      await until(() => lines.mediaServers().every(({ isUsable }) => isUsable));
      await untilChannels(other, pooled);
      for (const line of calls) line.close();
    },
  );

  realTimeTest('places no call without a media server and reports the failure for each call', async (t) => {
    const lines = await linesOn(t, [one, other]);
    await Promise.all([one.kill(), other.kill()]);
    try {
      await until(() => !lines.health().ready);
      const health = lines.health();
      for (const { address } of [one, other])
        t.regex(health.ready ? '' : health.detail, new RegExp(`FreeSWITCH at .*:${address.port}: `));
    } finally {
      await Promise.all([one.restart(), other.restart()]);
    }
    await until(() => lines.health().ready);
    (await call(lines)).close();
  });

  realTimeTest('replaces lost pooled endpoints, and calls work without them', async (t) => {
    const lines = await linesOn(t, [one]);
    await one.console('hupall');
    await delay(1_000);
    await untilChannels(one, pooled);
    const calls = await Promise.all(Array.from({ length: 6 }, () => call(lines)));
    t.deepEqual(callsOf(lines), [6]);
    await untilChannels(one, 6 + pooled);
    for (const line of calls) line.close();
    await untilChannels(one, pooled);
  });

  realTimeTest(
    'leaves no endpoint after a lost connection to drachtio-server, and creates new ones',
    async (t) => {
      const lines = await linesOn(t, [one]);
      await servers.killDrachtio();
      await untilChannels(one, 0);
      await servers.restartDrachtio();
      await until(() => lines.health().ready);
      await untilChannels(one, pooled);
      const line = await call(lines);
      line.close();
      t.false(line.saw('line.failed'));
      await untilChannels(one, pooled);
    },
  );

  realTimeTest('servers that die during the creation of endpoints affect nothing else', async (t) => {
    const lines = await realLines(servers, callee.port, {
      freeSwitches: [one.address],
      mediaServers: { ...mediaServers, rtpTimeoutMs: 0, pool: { ...mediaServers.pool, size: 12, atOnce: 6 } },
    });
    t.teardown(() => lines.close());
    await lines.start(async () => ({ accepted: true }));
    await delay(15);
    await Promise.all([one.kill(), servers.killDrachtio()]);
    await Promise.all([one.restart(), servers.restartDrachtio()]);
    // Waits until creations of endpoints time out; an uncaught error fails this file.
    await delay(mediaServers.createMs + 500);
    await until(() => lines.health().ready);
    const line = await call(lines);
    t.false(line.saw('line.failed'));
    line.close();
  });

  for (const [what, formats, keys] of [
    ['PCMU alone', '0 101', 101],
    ['PCMA alone', '8 101', 101],
    ['telephone events of another payload type, which needs an endpoint of its own', '0 96', 96],
  ] as const)
    realTimeTest(`answers with offered formats only: ${what}`, async (t) => {
      const lines = await realLines(servers, callee.port, { freeSwitches: [one.address] });
      t.teardown(() => lines.close());
      await lines.start(async ({ callId, from, to }) => {
        const input = { callId, from, to, direction: 'inbound', language: 'en' } as const;
        lines.open(lineInput(input), () => {});
        return { accepted: true };
      });
      await untilChannels(one, pooled);
      const offer = ['v=0', 'o=far 1 1 IN IP4 [local_ip]', 's=-', 'c=IN IP4 [media_ip]', 't=0 0'];
      const { asExpected, messages } = await callIn(servers.folder, {
        sipPort: servers.sipPort,
        to: '07012345678',
        expect: 200,
        offer: [
          ...offer,
          `m=audio [auto_media_port] RTP/AVP ${formats}`,
          `a=rtpmap:${keys} telephone-event/8000`,
        ].join('\n'),
      });
      t.true(asExpected, messages);
      t.regex(messages, new RegExp(`^SIP/2.0 200 OK[^]*^m=audio \\d+ RTP/AVP ${formats}\\r?$`, 'm'));
      await untilChannels(one, pooled);
    });

  realTimeTest('keeps channels of a dead gateway for a while, then ends them', async (t) => {
    const { drachtio } = servers;
    const call = { trunkPort: callee.port };
    const doomed = await startDoomedGateway(t, { drachtio, freeSwitch: one.address }, call);
    await untilChannels(one, 1 + pooled);
    await doomed.killEarly();
    const killedAt = Date.now();
    await delay(1_000);
    t.is(await one.channels(), 1 + pooled, 'the call’s and those that were kept ready');
    const applications = (await one.console('show channels')).match(/,park,/g) ?? [];
    t.is(applications.length, 1 + pooled);
    await untilChannels(one, 0);
    t.true(Date.now() - killedAt >= 1_000 * (parkSec - 1), `it took ${Date.now() - killedAt} ms`);
  });
}
