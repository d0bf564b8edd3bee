/** Several FreeSWITCH servers: choice, failure and calls that move. */
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import test, { type ExecutionContext } from 'ava';
import { mediaServers } from '#config/policy.ts';
import { pcmu } from '#sip/media/g711.ts';
import { parseRtp } from '#sip/media/rtp/rtp-packet.ts';
import type { WatchedLine } from '#test/contract/watched-line.ts';
import type { FarCall } from '#test/doubles/far-end.ts';
import type { FreeSwitch } from '#test/doubles/freeswitch.ts';
import { describeSound } from '#test/doubles/session-description.ts';
import {
  ownNumber,
  plainMediaServers,
  type SipEdge,
  type SipEdgeOptions,
  startSipEdge,
  startSipEdgeOn,
  trunkAddress,
} from '#test/doubles/sip-edge.ts';
import { headerOf } from '#test/doubles/sip-parser.ts';
import { sameSpeech } from '#test/helpers/same-speech.ts';
import { until } from '#test/helpers/until.ts';

// Media servers
// Media servers that are asked for endpoints, die, refuse and come back.

const sdp = describeSound();

type Edge = SipEdge & { one: FreeSwitch; other: FreeSwitch };

const startTwo = async (t: ExecutionContext, options: SipEdgeOptions = {}): Promise<Edge> => {
  const edge = await startSipEdge(t, { freeSwitchCount: 2, ...options });
  const [one, other] = edge.freeSwitches;
  if (one === undefined || other === undefined) throw new Error('There are not two media servers');
  return { ...edge, one, other };
};

const only = ({ freeSwitches }: SipEdge): FreeSwitch => {
  const [freeSwitch] = freeSwitches;
  if (freeSwitch === undefined) throw new Error('There is no media server');
  return freeSwitch;
};

const callsOf = ({ lines }: SipEdge): number[] => lines.mediaServers().map(({ calls }) => calls);

/** A call that is answered. */
const answeredByServer = async (edge: SipEdge): Promise<{ line: WatchedLine; farCall: FarCall }> => {
  const line = edge.call();
  const farCall = await edge.trunk.receives('INVITE');
  farCall.answers(200, { sdp });
  await farCall.receives('ACK');
  await edge.said([line], 'line.answered');
  for (const { channels } of edge.freeSwitches)
    for (const channel of channels()) await channel.untilConnected();
  return { line, farCall };
};

/** Advances the clock until it holds, in steps that leave time for answers over sockets. */
const untilFound = (edge: SipEdge, holds: () => boolean): Promise<true> =>
  until('it is found out', () => {
    if (holds()) return true;
    edge.clock.advance(250);
    return undefined;
  });

const areUsable = ({ lines }: SipEdge): boolean => lines.mediaServers().every(({ isUsable }) => isUsable);

test.serial('calls are spread; those of a media server that dies end, and all others go on', async (t) => {
  const edge = await startTwo(t);
  const calls = [await answeredByServer(edge), await answeredByServer(edge)];
  t.deepEqual(callsOf(edge), [1, 1]);

  await edge.other.kill();
  const [kept, lost] = calls;
  if (kept === undefined || lost === undefined) throw new Error('There are not two calls');
  await untilFound(edge, () => lost.line.saw('line.failed'));
  t.false(kept.line.saw('line.failed'));
  lost.line.tell({ type: 'hangUp' });
  await lost.farCall.receives('BYE');
  await untilFound(edge, () => !areUsable(edge));
  const health = edge.lines.health();
  t.true(health.ready && health.warning?.includes(`:${edge.other.eventSocket.port}: `));

  await answeredByServer(edge);
  t.deepEqual(callsOf(edge), [2, 0]);
  await edge.other.restart();
  await untilFound(edge, () => areUsable(edge));
  t.deepEqual(edge.lines.health(), { ready: true });
  await answeredByServer(edge);
  t.deepEqual(callsOf(edge), [2, 1]);
});

test.serial('when a media server dies, a telephone that rings is told so at once', async (t) => {
  const edge = await startTwo(t);
  const line = edge.call();
  const farCall = await edge.trunk.receives('INVITE');
  farCall.answers(180);
  await edge.said([line], 'line.ringing');
  await edge.one.kill();
  await untilFound(edge, () => farCall.unread().includes('CANCEL'));
  await farCall.receives('CANCEL');
  await edge.said([line], 'line.unanswered');
  t.like(line.all('line.unanswered')[0], {
    cause: 'media_error',
    sip: { reason: 'The media server is gone' },
  });
});

test.serial('a media server that refuses is passed over', async (t) => {
  const edge = await startTwo(t);
  edge.one.refuseEndpoints();
  await answeredByServer(edge);
  t.deepEqual([edge.one.channels().length, edge.other.channels().length], [0, 1]);
});

