/** Transfers by REFER: sent to the far end of a call, and requested by it. */
import test, { type ExecutionContext } from 'ava';
import type { Trunk } from '#src/domain/trunk.ts';
import type { WatchedLine } from '#test/contract/watched-line.ts';
import { createFarEnd, type FarCall } from '#test/doubles/far-end.ts';
import { describeSound } from '#test/doubles/session-description.ts';
import { ownNumber, startSipEdge, trunkAddress, type SipEdge } from '#test/doubles/sip-edge.ts';
import { headerOf, sequenceOf } from '#test/doubles/sip-parser.ts';
import { directoryOf, someTrunk } from '#test/sip/trunks/some-trunk.ts';

const person = '01000000011';
const sdp = describeSound();
const [trunkHost = '', trunkPort] = trunkAddress.split(':');

type Call = { edge: SipEdge; line: WatchedLine; far: FarCall };

const trunkWith = (changes: Partial<Trunk>): Trunk =>
  someTrunk({ host: trunkHost, port: Number(trunkPort), ...changes });

const answered = async (t: ExecutionContext, changes: Partial<Trunk> = {}): Promise<Call> => {
  const trunks = directoryOf([trunkWith({ refer: true, ...changes })]);
  const edge = await startSipEdge(t, { trunk: null, trunks });
  const line = edge.call();
  const far = await edge.trunk.receives('INVITE');
  far.answers(200, { sdp });
  await far.receives('ACK');
  await edge.said([line], 'line.answered');
  return { edge, line, far };
};

/** The far end has received the REFER and has not responded yet. */
const referring = async (t: ExecutionContext, changes: Partial<Trunk> = {}): Promise<Call> => {
  const call = await answered(t, changes);
  call.line.tell({ type: 'transfer', to: person, mode: 'cold' });
  await call.far.receives('REFER');
  return call;
};

/** The far end has accepted the REFER. */
const taken = async (t: ExecutionContext, changes: Partial<Trunk> = {}): Promise<Call> => {
  const call = await referring(t, changes);
  call.far.answers(202);
  return call;
};

type Notice = { event?: string; state?: string; type?: string; body?: string };

/** The response to the REFER. */
const notify = async (
  { far }: Pick<Call, 'far'>,
  { event = 'refer', state = 'active;expires=60', type = 'message/sipfrag;version=2.0', body }: Notice,
  answer: number,
): Promise<void> => {
  far.sends('NOTIFY', {
    headers: {
      Event: event,
      'Subscription-State': state,
      ...(body === undefined ? {} : { 'Content-Type': type }),
    },
    ...(body === undefined ? {} : { body }),
  });
  await far.receives(answer);
};

const report = (call: Call, status: string, state?: string): Promise<void> =>
  notify(call, { body: `SIP/2.0 ${status}\r\n`, ...(state === undefined ? {} : { state }) }, 200);

const last = 'terminated;reason=noresource';

const outcomes = ({ line }: Call): string[] =>
  line.story().filter((type) => type.startsWith('line.refer') || type.startsWith('line.transfer'));

for (const [numberFormat, number, own] of [
  ['domestic', person, ownNumber],
  ['e164', `+82${person.slice(1)}`, `+82${ownNumber.slice(1)}`],
] as const)
  test.serial(
    `writes the person's number into REFER as into an INVITE, with Referred-By: ${numberFormat}`,
    async (t) => {
      const { far } = await referring(t, { numberFormat, fromDomain: 'example.org' });
      const refer = far.last('REFER');
      t.is(headerOf(refer, 'Refer-To'), `<sip:${number}@${trunkAddress}>`);
      t.is(headerOf(refer, 'Referred-By'), `<sip:${own}@example.org>`);
      far.answers(202);
    },
  );

test.serial("sends REFER to the trunk of the gateway's configuration", async (t) => {
  const edge = await startSipEdge(t, { trunk: { address: trunkAddress, refer: true } });
  const line = edge.call();
  const far = await edge.trunk.receives('INVITE');
  far.answers(200, { sdp });
  await far.receives('ACK');
  await edge.said([line], 'line.answered');
  line.tell({ type: 'transfer', to: person, mode: 'cold' });
  await far.receives('REFER');
  t.is(headerOf(far.last('REFER'), 'Refer-To'), `<sip:${person}@${trunkAddress}>`);
  t.is(headerOf(far.last('REFER'), 'Referred-By'), `<sip:${ownNumber}@${trunkHost}>`);
  far.answers(202);
});

