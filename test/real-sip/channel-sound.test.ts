/**
 * The audio of a FreeSWITCH channel: codec changes during a call, and packet lengths other than its default. The
 * audio must keep its pitch and have no gap.
 */
import { setTimeout as delay } from 'node:timers/promises';
import type { ExecutionContext } from 'ava';
import { pino } from 'pino';
import { controlProbe, mediaServers as numbers } from '#config/policy.ts';
import { createBackgroundTasks } from '#sip/background-tasks.ts';
import { createMediaServers, type Bridge, type MediaServers } from '#sip/freeswitch/media-servers.ts';
import { createSignallingConnection } from '#sip/drachtio/connection/connection.ts';
import type { MediaEndpoint } from '#sip/audio/media-endpoint.ts';
import { createMediaThread } from '#sip/media-thread/media-thread.ts';
import { loadResampler } from '#sip/audio/resampler.ts';
import type { SampleRate } from '#sip/audio/samples.ts';
import { audioIn, withOneVoice } from '#sip/sdp/media-offer.ts';
import { openFence } from '#src/domain/fence.ts';
import { systemClock } from '#src/clocks.ts';
import { joinSamples } from '#src/domain/sample-bytes.ts';
import type { TrunkCodec } from '#src/domain/trunk.ts';
import { describeSound } from '#test/doubles/session-description.ts';
import { amplitudesOf, medianOf, pitchOf, toneOf } from '#test/sip/rtp/tone.ts';
import { audible, beep, startEarAndMouth, type EarAndMouth } from './ear-and-mouth.ts';
import { isWithout, onRealServers } from './on-real-servers.ts';
import { ownLinePorts } from './ports.ts';
import { until } from './real-lines.ts';
import { realTimeTest } from './real-time-test.ts';
import type { SipServers } from './sip-servers.ts';

const logger = pino({ level: process.env['TEST_LOG'] ?? 'silent' });

const connectedMedia = async (t: ExecutionContext, servers: SipServers): Promise<MediaServers> => {
  const backgroundTasks = createBackgroundTasks(systemClock, logger);
  const connection = createSignallingConnection({
    server: servers.drachtio,
    probe: controlProbe,
    overhear() {},
    fence: openFence,
    clock: systemClock,
    logger,
  });
  const mediaThread = createMediaThread({ ports: await ownLinePorts(), logger });
  const media = createMediaServers([servers.freeSwitch], {
    ...numbers,
    rtpTimeoutMs: 0,
    pool: { ...numbers.pool, size: 2 },
    ownAddress: '127.0.0.1',
    srf: connection.srf,
    mediaThread,
    resample: await loadResampler(),
    fence: openFence,
    clock: systemClock,
    backgroundTasks,
    logger,
  });
  t.teardown(async () => {
    media.empty();
    await backgroundTasks.settled(2_000);
    media.close();
    connection.close();
    await mediaThread.close();
  });
  const nothing = (): void => {};
  await connection.open({
    onInvite: nothing,
    onOptions: nothing,
    onOther: nothing,
    isIgnored: () => false,
    onConnected: nothing,
    onLost: nothing,
    onDialogLost: nothing,
  });
  await media.open();
  return media;
};

/** Audio received at an endpoint since its connection; `say` sends a tone into the call. */
const speaking = async (endpoint: MediaEndpoint, sampleRate: SampleRate) => {
  const heard: Int16Array[] = [];
  const path = await endpoint.connect({ onAudio: (samples) => heard.push(samples), onLost() {} }, sampleRate);
  return {
    say: (hertz: number, seconds: number) => path.send(toneOf(hertz, seconds, sampleRate)),
    /** Received audio of the last given milliseconds. */
    lately: (milliseconds: number): Int16Array =>
      joinSamples(heard).slice((-milliseconds * sampleRate) / 1_000),
    heardMs: (): number => joinSamples(heard).length / (sampleRate / 1_000),
  };
};

const answers: readonly TrunkCodec[] = ['PCMU', 'PCMA', 'G722', 'opus'];

const changes: readonly [TrunkCodec, TrunkCodec][] = [
  ['PCMU', 'PCMA'],
  ['PCMU', 'G722'],
  ['G722', 'PCMU'],
  ['PCMU', 'opus'],
  ['opus', 'PCMA'],
  ['G722', 'opus'],
];

