/** Signalling: dialogs, routes, DTMF, session timers and trunk checks. */
import { EventEmitter } from 'node:events';
import { setImmediate as turn } from 'node:timers/promises';
import test, { type ExecutionContext } from 'ava';
import pino from 'pino';
import { createBackgroundTasks } from '#sip/background-tasks.ts';
import { noSipCapture } from '#sip/drachtio/capture/sip-capture.ts';
import { createRoute, noWay } from '#sip/drachtio/call-route.ts';
import { createDtmfDeduplication, dtmfOf } from '#sip/drachtio/dtmf/dtmf.ts';
import { NotConnected, type SendCommand } from '#sip/drachtio/resume/end-leg.ts';
import { createMergedRequests, requestProblem } from '#sip/drachtio/header-inspection.ts';
import { arrivingLeg } from '#sip/drachtio/resume/leg-states.ts';
import { createLegTracker, type LegTracker } from '#sip/drachtio/resume/leg-tracker.ts';
import {
  afterTooSmall,
  agreedTimer,
  answerTimer,
  isTooSmall,
  refreshedTimer,
  sameTimer,
  sessionExpiresOf,
  timerOffer,
} from '#sip/drachtio/dialog/session-timer.ts';
import type { MediaChannel as LegChannel, SipLeg } from '#src/domain/sip-leg.ts';
import type { TrunkMedia } from '#src/domain/trunk.ts';
import { createOrderedClock, type OrderedClock } from '#test/contract/ordered-clock.ts';
import type { WatchedLine } from '#test/contract/watched-line.ts';
import { createFarEnd, type FarCall, type FarEnd } from '#test/doubles/far-end.ts';
import type { MediaChannel } from '#test/doubles/media-channel.ts';
import { describeSound, formatsIn } from '#test/doubles/session-description.ts';
import {
  ownNumber,
  type SipEdge,
  type SipEdgeOptions,
  startSipEdge,
  trunkAddress,
} from '#test/doubles/sip-edge.ts';
import { headerOf, type MessageParts, mustHave, sequenceOf } from '#test/doubles/sip-parser.ts';
import { until } from '#test/helpers/until.ts';
import { headersOf } from '#test/sip/headers-of.ts';
import { directoryOf, someTrunk } from '#test/sip/trunks/some-trunk.ts';

// In-dialog requests
// Requests of the far end within a call, as ladders between it and the gateway.

const inDialogRequestsSdp = describeSound();

type Standing = SipEdge & { line: WatchedLine; farCall: FarCall; channel: MediaChannel };

/** An answered outbound call. */
const dialled = async (t: ExecutionContext): Promise<Standing> => {
  const edge = await startSipEdge(t);
  const line = edge.call();
  const farCall = await edge.trunk.receives('INVITE');
  farCall.answers(200, { sdp: inDialogRequestsSdp });
  await farCall.receives('ACK');
  await edge.said([line], 'line.answered');
  return { ...edge, line, farCall, channel: channelOf(edge) };
};

/** An answered inbound call. */
const taken = async (t: ExecutionContext): Promise<Standing> => {
  const edge = await startSipEdge(t);
  const farCall = edge.trunk.calls(ownNumber, { sdp: inDialogRequestsSdp });
  await farCall.receives(200);
  farCall.sends('ACK');
  await edge.said(edge.inbound, 'line.answered');
  const [line] = edge.inbound;
  if (line === undefined) throw new Error('No line was opened');
  return { ...edge, line, farCall, channel: channelOf(edge) };
};

const channelOf = ({ freeSwitches }: SipEdge): MediaChannel => {
  const channel = freeSwitches[0]?.channels()[0];
  if (channel === undefined) throw new Error('There is no channel');
  return channel;
};

const holds: readonly [string, string, string][] = [
  ['sendonly', describeSound({ direction: 'sendonly' }), 'recvonly'],
  ['inactive', describeSound({ direction: 'inactive' }), 'inactive'],
  ['to 0.0.0.0', inDialogRequestsSdp.replace('IN IP4 127.0.0.1\r\nt=', 'IN IP4 0.0.0.0\r\nt='), 'recvonly'],
];
for (const [how, held, answered] of holds)
  for (const [way, begin] of [
    ['dialled', dialled],
    ['taken', taken],
  ] as const)
    test.serial(`puts a call that was ${way} on hold and resumes it: ${how}`, async (t) => {
      const { line, farCall, said, until } = await begin(t);
      farCall.sends('INVITE', { sdp: held });
      t.regex((await farCall.receives(200)).body, new RegExp(`^a=${answered}\\r$`, 'm'));
      farCall.sends('ACK');
      await said([line], 'line.held');
      farCall.sends('INVITE', { sdp: inDialogRequestsSdp });
      t.regex((await farCall.receives(200)).body, /^a=sendrecv\r$/m);
      farCall.sends('ACK');
      await until(() => line.saw('line.resumed'));
      t.deepEqual(line.story().slice(-2), ['line.held', 'line.resumed']);
    });