test.serial('does not name a caller with withheld number in REFER', async (t) => {
  const { far } = await taken(t, { privacy: true });
  t.is(headerOf(far.last('REFER'), 'Referred-By'), undefined);
});

test.serial('answers a challenge of REFER', async (t) => {
  const call = await referring(t, { username: 'gw', password: 'correct' });
  call.far.answers(401, { headers: { 'WWW-Authenticate': 'Digest realm="trunk", nonce="1"' } });
  await call.far.receives('REFER');
  t.regex(headerOf(call.far.last('REFER'), 'Authorization') ?? '', /^Digest username="gw"/);
  call.far.answers(202);
  const id = sequenceOf(call.far.last('REFER'));
  await notify(call, { event: `refer;id=${id - 1}`, body: 'SIP/2.0 200 OK' }, 481);
  await notify(call, { event: `refer;id=${id}`, body: 'SIP/2.0 200 OK', state: last }, 200);
  await call.edge.said([call.line], 'line.referred');
  t.deepEqual(outcomes(call), ['line.referring', 'line.referred']);
});

test.serial(
  'the far end takes the call over when the person rings and answers, and the call chart hangs up',
  async (t) => {
    const call = await taken(t);
    await report(call, '100 Trying');
    await report(call, '180 Ringing');
    t.deepEqual(outcomes(call), ['line.referring']);
    await report(call, '200 OK', last);
    await call.edge.said([call.line], 'line.referred');
    t.false(call.line.isOver());
    call.line.tell({ type: 'hangUp' });
    await call.far.receives('BYE');
    call.far.answers(200);
    await call.edge.said([call.line], 'line.ended');
    await call.edge.freeSwitches[0]?.untilChannels(0);
    t.deepEqual(call.line.finish(), []);
  },
);

test.serial('accepts a NOTIFY before the response to REFER', async (t) => {
  const call = await referring(t);
  await report(call, '100 Trying');
  call.far.answers(202, { to: 'REFER' });
  await report(call, '200 OK', last);
  await call.edge.said([call.line], 'line.referred');
  t.deepEqual(call.line.breaches, []);
});

for (const [status, cause] of [
  ['486 Busy Here', 'busy'],
  ['503 Service Unavailable', 'trunk_error'],
  ['603 Decline', 'declined'],
  ['404 Not Found', 'invalid_number'],
  ['480 Temporarily Unavailable', 'no_answer'],
] as const)
  test.serial(`reports ${cause} if the far end cannot reach the person (${status})`, async (t) => {
    const call = await taken(t);
    await report(call, '100 Trying');
    await report(call, status, last);
    await call.edge.said([call.line], 'line.transfer_failed');
    const [code = '', ...reason] = status.split(' ');
    t.like(call.line.all('line.transfer_failed')[0], {
      cause,
      sip: { status: Number(code), reason: reason.join(' '), callId: call.far.callId },
    });
    // The call continues, and the far end may get another REFER.
    await notify(call, { body: 'SIP/2.0 200 OK' }, 481);
    call.line.tell({ type: 'transfer', to: person, mode: 'cold' });
    await call.far.receives('REFER');
    t.deepEqual(call.line.breaches, []);
  });

test.serial('ignores a late NOTIFY of an earlier REFER', async (t) => {
  const call = await taken(t);
  const first = sequenceOf(call.far.last('REFER'));
  await notify(call, { event: `refer;id=${first}`, body: 'SIP/2.0 486 Busy Here', state: last }, 200);
  await call.edge.said([call.line], 'line.transfer_failed');
  call.line.tell({ type: 'transfer', to: person, mode: 'cold' });
  await call.far.receives('REFER');
  await notify(call, { event: `refer;id=${first}`, body: 'SIP/2.0 200 OK' }, 481);
  call.far.answers(202, { to: 'REFER' });
  await notify(call, { event: `refer;id=${first}`, body: 'SIP/2.0 200 OK' }, 481);
  await report(call, '200 OK', last);
  await call.edge.said([call.line], 'line.referred');
  t.deepEqual(call.line.breaches, []);
});