/** A far end with packets of this length and these SDP lines, and an endpoint that is connected to it. */
const callWith = async (
  t: ExecutionContext,
  media: MediaServers,
  { frameMs, lines, direction }: Described,
  { sendsSilence = true } = {},
) => {
  const far = await startEarAndMouth({ frameMs, sendsSilence });
  t.teardown(far.close);
  const described = [
    'v=0',
    'o=far 1 1 IN IP4 127.0.0.1',
    's=-',
    'c=IN IP4 127.0.0.1',
    't=0 0',
    `m=audio ${far.port} RTP/AVP 0 101`,
    'a=rtpmap:0 PCMU/8000',
    'a=rtpmap:101 telephone-event/8000',
    ...lines,
    '',
  ].join('\r\n');
  const endpoint = await media.createEndpoint(direction === 'in' ? described : undefined);
  t.teardown(() => endpoint.destroy());
  if (direction === 'out') await endpoint.takeAnswer(described);
  await far.callsTo(audioIn(endpoint.localSdp)?.port ?? 0);
  return { far, endpoint };
};

const packetTimes: readonly (readonly string[])[] = [
  [],
  ['a=ptime:10'],
  ['a=ptime:20', 'a=maxptime:40'],
  ['a=ptime:30'],
  ['a=ptime:40'],
  ['a=maxptime:60'],
];

/** Duration of the audio in milliseconds. */
const toneMs = 2_000;

/** Milliseconds of audio in which a tone is audible. */
const heardMsOf = (hertz: number, samples: Int16Array): number =>
  100 * amplitudesOf(hertz, samples, 8_000).filter((level) => level > 4_000).length;

type Described = { frameMs: number; direction: 'in' | 'out'; lines: readonly string[] };

/** Plays a tone from each party to the other one; returns the part of each tone that was heard. */
const talk = async (t: ExecutionContext, media: MediaServers, call: Described) => {
  const { far, endpoint } = await callWith(t, media, call);
  const here = await speaking(endpoint, 8_000);
  await delay(500);
  here.say(1_310, toneMs / 1_000);
  const heardBefore = here.heardMs();
  const begunAt = Date.now();
  await far.play(toneOf(2_170, toneMs / 1_000, 8_000));
  await delay(500);
  const passedMs = Date.now() - begunAt;
  const voiced = far.heard().filter(({ loudness }) => loudness > audible);
  return {
    here: heardMsOf(2_170, here.lately(passedMs)) / toneMs,
    there: voiced.reduce((sum, { lastsMs }) => sum + lastsMs, 0) / toneMs,
    time: (here.heardMs() - heardBefore) / passedMs,
  };
};

const testPacketTimes = (servers: () => SipServers): void => {
  for (const lines of packetTimes)
    realTimeTest(
      `sends and receives complete audio with packets of 10 to 40 ms: ${lines.join(' ') || 'no ptime'}`,
      async (t) => {
        const media = await connectedMedia(t, servers());
        const calls = ([10, 20, 30, 40] as const).flatMap((frameMs) =>
          (['in', 'out'] as const).map((direction) => ({ frameMs, direction, lines })),
        );
        const isWhole = (share: number): boolean => share > 0.8 && share < 1.15;
        await Promise.all(
          calls.map(async (call) => {
            const shares = await talk(t, media, call);
            const what = `${call.direction}, packets of ${call.frameMs} ms: ${JSON.stringify(shares)}`;
            t.true(Object.values(shares).every(isWhole), what);
          }),
        );
      },
    );
};

const bursts = 10;
const burstMs = 200;

const testSpeechAfterPauses = (servers: () => SipServers): void =>
  realTimeTest("hears a word after a pause in the far end's stream from its beginning", async (t) => {
    const media = await connectedMedia(t, servers());
    const { far, endpoint } = await callWith(
      t,
      media,
      { frameMs: 20, direction: 'in', lines: [] },
      { sendsSilence: false },
    );
    const here = await speaking(endpoint, 8_000);
    for (let burst = 0; burst < bursts; burst += 1) {
      await far.play(toneOf(2_170, burstMs / 1_000, 8_000));
      await delay(300);
    }
    const loud = here.lately(here.heardMs()).filter((sample) => Math.abs(sample) > 500).length;
    const sent = toneOf(2_170, (bursts * burstMs) / 1_000, 8_000).filter(
      (sample) => Math.abs(sample) > 500,
    ).length;
    t.log({ lostMs: bursts * burstMs * (1 - loud / sent) });
    t.true(loud / sent > 0.9, `${loud} of ${sent} samples`);
  });