test.serial('an endpoint that could not be made is tried once more', async (t) => {
  const edge = await startSipEdge(t);
  only(edge).refuseNextEndpoint();
  await answeredByServer(edge);
  t.is(only(edge).channels().length, 1);
});

test.serial(
  'while a media server has too much to do, callers are sent away at once, until one was served',
  async (t) => {
    const edge = await startSipEdge(t);
    const freeSwitch = only(edge);
    freeSwitch.holdEndpoints();
    const first = edge.trunk.calls(ownNumber, { sdp });
    await freeSwitch.untilChannels(1);
    edge.clock.advance(mediaServers.createMs);
    t.is(headerOf(await first.receives(503), 'Retry-After'), '10');
    await freeSwitch.untilChannels(0);
    await edge.trunk.calls(ownNumber, { sdp }).receives(503);
    t.is(freeSwitch.channels().length, 0);

    freeSwitch.letEndpointsGo();
    edge.clock.advance(mediaServers.busy.coolDown.firstMs);
    await answeredByServer(edge);
    await edge.trunk.calls(ownNumber, { sdp }).receives(200);
    t.is(freeSwitch.channels().length, 2);
  },
);

test.serial(
  'a media server that does not answer any more loses its calls, and new ones go elsewhere',
  async (t) => {
    const { probeMs } = mediaServers;
    const edge = await startTwo(t, { mediaServers: { ...plainMediaServers, probeMs } });
    const { line, farCall } = await answeredByServer(edge);
    edge.one.hang(true);
    await untilFound(edge, () => line.saw('line.failed'));
    line.tell({ type: 'hangUp' });
    await farCall.receives('BYE');
    farCall.answers(200);
    await edge.said([line], 'line.ended');
    await answeredByServer(edge);
    t.deepEqual(callsOf(edge), [0, 1]);
    edge.one.hang(false);
    await untilFound(edge, () => areUsable(edge));
  },
);

test.serial('without any media server no call is placed, and it is said of each', async (t) => {
  const edge = await startTwo(t);
  await Promise.all([edge.one.kill(), edge.other.kill()]);
  await untilFound(edge, () => !edge.lines.health().ready);
  const health = edge.lines.health();
  for (const { eventSocket } of [edge.one, edge.other])
    t.regex(health.ready ? '' : health.detail, new RegExp(`FreeSWITCH at .*:${eventSocket.port}: `));
  const line = edge.call();
  await edge.said([line], 'line.unanswered');
  t.like(line.all('line.unanswered')[0], { cause: 'media_error' });
  t.deepEqual(edge.trunk.unread(), []);
});

const unusable: readonly [string, (freeSwitch: FreeSwitch) => void, RegExp][] = [
  [
    'refuses the secret',
    (freeSwitch) => freeSwitch.changeSecret(),
    /it refused the secret \(GW_FREESWITCH_SECRET\)/,
  ],
  ['has no profile', (freeSwitch) => freeSwitch.dropProfile(), /its SIP profile trunkline is not there/],
];
for (const [what, spoil, detail] of unusable)
  test.serial(`a media server that ${what} is not used, and it is said why`, async (t) => {
    const edge = await startSipEdge(t, { spoil: ({ freeSwitches }) => freeSwitches.forEach(spoil) });
    const health = edge.lines.health();
    t.regex(health.ready ? '' : health.detail, detail);
  });

const pooled = (size: number): SipEdgeOptions => ({
  mediaServers: { ...mediaServers, rtpTimeoutMs: 0, pool: { ...mediaServers.pool, size } },
});

/** Resolves when so many wait for a call. */
const untilMade = async (freeSwitch: FreeSwitch, count: number): Promise<void> => {
  await freeSwitch.untilChannels(count);
  for (const channel of freeSwitch.channels()) await channel.untilParked();
};

test.serial('a call takes an endpoint that was made beforehand, and another one is made', async (t) => {
  const edge = await startSipEdge(t, pooled(2));
  const freeSwitch = only(edge);
  await untilMade(freeSwitch, 2);
  const ready = freeSwitch.channels().map(({ uuid }) => uuid);
  const call = edge.trunk.calls(ownNumber, { sdp: describeSound({ port: 34_000 }) });
  await call.receives(200);
  call.sends('ACK');
  await edge.said(edge.inbound, 'line.answered');
  const taken = freeSwitch.channels().find(({ remoteSdp }) => /^m=audio 34000 /m.test(remoteSdp));
  t.true(taken !== undefined && ready.includes(taken.uuid));
  edge.clock.advance(mediaServers.pool.refillMs);
  await freeSwitch.untilChannels(3);
  t.pass();
});