for (const status of [403, 405, 420, 500, 501, 603])
  test.serial(`calls the person by the gateway when the far end rejects REFER with ${status}`, async (t) => {
    const call = await referring(t);
    call.far.answers(status);
    await call.edge.said([call.line], 'line.refer_refused');
    call.line.tell({ type: 'transfer', to: person, mode: 'cold' });
    const second = await call.edge.trunk.receives('INVITE');
    second.answers(486);
    await call.edge.said([call.line], 'line.transfer_failed');
    t.like(call.line.all('line.transfer_failed')[0], { cause: 'busy' });
    t.deepEqual(call.line.breaches, []);
    // The far end gets no further REFER in this call.
    call.line.tell({ type: 'transfer', to: person, mode: 'cold' });
    await t.notThrowsAsync(call.edge.trunk.receives('INVITE'));
  });

for (const status of [408, 481])
  test.serial(`treats a REFER answered with ${status} as failed`, async (t) => {
    const call = await referring(t);
    call.far.answers(status);
    await call.edge.said([call.line], 'line.transfer_failed');
    t.like(call.line.all('line.transfer_failed')[0], { cause: 'trunk_error', sip: { status } });
  });

test.serial(
  'treats the response to REFER as completed transfer if the far end sends no notifications',
  async (t) => {
    const call = await referring(t);
    call.far.answers(202, { headers: { 'Refer-Sub': 'false' } });
    await call.edge.said([call.line], 'line.referred');
    t.deepEqual(outcomes(call), ['line.referring', 'line.referred']);
  },
);

const reports: readonly [title: string, said: readonly [string, string?][], isTaken: boolean][] = [
  ['nothing', [], true],
  ['100 Trying', [['100 Trying']], true],
  ['100 Trying only', [['100 Trying', last]], true],
  ['180 Ringing only', [['180 Ringing', 'terminated;reason=timeout']], true],
  ['180 Ringing', [['100 Trying'], ['180 Ringing']], false],
];
for (const [title, said, isTaken] of reports)
  test.serial(
    `a far end that hangs up after reporting ${title} has ${isTaken ? '' : 'not '}transferred the call`,
    async (t) => {
      const call = await taken(t);
      for (const [status, state] of said) await report(call, status, state);
      call.far.sends('BYE');
      await call.far.receives(200);
      await call.edge.said([call.line], 'line.ended');
      t.deepEqual(outcomes(call), isTaken ? ['line.referring', 'line.referred'] : ['line.referring']);
      t.like(call.line.all('line.ended')[0], { by: 'counterparty' });
      await call.edge.freeSwitches[0]?.untilChannels(0);
      t.deepEqual(call.line.finish(), []);
    },
  );

test.serial('treats a hangup before the response to REFER as a plain hangup', async (t) => {
  const call = await referring(t);
  call.far.sends('BYE');
  await call.far.receives(200);
  await call.edge.said([call.line], 'line.ended');
  t.deepEqual(outcomes(call), ['line.referring']);
});

test.serial('does not treat a disconnected far end as having transferred the call', async (t) => {
  const call = await taken(t);
  call.far.sends('BYE', { headers: { Reason: 'Q.850;cause=38' } });
  await call.far.receives(200);
  await call.edge.said([call.line], 'line.ended');
  t.deepEqual(outcomes(call), ['line.referring']);
  t.like(call.line.all('line.ended')[0], { by: 'network' });
});

const long = 'x'.repeat(5_000);
const odd: readonly [title: string, notice: Notice, answer: number][] = [
  ['no status line', { body: 'OK' }, 400],
  ['another version', { body: 'SIP/3.0 200 OK' }, 400],
  ['a status of four digits', { body: 'SIP/2.0 2000 OK' }, 400],
  ['an empty line before the status line', { body: `\r\n${long}` }, 400],
  ['another body', { type: 'application/dialog-info+xml', body: '<dialog-info/>' }, 415],
  ['another event', { event: 'dialog', body: 'SIP/2.0 200 OK' }, 481],
  ['another REFER', { event: 'refer;id=4711', body: 'SIP/2.0 200 OK' }, 481],
  ['no body', {}, 200],
  ['no body and a terminated subscription', { state: 'terminated;reason=timeout' }, 200],
  ['headers after the status line', { body: `SIP/2.0 180 Ringing\r\nX-Long: ${long}\r\n` }, 200],
  ['an unknown state', { state: ';;;', body: 'SIP/2.0 183 Session Progress' }, 200],
];
for (const [title, notice, answer] of odd)
  test.serial(
    `responds with ${answer} to a NOTIFY with ${title}, and keeps the transfer pending`,
    async (t) => {
      const call = await taken(t);
      await report(call, '100 Trying');
      await notify(call, notice, answer);
      t.deepEqual(outcomes(call), ['line.referring']);
      await report(call, '200 OK', last);
      await call.edge.said([call.line], 'line.referred');
      t.deepEqual(call.line.breaches, []);
    },
  );

