/** Several FreeSWITCH servers: choice and failure; the carrier of a call. */
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { setImmediate } from 'node:timers/promises';
import test, { type ExecutionContext } from 'ava';
import { mediaServers } from '#config/policy.ts';
import { pcmu } from '#sip/audio/g711.ts';
import { parseRtp } from '#sip/rtp/rtp-packet.ts';
import type { TrunkMedia, TrunkSrtp } from '#src/domain/trunk.ts';
import type { WatchedLine } from '#test/contract/watched-line.ts';
import { createFailingSessions } from '#test/doubles/failing-sessions.ts';
import type { FarCall } from '#test/doubles/far-end.ts';
import type { FreeSwitch } from '#test/doubles/freeswitch.ts';
import type { MediaChannel } from '#test/doubles/media-channel.ts';
import { describeSound, directionIn } from '#test/doubles/session-description.ts';
import {
  ownNumber,
  plainMediaServers,
  type SipEdge,
  type SipEdgeOptions,
  startSipEdge,
  startSipEdgeOn,
  trunkAddress,
} from '#test/doubles/sip-edge.ts';
import { headerOf, type SipMessage } from '#test/doubles/sip-parser.ts';
import { sameSpeech } from '#test/helpers/same-speech.ts';
import { until } from '#test/helpers/until.ts';
import { directoryOf, someTrunk } from '#test/sip/trunks/some-trunk.ts';

// Media servers
// Media servers that get requests for endpoints, die, reject and return.

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

/** An answered call. */
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

/** Advances the clock until the condition holds, in steps that leave time for responses over sockets. */
const untilFound = (edge: SipEdge, holds: () => boolean): Promise<true> =>
  until('it is found out', () => {
    if (holds()) return true;
    edge.clock.advance(250);
    return undefined;
  });

const areUsable = ({ lines }: SipEdge): boolean => lines.mediaServers().every(({ isUsable }) => isUsable);

/** The re-INVITE by which a call moves to another media server. */
const moveOf = async (edge: SipEdge, { farCall }: { farCall: FarCall }): Promise<SipMessage> => {
  await untilFound(edge, () => farCall.unread().includes('INVITE'));
  return farCall.receives('INVITE');
};

/** The channel of the call that has moved last to this media server, with its audio. */
const channelOfMoved = async (to: FreeSwitch): Promise<MediaChannel> => {
  const channel = to.channels().at(-1);
  if (channel === undefined) throw new Error('There is no channel');
  await channel.untilConnected();
  return channel;
};

const portIn = (description = ''): string | undefined => /^m=audio (\d+)/m.exec(description)?.[1];