const testEndedUnicast = (servers: () => SipServers): void =>
  realTimeTest('two-way audio returns after FreeSWITCH silently ended it', async (t) => {
    const media = await connectedMedia(t, servers());
    const { far, endpoint } = await callWith(t, media, { frameMs: 20, direction: 'in', lines: [] });
    const here = await speaking(endpoint, 8_000);
    here.say(1_310, 4);
    const loud = (): number[] =>
      far
        .heard()
        .filter(({ loudness }) => loudness > audible)
        .map(({ at }) => at);
    await until(() => loud().length > 25);
    const uuid = endpoint.channel()?.uuid ?? '';
    const park = async (): Promise<string> => (await servers().console(`uuid_getvar ${uuid} gw_park`)).trim();
    // Another park that the channel enters by itself ends the unicast.
    await servers().console(`uuid_broadcast ${uuid} 'transfer::again-1 XML trunkline' aleg`);
    await until(async () => !['', '_undef_', '1'].includes(await park()));
    await until(() => loud().some((at) => at > Date.now() - 100));
    const holes = loud().map((at, index, all) => at - (all[index - 1] ?? at));
    t.log({ longestHoleMs: Math.max(...holes) });
    await far.play(toneOf(2_170, 1, 8_000));
    await delay(200);
    t.true(heardMsOf(2_170, here.lately(1_500)) >= 800);
  });