test.serial(
  'rejects a NOTIFY for a transfer that is no longer pending, and continues the call',
  async (t) => {
    const call = await taken(t);
    await report(call, '180 Ringing');
    call.line.tell({ type: 'cancelTransfer' });
    await call.edge.said([call.line], 'line.transfer_failed');
    t.like(call.line.all('line.transfer_failed')[0], { cause: 'cancelled' });
    await notify(call, { body: 'SIP/2.0 200 OK', state: last }, 481);
    t.true(call.edge.lines.checkpoint(call.line.callId).isResumable);
  },
);

test.serial('sends no REFER for a transfer that is cancelled at once', async (t) => {
  const call = await answered(t);
  call.line.tell({ type: 'transfer', to: person, mode: 'cold' });
  t.false(call.edge.lines.checkpoint(call.line.callId).isResumable);
  call.line.tell({ type: 'cancelTransfer' });
  await call.edge.said([call.line], 'line.transfer_failed');
  call.line.tell({ type: 'hangUp' });
  await t.notThrowsAsync(call.far.receives('BYE'));
  call.far.answers(200);
});

test.serial('makes a warm transfer by a separate call', async (t) => {
  const call = await answered(t);
  call.line.tell({ type: 'transfer', to: person, mode: 'warm' });
  await t.notThrowsAsync(call.edge.trunk.receives('INVITE'));
  t.deepEqual(outcomes(call), []);
});

test.serial('sends no REFER on a trunk without the setting', async (t) => {
  const call = await answered(t, { refer: false });
  call.line.tell({ type: 'transfer', to: person, mode: 'cold' });
  await t.notThrowsAsync(call.edge.trunk.receives('INVITE'));
});

test.serial('transfers an inbound call by REFER', async (t) => {
  const trunks = directoryOf([trunkWith({ refer: true, inboundAddresses: [trunkHost] })]);
  const edge = await startSipEdge(t, { trunk: null, trunks });
  const caller = createFarEnd(edge.drachtio, '127.0.0.1:15061').calls(ownNumber, { sdp });
  await caller.receives(200);
  caller.sends('ACK');
  await edge.until(() => edge.inbound[0]?.saw('line.answered') === true);
  edge.inbound[0]?.tell({ type: 'transfer', to: person, mode: 'cold' });
  await caller.receives('REFER');
  t.is(headerOf(caller.last('REFER'), 'Referred-By'), `<sip:${ownNumber}@${trunkHost}>`);
  caller.answers(202);
  await notify({ far: caller }, { body: 'SIP/2.0 200 OK', state: last }, 200);
  await edge.said(edge.inbound, 'line.referred');
  t.deepEqual(edge.inbound[0]?.breaches, []);
});

test.serial('treats audio that the far end redirects as lost only if the transfer fails', async (t) => {
  const call = await taken(t);
  const [channel] = call.edge.freeSwitches[0]?.channels() ?? [];
  await channel?.untilConnected();
  channel?.hangUp('MEDIA_TIMEOUT');
  await call.edge.freeSwitches[0]?.untilChannels(0);
  await report(call, '180 Ringing');
  t.false(call.line.saw('line.failed'));
  await report(call, '486 Busy Here', last);
  await call.edge.said([call.line], 'line.failed');
  t.deepEqual(call.line.story().slice(-2), ['line.transfer_failed', 'line.failed']);
});

test.serial('ignores a response to REFER after the end of the call', async (t) => {
  const call = await referring(t);
  call.line.close();
  await call.far.receives('BYE');
  call.far.answers(200, { to: 'BYE' });
  call.far.answers(202, { to: 'REFER' });
  t.deepEqual(outcomes(call), ['line.referring']);
  await call.edge.freeSwitches[0]?.untilChannels(0);
});