test.serial('distributes calls, and moves those of a dead media server to another one', async (t) => {
  const edge = await startTwo(t);
  const calls = [await answeredByServer(edge), await answeredByServer(edge)];
  t.deepEqual(callsOf(edge), [1, 1]);

  await edge.other.kill();
  const [kept, moved] = calls;
  if (kept === undefined || moved === undefined) throw new Error('There are not two calls');
  const { body } = await moveOf(edge, moved);
  const before = moved.farCall.ladder().length;
  moved.farCall.answers(200, { sdp });
  await moved.farCall.receives('ACK');
  const channel = await channelOfMoved(edge.one);
  t.is(portIn(body), portIn(channel.variable('rtp_local_sdp_str')));
  channel.receivesDigit('7');
  await edge.said([moved.line], 'line.digit');
  t.deepEqual(moved.line.story(), ['line.answered', 'line.digit']);
  t.deepEqual(kept.line.story(), ['line.answered']);
  t.deepEqual(moved.farCall.ladder().slice(before), ['→ 200', '← ACK']);
  t.deepEqual(callsOf(edge), [2, 0]);
  moved.line.tell({ type: 'hangUp' });
  await moved.farCall.receives('BYE');
  moved.farCall.answers(200);
  await edge.said([moved.line], 'line.ended');
  t.deepEqual(callsOf(edge), [1, 0]);
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

test.serial(
  'plays an utterance that was queued during the move of a call on the next media server',
  async (t) => {
    const edge = await startTwo(t);
    const call = await answeredByServer(edge);
    await edge.one.kill();
    await moveOf(edge, call);
    call.line.say('여보세요');
    edge.clock.advance(1_000);
    t.false(call.line.saw('line.played'));
    call.farCall.answers(200, { sdp });
    await channelOfMoved(edge.other);
    await untilFound(edge, () => call.line.saw('line.played'));
    t.like(call.line.all('line.played')[0], { whole: true });
  },
);

/** An inbound call whose media server has died, on its next one. */
const movedCaller = async (t: ExecutionContext) => {
  const edge = await startTwo(t);
  const farCall = edge.trunk.calls(ownNumber, { sdp });
  await farCall.receives(200);
  farCall.sends('ACK');
  const line = await until('there is a line', () => edge.inbound[0]);
  await edge.said([line], 'line.answered');
  for (const channel of edge.one.channels()) await channel.untilConnected();
  await edge.one.kill();
  const { body: offered } = await moveOf(edge, { farCall });
  farCall.answers(200, { sdp });
  await farCall.receives('ACK');
  const channel = await channelOfMoved(edge.other);
  return { edge, farCall, line, offered, port: portIn(channel.variable('rtp_local_sdp_str')) };
};

test.serial(
  'keeps the call of a caller when its media server dies, and the caller can hold it',
  async (t) => {
    const { edge, farCall, line, port } = await movedCaller(t);
    farCall.sends('INVITE', { sdp: describeSound({ direction: 'sendonly' }) });
    t.is(portIn((await farCall.receives(200)).body), port);
    farCall.sends('ACK');
    await edge.said([line], 'line.held');
    t.deepEqual(line.story(), ['line.answered', 'line.held']);
  },
);

test.serial('answers an INVITE without an offer with the description of the next media server', async (t) => {
  const { farCall, offered } = await movedCaller(t);
  farCall.sends('INVITE');
  t.is((await farCall.receives(200)).body, offered);
});

test.serial('a call that has moved to another media server can be resumed without an offer', async (t) => {
  const { edge, farCall, line, port } = await movedCaller(t);
  farCall.sends('INVITE', { sdp: describeSound({ direction: 'sendonly' }) });
  await farCall.receives(200);
  farCall.sends('ACK');
  await edge.said([line], 'line.held');
  farCall.sends('INVITE');
  const { body } = await farCall.receives(200);
  t.deepEqual([portIn(body), directionIn(body)], [port, 'sendrecv']);
  farCall.sends('ACK', { sdp });
  await edge.said([line], 'line.resumed');
  t.deepEqual(line.story(), ['line.answered', 'line.held', 'line.resumed']);
});

test.serial('fails a call whose far end rejects the re-INVITE to another media server', async (t) => {
  const edge = await startTwo(t);
  const call = await answeredByServer(edge);
  await edge.one.kill();
  await moveOf(edge, call);
  call.farCall.answers(488);
  await untilFound(edge, () => call.line.saw('line.failed'));
  await untilFound(edge, () => edge.other.channels().length === 0);
  call.line.tell({ type: 'hangUp' });
  await untilFound(edge, () => call.farCall.unread().includes('BYE'));
  call.farCall.answers(200, { to: 'BYE' });
  await edge.said([call.line], 'line.ended');
  t.deepEqual(call.line.story(), ['line.answered', 'line.failed', 'line.ended']);
});

test.serial(
  'attributes the end to the far end if it hangs up during the re-INVITE to another media server',
  async (t) => {
    const edge = await startTwo(t);
    const call = await answeredByServer(edge);
    await edge.one.kill();
    await moveOf(edge, call);
    call.farCall.sends('BYE');
    call.farCall.answers(481, { to: 'INVITE' });
    await untilFound(edge, () => call.line.saw('line.ended'));
    t.deepEqual(call.line.story(), ['line.answered', 'line.ended']);
    t.like(call.line.all('line.ended')[0], { by: 'counterparty' });
  },
);

test.serial('fails a call immediately if its media server dies and there is no other', async (t) => {
  const edge = await startSipEdge(t);
  const call = await answeredByServer(edge);
  await only(edge).kill();
  await untilFound(edge, () => call.line.saw('line.failed'));
  t.deepEqual(call.farCall.unread(), []);
});

test.serial('reports a dead media server to a ringing telephone at once', async (t) => {
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

test.serial('uses another media server if one rejects', async (t) => {
  const edge = await startTwo(t);
  edge.one.refuseEndpoints();
  await answeredByServer(edge);
  t.deepEqual([edge.one.channels().length, edge.other.channels().length], [0, 1]);
});

/** Resolves when the load of a media server is known. */
const untilLoad = (edge: SipEdge, index: number, sessions: number): Promise<true> =>
  untilFound(edge, () => edge.lines.mediaServers()[index]?.load?.sessions === sessions);

const load = { sessions: 10, maxSessions: 1_000, idleCpu: 50 };

test.serial('gives no call to a media server whose sessions are all in use', async (t) => {
  const edge = await startTwo(t);
  edge.one.heartbeat({ ...load, sessions: 1_000 });
  await untilLoad(edge, 0, 1_000);
  await answeredByServer(edge);
  await answeredByServer(edge);
  t.deepEqual(callsOf(edge), [0, 2]);
  const health = edge.lines.health();
  t.regex(
    health.ready ? (health.warning ?? '') : '',
    /takes no new calls: all of its 1000 sessions are in use/,
  );

  edge.one.heartbeat(load);
  await untilLoad(edge, 0, 10);
  t.deepEqual(edge.lines.health(), { ready: true });
  await answeredByServer(edge);
  t.deepEqual(callsOf(edge), [1, 2]);
});

test.serial("counts the gateway's own sessions between two heartbeats", async (t) => {
  const edge = await startSipEdge(t);
  only(edge).heartbeat({ ...load, sessions: 9, maxSessions: 10 });
  await untilLoad(edge, 0, 9);
  const { line, farCall } = await answeredByServer(edge);
  const refused = edge.call();
  await edge.said([refused], 'line.unanswered');
  t.like(refused.all('line.unanswered')[0], { cause: 'media_error' });
  t.regex(
    refused.all('line.unanswered')[0]?.sip?.reason ?? '',
    /FreeSWITCH at 127\.0\.0\.1:\d+ takes no new calls: all of its 10 sessions are in use\./,
  );
  t.is(headerOf(await edge.trunk.calls(ownNumber, { sdp }).receives(503), 'Retry-After'), '10');

  line.tell({ type: 'hangUp' });
  await farCall.receives('BYE');
  farCall.answers(200);
  await untilFound(edge, () => callsOf(edge)[0] === 0);
  await answeredByServer(edge);
  t.true(edge.lines.health().ready);
});

test.serial('rejects calls while a media server has too little idle CPU, and stays ready', async (t) => {
  const edge = await startSipEdge(t, { mediaServers: { ...plainMediaServers, minIdleCpu: 10 } });
  await answeredByServer(edge);
  only(edge).heartbeat({ ...load, idleCpu: 9.4 });
  await untilLoad(edge, 0, 10);
  const refused = edge.call();
  await edge.said([refused], 'line.unanswered');
  t.regex(
    refused.all('line.unanswered')[0]?.sip?.reason ?? '',
    /its machine has 9 % idle CPU, less than GW_FREESWITCH_MIN_IDLE_CPU \(10 %\)\./,
  );
  t.true(edge.lines.health().ready);

  only(edge).heartbeat({ ...load, sessions: 11, idleCpu: 10 });
  await untilLoad(edge, 0, 11);
  await answeredByServer(edge);
});

test.serial('accepts calls with no idle CPU if no minimum is set, and without a heartbeat', async (t) => {
  const edge = await startSipEdge(t);
  await answeredByServer(edge);
  only(edge).heartbeat({ ...load, idleCpu: 0 });
  await untilLoad(edge, 0, 10);
  await answeredByServer(edge);
  t.is(callsOf(edge)[0], 2);
});

test.serial('retries the creation of an endpoint once', async (t) => {
  const edge = await startSipEdge(t);
  only(edge).refuseNextEndpoint();
  await answeredByServer(edge);
  t.is(only(edge).channels().length, 1);
});

test.serial(
  'rejects callers at once while a media server is overloaded, until one can be served',
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

    freeSwitch.releaseEndpoints();
    edge.clock.advance(mediaServers.busy.coolDown.firstMs);
    await answeredByServer(edge);
    await edge.trunk.calls(ownNumber, { sdp }).receives(200);
    t.is(freeSwitch.channels().length, 2);
  },
);

test.serial('ends the calls of an unresponsive media server, and places new ones on another', async (t) => {
  const { probeMs } = mediaServers;
  const edge = await startTwo(t, { mediaServers: { ...plainMediaServers, probeMs } });
  const call = await answeredByServer(edge);
  edge.one.hang(true);
  await moveOf(edge, call);
  call.farCall.answers(200, { sdp });
  await call.farCall.receives('ACK');
  await channelOfMoved(edge.other);
  await answeredByServer(edge);
  t.deepEqual(call.line.story(), ['line.answered']);
  t.deepEqual(callsOf(edge), [0, 2]);
  edge.one.hang(false);
  await untilFound(edge, () => areUsable(edge));
});

test.serial('places no call without a media server and reports the failure for each call', async (t) => {
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
    'rejects the password',
    (freeSwitch) => freeSwitch.changeSecret(),
    /it refused the secret \(GW_FREESWITCH_SECRET\)/,
  ],
  ['has no SIP profile', (freeSwitch) => freeSwitch.dropProfile(), /its SIP profile trunkline is not there/],
];
for (const [what, spoil, detail] of unusable)
  test.serial(`does not use a media server that ${what}, and reports the reason`, async (t) => {
    const edge = await startSipEdge(t, { spoil: ({ freeSwitches }) => freeSwitches.forEach(spoil) });
    const health = edge.lines.health();
    t.regex(health.ready ? '' : health.detail, detail);
  });

const pooled = (size: number): SipEdgeOptions => ({
  mediaServers: { ...mediaServers, rtpTimeoutMs: 0, pool: { ...mediaServers.pool, size } },
});

/** Resolves when this many requests of a call are pending. */
const untilMade = async (freeSwitch: FreeSwitch, count: number): Promise<void> => {
  await freeSwitch.untilChannels(count);
  for (const channel of freeSwitch.channels()) await channel.untilParked();
};

test.serial('uses a pooled endpoint for a call and replaces it in the pool', async (t) => {
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

test.serial('creates a separate endpoint for an offer unsuitable for pooled ones', async (t) => {
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

test.serial('replaces a lost pooled endpoint', async (t) => {
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

/** Loses the connection to drachtio-server; resolves after the time limit of what began before it was back. */
const loseSignalling = async (edge: SipEdge): Promise<void> => {
  edge.drachtio.cutConnections();
  await until('the connection is lost', () => !edge.lines.health().ready || undefined);
  edge.clock.advance(250);
  await until('the connection is back', () => edge.lines.health().ready || undefined);
  edge.clock.advance(mediaServers.createMs);
  await setImmediate();
};

test.serial('does not take a loss of drachtio-server during a creation for an overload', async (t) => {
  const edge = await startSipEdge(t);
  const freeSwitch = only(edge);
  freeSwitch.holdEndpoints();
  edge.trunk.calls(ownNumber, { sdp });
  await freeSwitch.untilChannels(1);
  await loseSignalling(edge);
  freeSwitch.releaseEndpoints();
  await t.notThrowsAsync(edge.trunk.calls(ownNumber, { sdp }).receives(200));
});

test.serial('fills the pool again once drachtio-server is back', async (t) => {
  const edge = await startSipEdge(t, pooled(1));
  const freeSwitch = only(edge);
  await untilMade(freeSwitch, 1);
  const [first] = freeSwitch.channels();
  await loseSignalling(edge);
  await until('another one is there', () => {
    const { uuid } = freeSwitch.channels().at(-1) ?? {};
    return (uuid !== undefined && uuid !== first?.uuid) || undefined;
  });
  const unusual = edge.trunk.calls(ownNumber, { sdp: sdp.replaceAll('101', '96') });
  await t.notThrowsAsync(unusual.receives(200));
});

const onlyChannel = (edge: SipEdge) => {
  const [channel] = only(edge).channels();
  if (channel === undefined) throw new Error('There is no channel');
  return channel;
};

test.serial('sets the media time-out of a channel and suspends it on hold', async (t) => {
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

test.serial(
  'suspends the media time-out at the next hold if FreeSWITCH could not do so before',
  async (t) => {
    const edge = await startSipEdge(t, {
      mediaServers: { ...mediaServers, rtpTimeoutMs: 1_500, pool: { ...mediaServers.pool, size: 0 } },
    });
    const { line, farCall } = await answeredByServer(edge);
    const channel = onlyChannel(edge);
    channel.refuseNextVariable();
    const hold = { sdp: describeSound({ direction: 'sendonly' }) };
    farCall.sends('INVITE', hold);
    await farCall.receives(488);
    farCall.sends('ACK');
    farCall.sends('INVITE', hold);
    await farCall.receives(200);
    t.is(channel.variables.get('media_timeout_audio'), '86400000');
    farCall.sends('ACK');
    await edge.said([line], 'line.held');
  },
);

test.serial('keeps the media time-out of a channel if FreeSWITCH rejects a hold', async (t) => {
  const edge = await startSipEdge(t, {
    mediaServers: { ...mediaServers, rtpTimeoutMs: 1_500, pool: { ...mediaServers.pool, size: 0 } },
  });
  const { line, farCall } = await answeredByServer(edge);
  const channel = onlyChannel(edge);
  channel.refuseNextOffer();
  farCall.sends('INVITE', { sdp: describeSound({ direction: 'sendonly' }) });
  await farCall.receives(488);
  t.is(channel.variables.get('media_timeout_audio'), '1500');
  t.deepEqual(line.story(), ['line.answered']);
});

test.serial(
  'continues a call after a lost event socket, and receives digits again after reconnection',
  async (t) => {
    const edge = await startSipEdge(t);
    const { line } = await answeredByServer(edge);
    only(edge).closeEventSocket();
    await untilFound(edge, () => !areUsable(edge));
    only(edge).openEventSocket();
    await untilFound(edge, () => areUsable(edge));
    onlyChannel(edge).receivesDigit('7');
    await edge.said([line], 'line.digit');
    t.deepEqual(line.story(), ['line.answered', 'line.digit']);
  },
);

test.serial('fails a call whose channel no longer exists after reconnection', async (t) => {
  const edge = await startSipEdge(t);
  const call = await answeredByServer(edge);
  only(edge).closeEventSocket();
  await untilFound(edge, () => !areUsable(edge));
  onlyChannel(edge).vanish();
  only(edge).openEventSocket();
  await moveOf(edge, call);
  call.farCall.answers(200, { sdp });
  await channelOfMoved(only(edge));
  t.deepEqual(call.line.story(), ['line.answered']);
});

test.serial('FreeSWITCH ends exactly the channels of a gateway that no longer renews them', async (t) => {
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

test.serial('renews the scheduled end of its channels before it is reached', async (t) => {
  const edge = await startSipEdge(t, { mediaServers: { ...mediaServers, rtpTimeoutMs: 0 } });
  for (let times = 1; times <= 3; times += 1) {
    const [before = ''] = only(edge).tasks();
    await untilFound(edge, () => {
      t.true(only(edge).tasks().length > 0);
      return !only(edge).tasks().includes(before);
    });
  }
});

// One carrier for a call
// A call keeps the carrier with which it was set up. A re-INVITE that this carrier cannot serve is rejected.

const frames = 120;

/** The loudness of a frame is its number, which G.711 preserves. */
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

/** Media at a host name, which this process never resolves. */
const atHostName = describeSound({ port: 31_000 }).replace('c=IN IP4 127.0.0.1', 'c=IN IP4 media.example');
const encrypted = (offer: string): string =>
  offer
    .replace('RTP/AVP', 'RTP/SAVP')
    .replace('a=sendrecv', `a=crypto:1 AES_CM_128_HMAC_SHA1_80 inline:${'A'.repeat(40)}\r\na=sendrecv`);

const originOf = (sdp: string): string[] => (/^o=(.*?)\r?$/m.exec(sdp)?.[1] ?? '').split(' ').slice(0, 3);

const openFarSocket = async (t: ExecutionContext) => {
  const socket = createSocket('udp4').bind(0, '127.0.0.1');
  await once(socket, 'listening');
  t.teardown(() => void socket.close());
  const heard: number[] = [];
  socket.on('message', (datagram) =>
    heard.push(frameOf(pcmu.decode(parseRtp(datagram)?.payload ?? new Uint8Array()))),
  );
  return { port: socket.address().port, heard };
};

const carriedBy = (media: TrunkMedia, srtp: TrunkSrtp = 'off') => {
  const [host = '', port = ''] = trunkAddress.split(':');
  const trunk = someTrunk({ host, port: Number(port), inboundAddresses: [host], media, srtp });
  return { trunks: directoryOf([trunk]), speech: sameSpeech(countingVoice) };
};

const answered = async (edge: SipEdge, offer: string) => {
  const call = edge.trunk.calls(ownNumber, { sdp: offer });
  const { body } = await call.receives(200);
  call.sends('ACK');
  await edge.said(edge.inbound, 'line.answered');
  await edge.freeSwitches[0]?.channels()[0]?.untilConnected();
  const [line] = edge.inbound;
  if (line === undefined) throw new Error('There is no line');
  return { call, body, line };
};

for (const [carrier, options, offered, refused] of [
  ['direct', carriedBy('direct'), (port: number) => describeSound({ port }), atHostName],
  ['auto, by the gateway', carriedBy('auto'), (port: number) => describeSound({ port }), atHostName],
  ['auto, by FreeSWITCH', carriedBy('auto', 'optional'), () => atHostName, encrypted(atHostName)],
  [
    'freeswitch',
    carriedBy('freeswitch'),
    () => describeSound(),
    describeSound().replace('c=IN IP4 127.0.0.1', 'c=IN IP6 2001:db8::1'),
  ],
] as const)
  test.serial(
    `${carrier}: rejects with 488 a re-INVITE that the carrier cannot serve, and continues the audio without a gap`,
    async (t) => {
      const far = await openFarSocket(t);
      const edge = await startSipEdge(t, options);
      const { call, body, line } = await answered(edge, offered(far.port));
      const channels = edge.freeSwitches[0]?.channels() ?? [];
      const [channel] = channels;
      const beat = (): void => {
        edge.clock.advance(20);
        if (channel !== undefined)
          far.heard.push(frameOf(channel.sound?.tick(new Int16Array(160)) ?? new Int16Array(160)));
      };
      line.say('A long sentence during which the far end wants another codec.');
      await until('the beginning is heard', () => {
        beat();
        return far.heard.some((frame) => frame >= 40) || undefined;
      });

      call.sends('INVITE', { sdp: refused });
      const refusal = await call.receives(488);
      t.regex(headerOf(refusal, 'Warning') ?? '', /^(?:399|300) trunkline "/);
      await until('the sentence is heard to its end', () => {
        beat();
        return line.saw('line.played') || undefined;
      });
      t.deepEqual(
        far.heard.filter((frame) => frame >= 0),
        Array.from({ length: frames }, (_, frame) => frame),
      );
      t.true(line.all('line.played')[0]?.whole);
      t.is(edge.freeSwitches[0]?.channels().length, channels.length, 'the carrier is the same');

      // The session continues with the description that was agreed before.
      call.sends('INVITE', { sdp: offered(far.port) });
      const again = (await call.receives(200)).body;
      t.is(originOf(again)[1], originOf(body)[1]);
      call.sends('ACK');
      t.deepEqual(
        line.story().filter((event) => event !== 'line.played'),
        ['line.answered'],
      );
      call.sends('BYE');
      await call.receives(200);
      await edge.freeSwitches[0]?.untilChannels(0);
    },
  );

for (const media of ['direct', 'freeswitch'] as const)
  test.serial(
    `${media}: fails a call whose session in the media thread has failed, and no other`,
    async (t) => {
      const { wrapMediaThread, opened, fail } = createFailingSessions();
      const edge = await startSipEdge(t, { ...carriedBy(media), wrapMediaThread });
      const [failing, other] = [await answeredByServer(edge), await answeredByServer(edge)];
      t.is(opened.length, 2);
      fail(opened[0]);
      await edge.said([failing.line], 'line.failed');
      other.line.tell({ type: 'hangUp' });
      await other.farCall.receives('BYE');
      other.farCall.answers(200);
      await edge.said([other.line], 'line.ended');
      t.deepEqual(other.line.story(), ['line.answered', 'line.ended']);
    },
  );

test.serial('keeps a held call on hold after a rejected re-INVITE', async (t) => {
  const edge = await startSipEdge(t, carriedBy('auto'));
  const { call, line } = await answered(edge, describeSound());
  call.sends('INVITE', { sdp: describeSound({ direction: 'sendonly' }) });
  await call.receives(200);
  call.sends('ACK');
  await edge.said([line], 'line.held');
  call.sends('INVITE', { sdp: atHostName });
  await call.receives(488);
  call.sends('OPTIONS');
  await call.receives(200);
  t.deepEqual(line.story(), ['line.answered', 'line.held']);
});

test.serial('keeps the session timer after a rejected re-INVITE', async (t) => {
  const edge = await startSipEdge(t, carriedBy('auto'));
  const { call } = await answered(edge, describeSound());
  const asking = (value: string) => ({ Supported: 'timer', 'Session-Expires': value });
  call.sends('INVITE', { sdp: atHostName, headers: asking('90;refresher=uas') });
  await call.receives(488);
  call.sends('INVITE', { sdp: describeSound(), headers: asking('1800') });
  const answer = await call.receives(200);
  t.is(headerOf(answer, 'Session-Expires'), '1800;refresher=uas', 'the far end still refreshes');
});

test.serial(
  'auto: carries an offer that only FreeSWITCH supports by FreeSWITCH from the start',
  async (t) => {
    const edge = await startSipEdge(t, carriedBy('auto'));
    await edge.trunk.calls(ownNumber, { sdp: atHostName }).receives(200);
    t.is(edge.freeSwitches[0]?.channels().length, 1);
  },
);

test.serial('direct: rejects an offer that only FreeSWITCH supports with 488', async (t) => {
  const edge = await startSipEdge(t, carriedBy('direct'));
  const refusal = await edge.trunk.calls(ownNumber, { sdp: atHostName }).receives(488);
  t.regex(headerOf(refusal, 'Warning') ?? '', /^399 trunkline "/);
});

test.serial(
  'auto: rejects an offer that only FreeSWITCH supports with 503 while FreeSWITCH is full',
  async (t) => {
    const edge = await startSipEdge(t, carriedBy('auto'));
    edge.freeSwitches[0]?.refuseEndpoints();
    await t.notThrowsAsync(edge.trunk.calls(ownNumber, { sdp: atHostName }).receives(503));
  },
);