onRealServers('the sound of a channel', (servers) => {
  testPacketTimes(servers);
  testSpeechAfterPauses(servers);
  testEndedUnicast(servers);

  for (const codec of answers)
    realTimeTest(`receives audio opened at the moment of an answer with ${codec}`, async (t) => {
      if (await isWithout(t, servers(), codec)) return;
      const media = await connectedMedia(t, servers());
      for (let times = 1; times <= 5; times += 1) {
        const caller = await media.createEndpoint();
        t.teardown(() => caller.destroy());
        const callee = await media.createEndpoint(withOneVoice(caller.localSdp, { codecs: [codec] }));
        t.teardown(() => callee.destroy());
        await caller.takeAnswer(callee.localSdp);
        await t.notThrowsAsync(speaking(caller, caller.sampleRate()));
        await t.notThrowsAsync(speaking(callee, callee.sampleRate()));
      }
    });

  for (const [first, then] of changes)
    realTimeTest(
      `keeps the pitch on both sides when ${first} changes to ${then} during a call`,
      async (t) => {
        for (const codec of [first, then]) if (await isWithout(t, servers(), codec)) return;
        const media = await connectedMedia(t, servers());
        const caller = await media.createEndpoint();
        t.teardown(() => caller.destroy());
        const offered = (codec: TrunkCodec): string => withOneVoice(caller.localSdp, { codecs: [codec] });
        const callee = await media.createEndpoint(offered(first));
        t.teardown(() => callee.destroy());
        await caller.takeAnswer(callee.localSdp);
        const rate = callee.sampleRate();
        t.is(caller.sampleRate(), rate);
        const there = await speaking(caller, rate);
        const here = await speaking(callee, rate);
        const hears = async (when: string): Promise<void> => {
          there.say(1_310, 2);
          here.say(2_170, 2);
          const before = [there.heardMs(), here.heardMs()] as const;
          const begunAt = Date.now();
          await delay(1_400);
          const passed = Date.now() - begunAt;
          for (const [side, hertz, from] of [
            [here, 1_310, before[1]],
            [there, 2_170, before[0]],
          ] as const) {
            t.is(pitchOf(side.lately(200), rate), hertz, when);
            const levels = amplitudesOf(hertz, side.lately(1_000), rate);
            t.true(medianOf(levels) > 5_000, `${when}: ${levels.map(Math.round).join()}`);
            const comes = (side.heardMs() - from) / passed;
            t.true(comes > 0.8 && comes < 1.1, `${when}: ${comes} of the time is heard`);
          }
          await delay(900);
        };
        await hears('before');
        const answer = await callee.modify(offered(then));
        await caller.modify(answer);
        await hears('after');
        await callee.modify(offered(first));
        await caller.modify(callee.localSdp);
        await hears('and back');
      },
    );

  /** A far end with a channel whose audio passes through this process. */
  const personOn = async (t: ExecutionContext, media: MediaServers) => {
    const ear = await startEarAndMouth();
    t.teardown(ear.close);
    const endpoint = await media.createEndpoint(describeSound({ port: ear.port }));
    t.teardown(() => endpoint.destroy());
    await ear.callsTo(audioIn(endpoint.localSdp)?.port ?? 0);
    return { ear, endpoint, ...(await speaking(endpoint, 8_000)) };
  };

  const bridgeOf = (media: MediaServers, first: MediaEndpoint, second: MediaEndpoint): Bridge => {
    const bridge = media.bridgeOf(first, second);
    if (bridge === null) throw new Error('Both are on one media server');
    return bridge;
  };

  type Hearing = { ear: EarAndMouth; lately: (milliseconds: number) => Int16Array };
  const isHeardBy = async ({ ear: speaker }: Hearing, { ear: listener }: Hearing): Promise<void> => {
    const at = Date.now();
    await speaker.play(beep);
    await until(() => (listener.lastHeardAt() ?? 0) > at);
  };

  /** Waits until audio between the person and this process is heard in both directions. */
  const isHeardHere = async (
    person: Hearing & { say: (hertz: number, seconds: number) => void },
  ): Promise<void> => {
    const at = Date.now();
    person.say(1_000, 0.5);
    await until(() => (person.ear.lastHeardAt() ?? 0) > at);
    void person.ear.play(beep);
    await until(() => person.lately(200).some((sample) => sample > 3_000));
  };

  realTimeTest('returns audio to this process whenever a channel leaves its bridge', async (t) => {
    const media = await connectedMedia(t, servers());
    const [first, second] = [await personOn(t, media), await personOn(t, media)];
    const took: { open: number; leave: number }[] = [];
    for (let times = 1; times <= 3; times += 1) {
      const bridge = bridgeOf(media, first.endpoint, second.endpoint);
      const begunAt = performance.now();
      await bridge.open();
      const openAt = performance.now();
      await isHeardBy(first, second);
      await isHeardBy(second, first);
      const leftAt = performance.now();
      await bridge.leave();
      took.push({
        open: Math.round(openAt - begunAt),
        leave: Math.round(performance.now() - leftAt),
      });
      await second.endpoint.bridgeSide()?.attach();
      await isHeardHere(first);
      await isHeardHere(second);
    }
    t.log(took);
    t.pass();
  });

  realTimeTest('keeps a bridge without a gap while another gateway takes over its channels', async (t) => {
    const media = await connectedMedia(t, servers());
    const [first, second] = [await personOn(t, media), await personOn(t, media)];
    await bridgeOf(media, first.endpoint, second.endpoint).open();
    await isHeardBy(first, second);
    const next = await connectedMedia(t, servers());
    const from = Date.now();
    const adopted = [];
    for (const { endpoint } of [first, second]) {
      const channel = endpoint.channel();
      if (channel === null) throw new Error('It has a channel');
      await endpoint.leave();
      const own = await next.takeOverEndpoint(channel, { keepsBridge: true });
      t.teardown(() => own.destroy());
      adopted.push({ endpoint: own, ...(await speaking(own, 8_000)) });
    }
    const [one, other] = adopted;
    if (one === undefined || other === undefined) throw new Error('Both were adopted');
    const bridge = bridgeOf(next, one.endpoint, other.endpoint);
    await bridge.open();
    await isHeardBy(second, first);
    const packets = second.ear.heard().filter(({ at }) => at >= from);
    const holes = packets.map(({ at }, index) => at - (packets[index - 1]?.at ?? at));
    t.log({ longestHoleMs: Math.max(...holes) });
    t.true(Math.max(...holes) < 200);
    await bridge.leave();
    await isHeardHere({ ...first, ...one });
  });
});