test.serial('an offer that is not for what was made beforehand gets an endpoint of its own', async (t) => {
  const edge = await startSipEdge(t, pooled(1));
  const freeSwitch = only(edge);
  await untilMade(freeSwitch, 1);
  const ready = freeSwitch.channels()[0]?.uuid;
  const call = edge.trunk.calls(ownNumber, { sdp: sdp.replaceAll('101', '96') });
  await call.receives(200);
  call.sends('ACK');
  await edge.said(edge.inbound, 'line.answered');
  t.true(freeSwitch.channels().some(({ uuid }) => uuid === ready));
  t.is(freeSwitch.channels().length, 2);
});

test.serial('what was made beforehand is replaced when it is lost', async (t) => {
  const edge = await startSipEdge(t, pooled(1));
  const freeSwitch = only(edge);
  await untilMade(freeSwitch, 1);
  const [first] = freeSwitch.channels();
  first?.hangUp('NORMAL_CLEARING');
  await until('another one is there', () => {
    edge.clock.advance(mediaServers.pool.refillMs);
    const [next] = freeSwitch.channels();
    return next === undefined || next.uuid === first?.uuid ? undefined : true;
  });
  t.pass();
});

test.serial('a channel is told how long it may hear nothing, and on hold that it may', async (t) => {
  const edge = await startSipEdge(t, {
    mediaServers: { ...mediaServers, rtpTimeoutMs: 1_500, pool: { ...mediaServers.pool, size: 0 } },
  });
  const { line, farCall } = await answeredByServer(edge);
  const channel = edge.freeSwitches[0]?.channels()[0];
  t.is(channel?.variables.get('media_timeout_audio'), '1500');
  farCall.sends('INVITE', { sdp: describeSound({ direction: 'sendonly' }) });
  await farCall.receives(200);
  t.is(channel?.variables.get('media_timeout_audio'), '86400000');
  farCall.sends('ACK');
  await edge.said([line], 'line.held');
});

const onlyChannel = (edge: SipEdge) => {
  const [channel] = only(edge).channels();
  if (channel === undefined) throw new Error('There is no channel');
  return channel;
};

test.serial(
  'a call goes on while the event socket is lost, and hears keys again when it is back',
  async (t) => {
    const edge = await startSipEdge(t);
    const { line } = await answeredByServer(edge);
    await only(edge).closeEventSocket();
    await untilFound(edge, () => !areUsable(edge));
    only(edge).openEventSocket();
    await untilFound(edge, () => areUsable(edge));
    onlyChannel(edge).hearsKey('7');
    await edge.said([line], 'line.digit');
    t.deepEqual(line.story(), ['line.answered', 'line.digit']);
  },
);

test.serial('a call whose channel is gone when the event socket is back has failed', async (t) => {
  const edge = await startSipEdge(t);
  const { line } = await answeredByServer(edge);
  await only(edge).closeEventSocket();
  await untilFound(edge, () => !areUsable(edge));
  onlyChannel(edge).vanish();
  only(edge).openEventSocket();
  await untilFound(edge, () => line.saw('line.failed'));
  t.pass();
});

test.serial('the channels of a gateway that is not heard of any more end, and no others', async (t) => {
  const dead = await startSipEdge(t);
  const living = await startSipEdgeOn(t, dead);
  const [task] = only(dead).tasks();
  const { line } = await answeredByServer(dead);
  const other = await answeredByServer(living);
  only(dead).runTask(task ?? '');
  await dead.said([line], 'line.failed');
  t.is(only(dead).channels().length, 1);
  t.deepEqual(other.line.story(), ['line.answered']);
});

test.serial(
  'FreeSWITCH is told again and again that a gateway lives, and is never without an end for its channels',
  async (t) => {
    const edge = await startSipEdge(t, { mediaServers: { ...mediaServers, rtpTimeoutMs: 0 } });
    for (let times = 1; times <= 3; times += 1) {
      const [before = ''] = only(edge).tasks();
      await untilFound(edge, () => {
        t.true(only(edge).tasks().length > 0);
        return !only(edge).tasks().includes(before);
      });
    }
  },
);

// Moving calls
// Calls that this process carries until the far end wants what only FreeSWITCH can do.

const frames = 120;

/** The loudness of a frame says which one it is, and G.711 carries it unchanged. */
const loudness = Array.from(
  { length: frames },
  (_, index) => pcmu.decode(Uint8Array.of(0xfe - index))[0] ?? 0,
);
const countingVoice = {
  name: 'counting',
  synthesize: async () => ({
    sampleRate: 8_000,
    samples: Int16Array.from({ length: frames * 160 }, (_, index) => loudness[Math.floor(index / 160)] ?? 0),
  }),
};
const frameOf = (samples: Int16Array): number => loudness.indexOf(samples[80] ?? 0);