// REFER of the far end

const accepting = (t: ExecutionContext, changes: Partial<Trunk> = {}): Promise<Call> =>
  answered(t, { refer: false, acceptRefer: true, ...changes });

const refer = ({ far }: Call, referTo = `<sip:${person}@${trunkHost}>`, headers = {}): void =>
  far.sends('REFER', { headers: { 'Refer-To': referTo, ...headers } });

/** The REFER has arrived and waits for the call's decision. */
const received = async (t: ExecutionContext, headers = {}): Promise<Call> => {
  const call = await accepting(t);
  refer(call, undefined, headers);
  await call.edge.said([call.line], 'line.refer_received');
  return call;
};

/** A NOTIFY with this status is sent to the far end. */
const notified = async ({ far }: Pick<Call, 'far'>): Promise<string> => {
  const notice = await far.receives('NOTIFY');
  far.answers(200, { to: 'NOTIFY' });
  return `${notice.body.trim()}, ${headerOf(notice, 'Subscription-State')?.split(';')[0]}`;
};

/** The next message to the far end is the response to its current request. */
const nothingElseCame = async ({ far }: Call): Promise<void> => {
  far.sends('OPTIONS');
  await far.receives(200);
};

/** The person requested by the far end is ringing, and the far end was notified. */
const rungFor = async (call: Call): Promise<FarCall> => {
  call.line.tell({ type: 'transfer', to: person, mode: 'cold' });
  const second = await call.edge.trunk.receives('INVITE');
  await call.far.receives(202);
  return second;
};

const untilTransferred = async ({ edge, line }: Call): Promise<void> => {
  while (!line.saw('line.transferred')) {
    edge.clock.advance(20);
    for (const channel of edge.freeSwitches[0]?.channels() ?? []) await channel.untilParked();
    await new Promise((resolve) => setImmediate(resolve));
  }
};

test.serial('passes a REFER of the far end to the call and reports its progress by NOTIFY', async (t) => {
  const call = await received(t);
  t.like(call.line.all('line.refer_received')[0], { to: person });
  const second = await rungFor(call);
  const notice = call.far;
  t.is(await notified({ far: notice }), 'SIP/2.0 100 Trying, active');
  const id = sequenceOf(call.far.last('NOTIFY'));
  t.true(id > 0);
  t.is(headerOf(call.far.last('NOTIFY'), 'Event'), 'refer;id=1');
  second.answers(180);
  t.is(await notified(call), 'SIP/2.0 180 Ringing, active');
  second.answers(200, { sdp });
  await second.receives('ACK');
  await untilTransferred(call);
  t.is(await notified(call), 'SIP/2.0 200 OK, terminated');
  call.far.sends('BYE');
  await call.far.receives(200);
  await second.receives('BYE');
  second.answers(200);
  await call.edge.said([call.line], 'line.ended');
  t.deepEqual(call.line.finish(), []);
});

test.serial('reports an unreachable person by NOTIFY and continues the call', async (t) => {
  const call = await received(t);
  const second = await rungFor(call);
  t.is(await notified(call), 'SIP/2.0 100 Trying, active');
  second.answers(486);
  t.is(await notified(call), 'SIP/2.0 486 Busy Here, terminated');
  await call.edge.said([call.line], 'line.transfer_failed');
  // The far end may send another REFER.
  refer(call);
  await call.edge.until(() => call.line.all('line.refer_received').length === 2);
  t.false(call.line.isOver());
});

test.serial('sends no NOTIFY to a far end that declined notifications', async (t) => {
  const call = await received(t, { 'Refer-Sub': 'false' });
  call.line.tell({ type: 'transfer', to: person, mode: 'cold' });
  const second = await call.edge.trunk.receives('INVITE');
  t.is(headerOf(await call.far.receives(202), 'Refer-Sub'), 'false');
  second.answers(486);
  await call.edge.said([call.line], 'line.transfer_failed');
  await t.notThrowsAsync(nothingElseCame(call));
});

test.serial('stops sending NOTIFY to a far end that knows no subscription', async (t) => {
  const call = await received(t);
  const second = await rungFor(call);
  await call.far.receives('NOTIFY');
  call.far.answers(481, { to: 'NOTIFY' });
  await nothingElseCame(call);
  second.answers(486);
  await call.edge.said([call.line], 'line.transfer_failed');
  await t.notThrowsAsync(nothingElseCame(call));
});