const unacceptable: readonly [string, string, RegExp][] = [
  ['unknown codecs only', describeSound({ formats: [18, 101] }), /^399 trunkline "/],
  ['no audio', describeSound({ port: 0 }), /^399 trunkline "/],
];
for (const method of ['INVITE', 'UPDATE'])
  for (const [what, offer, warning] of unacceptable)
    test.serial(`rejects ${method} with ${what}, and continues the call unchanged`, async (t) => {
      const { farCall, channel, line } = await dialled(t);
      const before = channel.remoteSdp;
      farCall.sends(method, { sdp: offer });
      t.regex(headerOf(await farCall.receives(488), 'Warning') ?? '', warning);
      farCall.sends('OPTIONS');
      await farCall.receives(200);
      t.is(channel.remoteSdp, before);
      t.false(line.isOver());
    });

test.serial('sends audio to a new address without changing the hold state', async (t) => {
  const { farCall, channel, line } = await dialled(t);
  farCall.sends('UPDATE', { sdp: describeSound({ port: 32_000 }) });
  t.regex((await farCall.receives(200)).body, /^m=audio \d+ /m);
  t.regex(channel.remoteSdp, /^m=audio 32000 /m);
  t.false(line.saw('line.held'));
});

test.serial(
  'answers a re-INVITE without offer with an offer and accepts the answer in the ACK',
  async (t) => {
    const { farCall, channel, line, said } = await dialled(t);
    farCall.sends('INVITE');
    t.regex((await farCall.receives(200)).body, /^m=audio \d+ RTP\/AVP 0/m);
    farCall.sends('ACK', { sdp: describeSound({ port: 33_000, direction: 'sendonly' }) });
    await said([line], 'line.held');
    t.regex(channel.remoteSdp, /^m=audio 33000 /m);
  },
);

for (const method of ['INVITE', 'UPDATE'])
  for (const refresher of ['uac', 'uas'])
    test.serial(`refreshes a session by ${method}, with ${refresher} as refresher throughout`, async (t) => {
      const { farCall, line } = await dialled(t);
      const headers = { Supported: 'timer', 'Session-Expires': `90;refresher=${refresher}` };
      farCall.sends(method, method === 'INVITE' ? { headers, sdp: inDialogRequestsSdp } : { headers });
      const answer = await farCall.receives(200);
      t.is(headerOf(answer, 'Session-Expires'), `90;refresher=${refresher}`);
      t.is(headerOf(answer, 'Require'), refresher === 'uac' ? 'timer' : undefined);
      t.false(line.isOver());
    });

test.serial('ends a session that was not refreshed in time', async (t) => {
  const { drachtio, farCall, line, said } = await dialled(t);
  drachtio.giveUp(farCall.callId, 'Session timer expired');
  await farCall.receives('BYE');
  await said([line], 'line.ended');
  t.like(line.all('line.ended')[0], { by: 'counterparty' });
});

const keys: readonly [string, MessageParts, string][] = [
  [
    'of dtmf-relay',
    { headers: { 'Content-Type': 'application/dtmf-relay' }, body: 'Signal=5\r\nDuration=160\r\n' },
    '5',
  ],
  ['as a plain digit', { headers: { 'Content-Type': 'application/dtmf' }, body: '#' }, '#'],
  ['by its number', { headers: { 'Content-Type': 'application/dtmf-relay' }, body: 'Signal=10\r\n' }, '*'],
  ['as an event', { headers: { 'Content-Type': 'audio/telephone-event' }, body: 'Signal=5\r\n' }, '5'],
];
for (const [how, parts, key] of keys)
  test.serial(`reports a DTMF digit by INFO: ${how}`, async (t) => {
    const { farCall, line, said } = await dialled(t);
    farCall.sends('INFO', parts);
    await farCall.receives(200);
    await said([line], 'line.digit');
    t.deepEqual(
      line.all('line.digit').map(({ digit }) => digit),
      [key],
    );
  });

test.serial('reports a digit sent by INFO and as audio once, and two presses twice', async (t) => {
  const { farCall, line, channel, until } = await dialled(t);
  const [, info] = keys[0] ?? [];
  const press = async (): Promise<void> => {
    farCall.sends('INFO', info);
    await farCall.receives(200);
    channel.receivesDigit('5');
  };
  await press();
  await press();
  channel.receivesDigit('6');
  await until(() => line.all('line.digit').some(({ digit }) => digit === '6'));
  t.deepEqual(
    line.all('line.digit').map(({ digit }) => digit),
    ['5', '5', '6'],
  );
});

const answers: readonly [string, MessageParts, number, string?, string?][] = [
  ['REFER', { headers: { 'Refer-To': '<sip:01000000000@127.0.0.1>' } }, 603],
  ['MESSAGE', { headers: { 'Content-Type': 'text/plain' }, body: 'Hello' }, 405, 'Allow', 'INVITE, ACK'],
  ['PUBLISH', { headers: { Event: 'presence' } }, 405, 'Allow', 'INVITE, ACK'],
  ['NOTIFY', { headers: { Event: 'refer' } }, 481],
  ['OPTIONS', {}, 200, 'Allow', 'INVITE, ACK'],
  ['INFO', {}, 200],
  ['INFO', { headers: { 'Content-Type': 'text/plain' }, body: 'x' }, 415, 'Accept', 'application/dtmf-relay'],
];
for (const [method, parts, status, header, value] of answers)
  test.serial(
    `responds to ${method} in a call${parts.body === undefined ? '' : ` with ${parts.body}`} with ${status}, and the call continues`,
    async (t) => {
      const { farCall, line } = await dialled(t);
      farCall.sends(method, parts);
      const answer = await farCall.receives(status);
      if (header !== undefined) t.true(headerOf(answer, header)?.startsWith(value ?? ''));
      t.deepEqual(line.story(), ['line.answered']);
    },
  );

test.serial('ends a call that is hung up while its answer arrives', async (t) => {
  const { trunk, call, said } = await startSipEdge(t);
  const line = call();
  const farCall = await trunk.receives('INVITE');
  farCall.answers(200, { sdp: inDialogRequestsSdp });
  await farCall.receives('ACK');
  farCall.sends('BYE');
  await farCall.receives(200);
  await said([line], 'line.ended');
  t.deepEqual(line.story(), ['line.answered', 'line.ended']);
});

test.serial("sends the agent's DTMF digits with the audio", async (t) => {
  const { line, channel } = await dialled(t);
  line.tell({ type: 'press', keys: '1w2' });
  await channel.untilDigitsSent('1w2');
  t.is(channel.pressed, '1w2');
});

/** Advances the clock until no timer is pending. */
const waits = async (clock: OrderedClock): Promise<void> => {
  for (let step = 0; step < 20; step += 1) {
    for (let turns = 0; turns < 5; turns += 1) await turn();
    clock.advance(50);
  }
};

/** A call to a far end without telephone events whose answer has this Allow header. */
const dialledWithoutEvents = async (t: ExecutionContext, allow?: string) => {
  const edge = await startSipEdge(t);
  const line = edge.call();
  const farCall = await edge.trunk.receives('INVITE');
  farCall.answers(200, {
    sdp: describeSound({ formats: [0] }),
    ...(allow === undefined ? {} : { headers: { Allow: allow } }),
  });
  await farCall.receives('ACK');
  await edge.said([line], 'line.answered');
  return { ...edge, line, farCall };
};

test.serial('reports digits that the far end rejects as not sent', async (t) => {
  const edge = await dialledWithoutEvents(t, 'INVITE, ACK, BYE');
  const { line, farCall, said } = edge;
  await said([line], 'line.dtmf');
  t.deepEqual(
    line.all('line.dtmf').map(({ means }) => means),
    [{ sent: 'none', received: 'inband' }],
  );
  line.tell({ type: 'press', keys: '12' });
  await said([line], 'line.press_failed');
  t.deepEqual(line.all('line.pressed'), []);
  t.is(channelOf(edge).pressed, '');
  line.tell({ type: 'hangUp' });
  await farCall.receives('BYE');
  farCall.answers(200);
  await said([line], 'line.ended');
  t.deepEqual(line.all('line.ended')[0]?.sound?.dtmf, { sent: 'none', received: 'inband' });
});

test.serial(
  'detects DTMF tones without telephone events, and counts a digit also sent by INFO once',
  async (t) => {
    const edge = await dialledWithoutEvents(t);
    const { line, farCall, clock, until } = edge;
    const channel = channelOf(edge);
    await channel.untilConnected();
    const wave = (hertz: number, index: number): number => Math.sin((2 * Math.PI * hertz * index) / 8_000);
    const tones = Int16Array.from(
      { length: 1_600 },
      (_, index) => 6_000 * (wave(770, index) + wave(1_336, index)),
    );
    for (let frame = 0; frame < 10; frame += 1) {
      channel.sound?.tick(tones.subarray(160 * frame, 160 * (frame + 1)));
      await turn();
      clock.advance(20);
    }
    await until(() => line.saw('line.digit'));
    farCall.sends('INFO', { headers: { 'Content-Type': 'application/dtmf' }, body: '5' });
    await farCall.receives(200);
    farCall.sends('INFO', { headers: { 'Content-Type': 'application/dtmf' }, body: '6' });
    await until(() => line.all('line.digit').length > 1);
    t.is(
      line
        .all('line.digit')
        .map(({ digit }) => digit)
        .join(''),
      '56',
    );
  },
);

test.serial('sends DTMF digits by INFO to a far end without telephone events that allows INFO', async (t) => {
  const { line, farCall, clock, until } = await dialledWithoutEvents(t, 'INVITE, ACK, BYE, INFO');
  line.tell({ type: 'press', keys: '1w#' });
  for (const digit of ['1', '#']) {
    const info = await farCall.receives('INFO');
    t.is(headerOf(info, 'Content-Type'), 'application/dtmf-relay');
    t.is(info.body, `Signal=${digit}\r\nDuration=160\r\n`);
    t.deepEqual(line.all('line.pressed'), [], 'not before all were taken');
    farCall.answers(200);
    await waits(clock);
  }
  await until(() => line.saw('line.pressed'));
  t.like(line.all('line.pressed')[0], { keys: '1w#' });
  t.deepEqual(line.all('line.dtmf'), []);
});

test.serial('stops sending digits to a far end that refuses INFO', async (t) => {
  const { line, farCall, said } = await dialledWithoutEvents(t, 'INFO');
  line.tell({ type: 'press', keys: '12' });
  await farCall.receives('INFO');
  farCall.answers(415);
  await said([line], 'line.press_failed');
  t.like(line.all('line.dtmf')[0], { means: { sent: 'none' } });
  t.deepEqual(line.all('line.pressed'), []);
});

test.serial('fails and hangs up a call whose channel the media server ends', async (t) => {
  const { farCall, line, channel, said } = await dialled(t);
  channel.hangUp('MEDIA_TIMEOUT');
  await said([line], 'line.failed');
  line.tell({ type: 'hangUp' });
  await t.notThrowsAsync(farCall.receives('BYE'));
});

// Leg tracker

const leg = (state: SipLeg['state'], change: Partial<SipLeg> = {}): SipLeg => ({
  state,
  transactionId: 'transaction',
  dialogId: 'dialog',
  sipCallId: 'call@x',
  local: '<sip:us@gateway>;tag=us',
  remote: '<sip:them@far>;tag=them',
  target: 'sip:them@192.0.2.1',
  nextHop: null,
  channel: { server: 'media', uuid: 'channel' },
  dialog: null,
  ...change,
});

/** A drachtio-server that accepts commands with this beginning and rejects the rest; `null`: not connected. */
const legTrackerWorld = (takes: readonly string[] | null) => {
  const clock = createOrderedClock();
  const logger = pino({ level: 'silent' });
  const sent: string[] = [];
  const states = new Map<string, readonly string[]>();
  const channels: LegChannel[] = [];
  const drachtio = { takes };
  const send: SendCommand = async ({ transactionId, dialogId, nextHop, sip }) => {
    if (drachtio.takes === null) throw new NotConnected('it is not connected.');
    const words = [sip.split(/ sip:| SIP\/2.0\r/)[0], transactionId, dialogId, nextHop].filter(
      (word) => word,
    );
    sent.push(words.join(' '));
    if (!drachtio.takes.some((begin) => words.join(' ').startsWith(begin))) throw new Error('no');
  };
  const legTracker: LegTracker = createLegTracker({
    onCheckpoint: (callId) =>
      void states.set(
        callId,
        legTracker.legsOf(callId).map(({ leg: { state } }) => state),
      ),
    send,
    endChannel: async (channel) => void channels.push(channel),
    sipCapture: noSipCapture,
    clock,
    backgroundTasks: createBackgroundTasks(clock, logger),
    logger,
  });
  const settle = async (): Promise<void> => {
    for (let times = 0; times < 20; times += 1) {
      clock.advance(100);
      await turn();
    }
  };
  /** States of the legs in the last checkpoint of each call. */
  const kept = (): string[] => [...states.values()].flat();
  return { legTracker, sent, kept, channels, drachtio, settle };
};

const orphaned = test.macro<[SipLeg, string[], string[]]>({
  async exec(t, orphan, takes, expected) {
    const { legTracker, sent, settle } = legTrackerWorld(takes);
    legTracker.connected();
    legTracker.endOrphans([{ id: 'one', callId: null, leg: orphan }]);
    await settle();
    t.deepEqual(sent, expected);
    legTracker.lost(new Set());
    legTracker.connected();
    await settle();
    t.deepEqual(sent, expected, 'and once only');
  },
  title: (_, orphan, takes) =>
    `ends a leg that is ${orphan.state} when drachtio-server accepts ${takes.join(', ') || 'no command'}`,
});

test.serial(orphaned, leg('standing'), ['BYE dialog'], ['BYE dialog']);
test.serial(
  orphaned,
  leg('standing', { nextHop: 'sip:proxy' }),
  ['BYE sip:proxy'],
  ['BYE dialog', 'BYE sip:proxy'],
);
test.serial(orphaned, leg('standing'), [], ['BYE dialog', 'BYE']);
test.serial(orphaned, leg('inviting'), ['CANCEL transaction'], ['CANCEL transaction', 'ACK dialog']);
test.serial(
  orphaned,
  leg('inviting'),
  ['CANCEL transaction', 'ACK dialog', 'BYE dialog'],
  ['CANCEL transaction', 'ACK dialog', 'BYE dialog'],
);
test.serial(orphaned, leg('inviting'), [], ['CANCEL transaction', 'ACK dialog', 'BYE dialog']);
test.serial(orphaned, leg('inviting'), ['BYE dialog'], ['CANCEL transaction', 'ACK dialog', 'BYE dialog']);
test.serial(
  orphaned,
  leg('arriving'),
  ['SIP/2.0 480'],
  ['SIP/2.0 480 Temporarily Unavailable\r\nContent-Length: 0\r\n\r\n transaction'],
);
test.serial(
  orphaned,
  leg('arriving'),
  ['BYE dialog'],
  ['SIP/2.0 480 Temporarily Unavailable\r\nContent-Length: 0\r\n\r\n transaction', 'BYE dialog'],
);

/** The BYE for such a leg when drachtio-server no longer knows its dialog; undefined if none is sent. */
const ownByeFor = async (orphan: SipLeg): Promise<string | undefined> => {
  const { settle } = legTrackerWorld([]);
  const texts: string[] = [];
  const spying = createLegTracker({
    onCheckpoint() {},
    async send({ dialogId, sip }) {
      if (dialogId !== undefined) throw new Error('no');
      texts.push(sip);
    },
    endChannel: async () => {},
    sipCapture: noSipCapture,
    clock: { now: () => 1_790_000_000_000, setTimeout: () => undefined, clearTimeout: () => {} },
    backgroundTasks: createBackgroundTasks(createOrderedClock(), pino({ level: 'silent' })),
    logger: pino({ level: 'silent' }),
  });
  spying.connected();
  spying.endOrphans([{ id: 'one', callId: null, leg: orphan }]);
  await settle();
  return texts[0];
};

test.serial('builds a BYE from the stored dialog with a higher CSeq', async (t) => {
  const bye = await ownByeFor(leg('standing'));
  t.deepEqual(bye?.split('\r\n'), [
    'BYE sip:them@192.0.2.1 SIP/2.0',
    'From: <sip:us@gateway>;tag=us',
    'To: <sip:them@far>;tag=them',
    'Call-ID: call@x',
    'CSeq: 1790000000 BYE',
    'Content-Length: 0',
    '',
    '',
  ]);
});

const loose = ['sip:p1.example;lr', 'sip:p2.example;lr=on;ftag=1'];
const strict = ['sip:p1.example', 'sip:p2.example;lr'];
for (const [routes, uri, sent] of [
  [loose, 'sip:them@192.0.2.1', loose],
  [strict, 'sip:p1.example', ['sip:p2.example;lr', 'sip:them@192.0.2.1']],
] as const)
  test.serial(`sends the gateway's BYE along the whole route set ${routes.join(', ')}`, async (t) => {
    const bye = (await ownByeFor(leg('standing', { nextHop: routes[0] ?? null, routes }))) ?? '';
    t.true(bye.startsWith(`BYE ${uri} SIP/2.0\r\n`));
    t.deepEqual(
      [...bye.matchAll(/^Route: <(.*)>\r$/gm)].map(([, route]) => route),
      [...sent],
    );
  });

test.serial('sends no BYE to a target that drachtio-server cannot read', async (t) => {
  t.is(await ownByeFor(leg('standing', { target: `sip:them@192.0.2.1;x=${'x'.repeat(255)}` })), undefined);
});

test('reverses Record-Route into the route set of an outbound dialog', (t) => {
  const proxies =
    '<sip:p1.example;lr>, "Two, too" <sip:p2.example;lr;x="<>">, <tel:1;lr>, <sip:p3.example;lr>';
  const message = (headers: Record<string, string>) => ({
    ...headersOf({ From: '<sip:a@h>;tag=a', To: '<sip:b@h>', Contact: '<sip:b@h>', ...headers }),
    source_address: 'h',
    source_port: '5060',
    protocol: 'udp',
  });
  const request = message({ 'Call-ID': 'x', 'Record-Route': proxies.replace(';x="<>"', '') });
  t.deepEqual(arrivingLeg(request).routes, ['sip:p1.example;lr', 'sip:p2.example;lr', 'sip:p3.example;lr']);
  t.is(arrivingLeg(request).nextHop, 'sip:p1.example;lr');
});

test.serial('tracks a leg from its INVITE until its end', async (t) => {
  const { legTracker, kept, sent, settle } = legTrackerWorld(['BYE dialog']);
  legTracker.connected();
  const trackedLeg = legTracker.track('call');
  trackedLeg.update(leg('inviting'));
  t.deepEqual(kept(), ['inviting']);
  trackedLeg.update(leg('standing'));
  t.deepEqual(kept(), ['standing']);
  trackedLeg.ended();
  t.deepEqual(kept(), []);
  legTracker.lost(new Set());
  legTracker.connected();
  await settle();
  t.deepEqual(sent, []);
});

test.serial('ends tracked legs after the connection to drachtio-server is restored', async (t) => {
  const { legTracker, kept, sent, drachtio, settle } = legTrackerWorld(['BYE dialog']);
  legTracker.connected();
  const trackedLeg = legTracker.track('call');
  trackedLeg.update(leg('standing'));
  legTracker.lost(new Set());
  trackedLeg.ended();
  t.deepEqual(kept(), ['standing'], 'a hang-up without a connection ends nothing');
  drachtio.takes = null;
  legTracker.connected();
  legTracker.lost(new Set());
  await settle();
  t.deepEqual(kept(), ['standing']);
  drachtio.takes = ['BYE dialog'];
  legTracker.connected();
  await settle();
  t.deepEqual(sent, ['BYE dialog']);
  t.deepEqual(kept(), []);
});

test.serial('ends the channels of orphaned legs', async (t) => {
  const { legTracker, channels, settle } = legTrackerWorld([]);
  legTracker.endChannels([{ leg: leg('standing') }, { leg: leg('arriving', { channel: null }) }]);
  await settle();
  t.deepEqual(channels, [{ server: 'media', uuid: 'channel' }]);
});

// Call route
// The trunk that carries a call, according to its record.

const first = someTrunk({ id: 'first', name: 'First' });
const second = someTrunk({ id: 'second', name: 'Second' });

test('lists failed trunks of a call after the one that accepted it', (t) => {
  const route = createRoute();
  t.is(route.route(), null);
  route.tries(first);
  route.goes(() => noWay);
  route.tries(second);
  route.goes(() => ({ ...noWay, postDialDelayMs: 40 }));
  t.deepEqual(route.route(), {
    trunk: { id: 'second', name: 'Second' },
    failedTrunks: ['first'],
    ...noWay,
    postDialDelayMs: 40,
  });
});

test('does not list a full trunk as failed', (t) => {
  const route = createRoute();
  route.tries(first);
  route.tries(second);
  t.like(route.route(), { trunk: { id: 'second' }, failedTrunks: [], ...noWay });
});

// Late offer
// Callers that leave the offer to the gateway, as telephone systems do: the offer is sent in the 200, the answer
// arrives in the ACK.

const over = (media: TrunkMedia): SipEdgeOptions => ({ trunk: { address: trunkAddress, media } });

for (const media of ['freeswitch', 'direct'] as const) {
  test.serial(`${media}: accepts the SDP answer of the ACK and keeps the call`, async (t) => {
    const { trunk, inbound, said, freeSwitches } = await startSipEdge(t, over(media));
    const call = trunk.calls(ownNumber);
    t.deepEqual(formatsIn((await call.receives(200)).body), [0, 8, 101]);
    t.deepEqual(inbound[0]?.story(), [], 'nothing is said before its answer is known');
    call.sends('ACK', { sdp: describeSound({ port: 31_000, formats: [8, 101] }) });
    await said(inbound, 'line.answered');
    if (media === 'freeswitch') t.regex(freeSwitches[0]?.channels()[0]?.remoteSdp ?? '', /^m=audio 31000 /m);
    call.sends('BYE');
    await call.receives(200);
    await said(inbound, 'line.ended');
    await freeSwitches[0]?.untilChannels(0);
  });

  for (const [what, sdp] of [
    ['no answer', undefined],
    ['an answer without a supported codec', describeSound({ formats: [18, 101] })],
    ['an answer that rejects audio', describeSound({ port: 0 })],
  ] as const)
    test.serial(`${media}: hangs up after an ACK with ${what}`, async (t) => {
      const { drachtio, trunk, inbound, said, freeSwitches } = await startSipEdge(t, over(media));
      const call = trunk.calls(ownNumber);
      await call.receives(200);
      call.sends('ACK', sdp === undefined ? {} : { sdp });
      await call.receives('BYE');
      call.answers(200);
      await said(inbound, 'line.unanswered');
      t.like(inbound[0]?.all('line.unanswered')[0], { cause: 'media_error', sip: { status: 200 } });
      await freeSwitches[0]?.untilChannels(0);
      await until('no dialog is left', () => drachtio.dialogs().length === 0 || undefined);
      t.pass();
    });
}

test.serial('offers only codecs that the trunk allows, in its order', async (t) => {
  const trunk = someTrunk({ codecs: ['PCMA'], media: 'direct', inboundAddresses: ['127.0.0.1'] });
  const edge = await startSipEdge(t, { trunks: directoryOf([trunk]) });
  t.deepEqual(formatsIn((await edge.trunk.calls(ownNumber).receives(200)).body), [8, 101]);
});

test.serial('releases a caller that sends no ACK', async (t) => {
  const { drachtio, trunk, inbound, said, freeSwitches } = await startSipEdge(t, over('freeswitch'));
  const call = trunk.calls(ownNumber);
  await call.receives(200);
  drachtio.giveUp(call.callId, 'ACK timeout');
  await said(inbound, 'line.unanswered');
  t.is(inbound[0]?.all('line.unanswered')[0]?.cause, 'cancelled');
  await call.receives('BYE');
  await freeSwitches[0]?.untilChannels(0);
});

test.serial('releases a caller that ends during the answer, and hangs up one without ACK', async (t) => {
  const { trunk, inbound, said, clock, ...edge } = await startSipEdge(t, over('direct'));
  const leaving = trunk.calls(ownNumber);
  await leaving.receives(200);
  leaving.sends('BYE');
  await leaving.receives(200);
  await said(inbound, 'line.unanswered');
  const silent = trunk.calls(ownNumber);
  await silent.receives(200);
  await until('nothing is waited for any more', () => {
    clock.advance(1_000);
    return silent.unread().includes('BYE') || undefined;
  });
  await silent.receives('BYE');
  silent.answers(200);
  await edge.until(() => inbound[1]?.saw('line.unanswered') === true);
  t.deepEqual(
    inbound.map((line) => line.all('line.unanswered')[0]?.cause),
    ['cancelled', 'media_error'],
  );
});

test.serial('refuses a caller whose answer drachtio-server rejects', async (t) => {
  const { drachtio, trunk, inbound, said } = await startSipEdge(t, over('direct'));
  drachtio.rejectResponses(200);
  const call = trunk.calls(ownNumber, { sdp: describeSound() });
  await call.receives(480);
  await said(inbound, 'line.unanswered');
  t.is(inbound[0]?.all('line.unanswered')[0]?.cause, 'cancelled');
});

test.serial('hangs up a call whose answer arrives after its end', async (t) => {
  const { trunk, inbound } = await startSipEdge(t, over('direct'));
  const call = trunk.calls(ownNumber);
  await call.receives(200);
  inbound[0]?.tell({ type: 'hangUp' });
  call.sends('ACK', { sdp: describeSound() });
  await t.notThrowsAsync(call.receives('BYE'));
});

// Session timer

const times = { expiresSec: 1_800, shortestSec: 90 };

const message = (headers: Record<string, string> = {}) => ({
  has: (name: string) => Object.hasOwn(headers, name),
  get: (name: string) => headers[name] ?? '',
});

const expires = (value: string) => message({ 'Session-Expires': value });
/** Headers of a request whose sender supports session timers. */
const supported = (value: string) => message({ Supported: 'timer', 'Session-Expires': value });

test('reads Session-Expires in long and short form', (t) => {
  t.deepEqual(sessionExpiresOf(expires('1800')), { seconds: 1_800, refresher: null });
  t.deepEqual(sessionExpiresOf(expires(' 90 ; refresher = UAS')), { seconds: 90, refresher: 'uas' });
  t.deepEqual(sessionExpiresOf(message({ x: '600;refresher=uac' })), { seconds: 600, refresher: 'uac' });
  t.is(sessionExpiresOf(message()), undefined);
  t.is(sessionExpiresOf(expires('soon')), undefined);
});

test('requests a session timer and Min-SE with the INVITE', (t) => {
  t.deepEqual(timerOffer(times), { 'Session-Expires': '1800;refresher=uas', 'Min-SE': '90' });
});

test('accepts a longer session timer of the trunk, and ignores one without a refresher', (t) => {
  t.deepEqual(afterTooSmall(message({ 'Min-SE': '3600' }), times), { expiresSec: 3_600, shortestSec: 3_600 });
  t.deepEqual(afterTooSmall(message({ 'Min-SE': '120' }), times), { expiresSec: 1_800, shortestSec: 120 });
  t.is(afterTooSmall(message({ 'Min-SE': '90' }), times), undefined);
  t.is(afterTooSmall(message(), times), undefined);
});

test('rejects a session timer below the minimum', (t) => {
  t.true(isTooSmall(supported('89'), times));
  t.true(isTooSmall(expires('89;refresher=uac'), times));
  t.false(isTooSmall(supported('90'), times));
  t.false(isTooSmall(message(), times));
});

test('answers a caller with its session timer; the caller refreshes unless it asks the gateway to', (t) => {
  t.deepEqual(answerTimer(expires('600;refresher=uas'), times), {
    headers: { 'Session-Expires': '600;refresher=uas' },
    weRefresh: true,
    expiresSec: 600,
  });
  t.deepEqual(answerTimer(supported('600'), times), {
    headers: { 'Session-Expires': '600;refresher=uac', Require: 'timer' },
    weRefresh: false,
    expiresSec: 600,
  });
  t.is(answerTimer(message({ Require: 'timer', 'Session-Expires': '600' }), times).weRefresh, false);
});

test('refreshes a session timer that a proxy has added for a caller without support', (t) => {
  t.deepEqual(answerTimer(expires('600'), times), {
    headers: { 'Session-Expires': '600;refresher=uas' },
    weRefresh: true,
    expiresSec: 600,
  });
  t.false(isTooSmall(expires('60'), times));
});

test('offers a session timer to a caller that supports it, and to no other', (t) => {
  t.deepEqual(answerTimer(message({ Supported: '100rel, timer', 'Min-SE': '3600' }), times).headers, {
    'Session-Expires': '3600;refresher=uac',
    Require: 'timer',
  });
  t.deepEqual(answerTimer(message({ Supported: 'replaces' }), times), {
    headers: {},
    weRefresh: false,
    expiresSec: null,
  });
});

test('answers a refresh with the requested timer, as drachtio-server reads it', (t) => {
  t.deepEqual(refreshedTimer(expires('90;refresher=uac'), true), {
    headers: { 'Session-Expires': '90;refresher=uac', Require: 'timer' },
    weRefresh: false,
    expiresSec: 90,
  });
  t.deepEqual(refreshedTimer(expires('90'), true).headers['Session-Expires'], '90;refresher=uac');
  t.deepEqual(refreshedTimer(expires('90'), false), {
    headers: { 'Session-Expires': '90;refresher=uas' },
    weRefresh: true,
    expiresSec: 90,
  });
  t.deepEqual(refreshedTimer(message(), true), { headers: {}, weRefresh: false, expiresSec: null });
});

test('refreshes the session unless the far end does', (t) => {
  t.deepEqual(agreedTimer(expires('90')), { weRefresh: true, expiresSec: 90 });
  t.deepEqual(agreedTimer(expires('90;refresher=uac')), { weRefresh: true, expiresSec: 90 });
  t.deepEqual(agreedTimer(expires('90;refresher=uas')), { weRefresh: false, expiresSec: 90 });
  t.deepEqual(agreedTimer(message()), { weRefresh: false, expiresSec: null });
});

test('repeats the agreed session timer in an INVITE within a call', (t) => {
  const headersOf = (value: string) => sameTimer(agreedTimer(expires(value)))['Session-Expires'];
  t.is(headersOf('90'), '90;refresher=uac');
  t.is(headersOf('1800;refresher=uas'), '1800;refresher=uas');
  t.deepEqual(sameTimer(agreedTimer(message())), { Supported: 'timer' });
});

// DTMF

const relay = 'application/dtmf-relay';
const plain = 'application/dtmf';

const bodies: readonly [string, string, string | null | undefined][] = [
  [relay, 'Signal=5\r\nDuration=160\r\n', '5'],
  [relay, 'Signal= #\r\nDuration= 250', '#'],
  [relay, 'Duration=100\nsignal = b', 'B'],
  [relay, 'Signal=10', '*'],
  [relay, 'Signal=16', null],
  [relay, 'Duration=160', null],
  [`${plain}; charset=utf-8`, ' 7 \r\n', '7'],
  ['Application/DTMF', '*', '*'],
  ['audio/telephone-event', 'Signal=5\r\nDuration=160', '5'],
  [plain, '', null],
  [plain, '12a', null],
  ['application/media_control+xml', '5', undefined],
  ['', '', undefined],
];

for (const [type, body, key] of bodies)
  test(`reads an INFO "${type}" with ${JSON.stringify(body)} as ${JSON.stringify(key ?? String(key))}`, (t) => {
    t.is(dtmfOf(type, body), key);
  });

const dtmfWorld = () => {
  let now = 0;
  const ear = createDtmfDeduplication(() => now);
  return { isNew: ear.isNew, pass: (milliseconds: number) => void (now += milliseconds) };
};

test('counts a digit received by INFO and RTP once, however often it is pressed', (t) => {
  const { isNew, pass } = dtmfWorld();
  t.true(isNew('1', 'rtp'));
  pass(100);
  t.false(isNew('1', 'info'));
  t.true(isNew('1', 'info'));
  t.true(isNew('2', 'info'));
  pass(50);
  t.false(isNew('1', 'rtp'));
  t.false(isNew('2', 'rtp'));
});

test('counts a repeated digit of the same transport, and a late one of the other, as pressed again', (t) => {
  const { isNew, pass } = dtmfWorld();
  t.true(isNew('1', 'rtp'));
  t.true(isNew('1', 'rtp'));
  pass(1_001);
  t.true(isNew('1', 'info'));
});

// Header inspection

const request = (headers: Record<string, string>) => ({
  has: (name: string) => name in headers,
  get: (name: string) => headers[name] ?? '',
});

const usable: readonly Record<string, string>[] = [
  {},
  { 'Max-Forwards': '70' },
  { 'Max-Forwards': '10', Require: 'timer' },
  { Require: ' 100REL , Timer,' },
];
for (const headers of usable)
  test(`accepts required extensions: ${JSON.stringify(headers)}`, (t) => {
    t.is(requestProblem(request(headers)), undefined);
  });

test('names the unsupported extensions of Require', (t) => {
  t.like(requestProblem(request({ Require: 'timer, foo,Replaces' })), {
    status: 420,
    headers: { Unsupported: 'foo, Replaces' },
  });
});

test('rejects a call with Max-Forwards 0 as a loop', (t) => {
  t.like(requestProblem(request({ 'Max-Forwards': ' 0' })), { status: 483 });
});

/** The server transaction of an INVITE. */
const invite = (callId: string, tag = 'a', cseq = '1 INVITE') => {
  const headers = headersOf({ 'Call-ID': callId, From: `<sip:1@h>;tag=${tag}`, CSeq: cseq });
  return { request: Object.assign(new EventEmitter(), headers), response: new EventEmitter() };
};

test('merges an INVITE by another path while the first transaction exists', (t) => {
  let now = 0;
  const { isMerged } = createMergedRequests(() => now);
  const first = invite('one');
  t.false(isMerged(first));
  now = 60_000;
  t.true(isMerged(invite('one')), 'it may ring for a minute');
  t.false(isMerged(invite('one', 'b')));
  t.false(isMerged(invite('one', 'a', '2 INVITE')), 'with credentials it is another one');
  t.false(isMerged(invite('two')));
  first.response.emit('end', { status: 200 });
  now += 31_999;
  t.true(isMerged(invite('one')));
  now += 1;
  t.false(isMerged(invite('one')));
});

test('treats an INVITE after a rejection or CANCEL of the first as a new call', (t) => {
  const { isMerged } = createMergedRequests(() => 0);
  const refused = invite('one');
  t.false(isMerged(refused));
  refused.response.emit('end', { status: 503 });
  const cancelled = invite('one');
  t.false(isMerged(cancelled));
  cancelled.request.emit('cancel');
  t.false(isMerged(invite('one')));
});

test('forgets an INVITE without a known end after ten minutes', (t) => {
  let now = 0;
  const { isMerged } = createMergedRequests(() => now);
  t.false(isMerged(invite('one')));
  now = 599_999;
  t.true(isMerged(invite('one')));
  now = 600_000;
  t.false(isMerged(invite('one')));
});

// Check trunk
// Trunk checks, as ladders.

const checkTrunkSdp = describeSound();
const callee = '01099998888';

const startCheck = async (t: ExecutionContext, to: string, register = false) => {
  const edge = await startSipEdge(t);
  const end = createFarEnd(edge.drachtio, '127.0.0.1:15081');
  const carrier = someTrunk({
    host: '127.0.0.1',
    port: 15_081,
    ...(register ? { register: true, username: 'gateway', password: 'secret' } : {}),
  });
  return { edge, end, checking: edge.lines.tryTrunk(carrier, { from: ownNumber, to }) };
};

const results = async (checking: ReturnType<SipEdge['lines']['tryTrunk']>): Promise<string[]> =>
  (await checking).map(({ step, result }) => `${step} ${result}`);

const answerOptions = async (end: FarEnd, status = 200): Promise<void> =>
  (await end.receives('OPTIONS')).answers(status);

test.serial(
  'checks a trunk by registration, OPTIONS and a call that is cancelled during ringing',
  async (t) => {
    const { edge, end, checking } = await startCheck(t, callee, true);
    const registration = await end.receives('REGISTER');
    t.is(mustHave(registration.last('REGISTER'), 'Expires'), '600');
    registration.answers(200, { headers: { Expires: '600' } });
    await answerOptions(end);
    const call = await end.receives('INVITE');
    call.answers(180);
    await call.receives('CANCEL');
    call.answers(200, { to: 'CANCEL' });
    call.answers(487, { to: 'INVITE' });
    t.deepEqual(await results(checking), ['registration ok', 'options ok', 'call ok']);
    await edge.freeSwitches[0]?.untilChannels(0);
  },
);

/** The registration of a trunk, and its registrar. */
const startRegistration = async (t: ExecutionContext) => {
  const { drachtio, lines } = await startSipEdge(t);
  const carrier = someTrunk({ host: '127.0.0.1', port: 15_081, username: 'gw', password: 'secret' });
  const registering = lines.outOfDialog.register(carrier, new AbortController().signal);
  const registration = await createFarEnd(drachtio, '127.0.0.1:15081').receives('REGISTER');
  return { registering, registration };
};

for (const [others, seconds] of [
  [3_600, 60],
  [17, 600],
] as const)
  test.serial(
    `reads ${seconds} s as the lifetime of its own registration beside another contact (${others} s)`,
    async (t) => {
      const { registering, registration } = await startRegistration(t);
      const own = mustHave(registration.last('REGISTER'), 'Contact');
      const Contact = `<sip:desk@198.51.100.9>;expires=${others}, ${own};expires=${seconds}`;
      registration.answers(200, { headers: { Contact } });
      t.like(await registering, { expiresSec: seconds });
    },
  );

test.serial('repeats a challenged REGISTER with credentials', async (t) => {
  const { registering, registration } = await startRegistration(t);
  const first = registration.last('REGISTER');
  const headers = {
    'WWW-Authenticate': 'Digest realm="t.example", nonce="n1", qop="auth", algorithm=SHA-256',
  };
  registration.answers(401, { headers });
  const second = await registration.receives('REGISTER');
  t.regex(
    mustHave(second, 'Authorization'),
    /^Digest username="gw", realm="t.example", nonce="n1".* algorithm=SHA-256/,
  );
  t.is(sequenceOf(second), sequenceOf(first) + 1);
  t.is(mustHave(second, 'From'), mustHave(first, 'From'));
  registration.answers(200, { headers: { Expires: '90' } });
  t.like(await registering, { expiresSec: 90 });
});

test.serial('repeats challenged OPTIONS, and treats a trunk that rejects them as reachable', async (t) => {
  const { drachtio, lines } = await startSipEdge(t);
  const carrier = someTrunk({ host: '127.0.0.1', port: 15_081, username: 'gw', password: 'secret' });
  const checking = lines.outOfDialog.check(carrier, new AbortController().signal);
  const asked = await createFarEnd(drachtio, '127.0.0.1:15081').receives('OPTIONS');
  const headers = { 'Proxy-Authenticate': 'Digest realm="t", nonce="n1", qop="auth"' };
  asked.answers(407, { headers });
  t.regex(mustHave(await asked.receives('OPTIONS'), 'Proxy-Authorization'), /^Digest username="gw"/);
  asked.answers(407, { headers });
  await t.notThrowsAsync(checking);
  t.deepEqual(asked.unread(), []);
});

for (const [challenge, message] of [
  ['Digest realm="t", nonce="n1"', 'The trunk refuses the user name or the password (401 Unauthorized).'],
  [
    'Digest realm="t", nonce="n1", qop="auth-int"',
    'The trunk asks for credentials in a way that is not supported (401 Unauthorized).',
  ],
] as const)
  // oxfmt-ignore
  test.serial(`reports a registrar that requires ${challenge}`, async (t) => {
    const { registering, registration } = await startRegistration(t);
    const headers = { 'WWW-Authenticate': challenge };
    registration.answers(401, { headers });
    if (!challenge.includes('auth-int')) {
      await registration.receives('REGISTER');
      registration.answers(401, { headers });
    }
    await t.throwsAsync(registering, { message });
    t.deepEqual(registration.unread(), []);
  });

test.serial('rejects its own returning call as busy and reports both directions as working', async (t) => {
  const { edge, end, checking } = await startCheck(t, ownNumber);
  await answerOptions(end);
  const out = await end.receives('INVITE');
  const headers = { From: `<sip:${ownNumber}@127.0.0.1>;tag=back` };
  await edge.trunk.calls(ownNumber, { sdp: checkTrunkSdp, headers }).receives(486);
  out.answers(486);
  const steps = await checking;
  t.is(steps.at(-1)?.sentence, 'The call went out and came back in: both directions work.');
  t.deepEqual(edge.arrivals, [], 'nobody is asked about it');
});

test.serial('hangs up a check call at once when it is answered', async (t) => {
  const { end, checking } = await startCheck(t, callee);
  await answerOptions(end);
  const call = await end.receives('INVITE');
  call.answers(200, { sdp: checkTrunkSdp });
  await call.receives('ACK');
  await call.receives('BYE');
  call.answers(200);
  t.deepEqual(await results(checking), ['registration skipped', 'options ok', 'call ok']);
});

test.serial('reports each step that the trunk rejects as failed', async (t) => {
  const { end, checking } = await startCheck(t, callee, true);
  (await end.receives('REGISTER')).answers(403);
  await answerOptions(end, 503);
  (await end.receives('INVITE')).answers(503);
  t.deepEqual(await results(checking), ['registration failed', 'options failed', 'call failed']);
});