/** Sound at a name, which this process never looks up. */
const elsewhere = describeSound({ port: 31_000 }).replace('c=IN IP4 127.0.0.1', 'c=IN IP4 sound.example');

const originOf = (sdp: string): string[] => (/^o=(.*?)\r?$/m.exec(sdp)?.[1] ?? '').split(' ').slice(0, 3);

const farSound = async (t: ExecutionContext) => {
  const socket = createSocket('udp4').bind(0, '127.0.0.1');
  await once(socket, 'listening');
  t.teardown(() => void socket.close());
  const heard: number[] = [];
  socket.on('message', (datagram) =>
    heard.push(frameOf(pcmu.decode(parseRtp(datagram)?.payload ?? new Uint8Array()))),
  );
  return { port: socket.address().port, heard };
};

const over = (media: 'auto' | 'direct') => ({
  trunk: { address: trunkAddress, media },
  speech: sameSpeech(countingVoice),
});

const answeredAndMoved = async (edge: SipEdge, port = 30_000) => {
  const call = edge.trunk.calls(ownNumber, { sdp: describeSound({ port }) });
  const { body } = await call.receives(200);
  call.sends('ACK');
  await edge.said(edge.inbound, 'line.answered');
  return { call, body };
};

test.serial(
  'the call goes over to FreeSWITCH in the middle of a sentence, of which nothing is lost or said twice',
  async (t) => {
    const far = await farSound(t);
    const edge = await startSipEdge(t, over('auto'));
    const { call, body } = await answeredAndMoved(edge, far.port);
    const [line] = edge.inbound;
    line?.say('A long sentence that goes on elsewhere.');
    await until('a part of it was heard', () => {
      edge.clock.advance(20);
      return far.heard.some((frame) => frame >= 40) || undefined;
    });
    t.deepEqual(edge.freeSwitches[0]?.channels(), []);

    call.sends('INVITE', { sdp: elsewhere });
    const moved = (await call.receives(200)).body;
    call.sends('ACK');
    const [channel] = edge.freeSwitches[0]?.channels() ?? [];
    t.regex(channel?.remoteSdp ?? '', /sound\.example/);
    t.deepEqual([originOf(body)[1], originOf(body)[2], originOf(moved)[2]], [originOf(moved)[1], '1', '2']);
    const there: number[] = [];
    await until('the rest was heard', () => {
      edge.clock.advance(20);
      there.push(frameOf(channel?.sound?.tick(new Int16Array(160)) ?? new Int16Array(160)));
      return there.includes(frames - 1) || undefined;
    });
    const all = [...far.heard, ...there].filter((frame) => frame >= 0);
    t.deepEqual(
      all,
      Array.from({ length: frames }, (_, frame) => frame),
    );
    await until('it is told', () => {
      edge.clock.advance(20);
      return line?.saw('line.played') || undefined;
    });
    t.true(line?.all('line.played')[0]?.whole);

    // It stays there, and is one call still.
    call.sends('INVITE', { sdp: describeSound({ port: far.port }) });
    t.is(originOf((await call.receives(200)).body)[1], originOf(body)[1]);
    call.sends('ACK');
    t.false(line?.saw('line.failed'));
    call.sends('BYE');
    await call.receives(200);
    await edge.freeSwitches[0]?.untilChannels(0);
  },
);

test.serial('a caller that begins with it is on FreeSWITCH from the start', async (t) => {
  const edge = await startSipEdge(t, over('auto'));
  await edge.trunk.calls(ownNumber, { sdp: elsewhere }).receives(200);
  t.is(edge.freeSwitches[0]?.channels().length, 1);
});

for (const [why, media, spoil, newCall] of [
  ['the trunk wants none', 'direct', () => {}, 488],
  // Another time there may be one.
  ['it has no place', 'auto', ({ freeSwitches }: SipEdge) => freeSwitches[0]?.refuseEndpoints(), 503],
] as const)
  test.serial(
    `without FreeSWITCH, because ${why}, it is refused, and the call stays as it was`,
    async (t) => {
      const far = await farSound(t);
      const edge = await startSipEdge(t, over(media));
      const { call } = await answeredAndMoved(edge, far.port);
      spoil(edge);
      call.sends('INVITE', { sdp: elsewhere });
      await call.receives(488);
      edge.inbound[0]?.say('This is heard as before.');
      await until('it is heard', () => {
        edge.clock.advance(20);
        return far.heard.includes(frames - 1) || undefined;
      });
      t.false(edge.inbound[0]?.saw('line.failed'));
      await edge.trunk.calls(ownNumber, { sdp: elsewhere }).receives(newCall);
    },
  );