test.serial('sends the final NOTIFY before hanging up a call during the transfer', async (t) => {
  const call = await received(t);
  const second = await rungFor(call);
  t.is(await notified(call), 'SIP/2.0 100 Trying, active');
  second.answers(180);
  t.is(await notified(call), 'SIP/2.0 180 Ringing, active');
  call.line.tell({ type: 'hangUp' });
  t.is(await notified(call), 'SIP/2.0 487 Request Terminated, terminated');
  await call.far.receives('BYE');
  call.far.answers(200);
});

test.serial(
  'calls a person requested by the far end from the gateway, although the trunk supports REFER',
  async (t) => {
    const call = await accepting(t, { refer: true });
    refer(call);
    await call.edge.said([call.line], 'line.refer_received');
    t.truthy(await rungFor(call));
  },
);

test.serial('responds with 603 if the call declines the transfer, and continues the call', async (t) => {
  const call = await received(t);
  call.line.tell({ type: 'refuseRefer' });
  await call.far.receives(603);
  call.line.tell({ type: 'refuseRefer' });
  t.deepEqual(call.far.unread(), []);
});

test.serial('responds with 603 after a time limit if the call does not decide', async (t) => {
  const call = await received(t);
  call.edge.clock.advance(10_000);
  await t.notThrowsAsync(call.far.receives(603));
});

test.serial('declines a REFER of the far end during another transfer', async (t) => {
  const call = await received(t);
  call.line.tell({ type: 'transfer', to: '01000000012', mode: 'cold' });
  await call.far.receives(603);
  await t.notThrowsAsync(call.edge.trunk.receives('INVITE'));
});

test.serial('responds with 603 to a REFER during another REFER or while a person is ringing', async (t) => {
  const call = await received(t);
  refer(call);
  await call.far.receives(603);
  const second = await rungFor(call);
  t.is(await notified(call), 'SIP/2.0 100 Trying, active');
  refer(call);
  await call.far.receives(603);
  t.is(call.line.all('line.refer_received').length, 1);
  second.answers(486);
});

const targets: readonly [referTo: string, status: number][] = [
  ['', 400],
  ['<mailto:a@example.com>', 603],
  ['<sip:desk@example.com>', 603],
  ['<sip:204@example.com>', 603],
  [`<sip:${person}@example.com?Replaces=a%40b%3Bto-tag%3D1>`, 603],
  [`<sip:${person}@example.com;method=BYE>`, 603],
  [`<sip:${person}@example.com>, <sip:01000000012@example.com>`, 603],
];
for (const [referTo, status] of targets)
  test.serial(`responds with ${status} to a REFER to ${referTo || 'an empty target'}`, async (t) => {
    const call = await accepting(t);
    call.far.sends('REFER', referTo === '' ? {} : { headers: { 'Refer-To': referTo } });
    await call.far.receives(status);
    t.deepEqual(call.line.story(), ['line.answered']);
  });

for (const referTo of [
  `<sip:+82${person.slice(1)}@example.com;user=phone>`,
  `<tel:+82-${person.slice(1)}>`,
  `"Desk" <sips:82${person.slice(1)}@example.com;transport=tls?Subject=x>`,
  `sip:${person}@example.com;method=INVITE`,
])
  test.serial(`a REFER to ${referTo} calls ${person}`, async (t) => {
    const call = await accepting(t);
    refer(call, referTo);
    await call.edge.said([call.line], 'line.refer_received');
    t.like(call.line.all('line.refer_received')[0], { to: person });
  });

test.serial(
  'responds with 603 to a REFER from a trunk without permission, and omits REFER from Allow',
  async (t) => {
    const call = await answered(t);
    t.regex(headerOf(call.far.last('INVITE'), 'Allow') ?? '', /PRACK, NOTIFY$/);
    refer(call);
    await call.far.receives(603);
    t.deepEqual(call.line.story(), ['line.answered']);
    const able = await accepting(t);
    t.regex(headerOf(able.far.last('INVITE'), 'Allow') ?? '', /PRACK, REFER$/);
    able.far.sends('OPTIONS');
    t.regex(headerOf(await able.far.receives(200), 'Allow') ?? '', /PRACK, REFER$/);
  },
);
