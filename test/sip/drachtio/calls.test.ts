/** Inbound and outbound calls, as ladders of SIP messages. */
import { createHash } from 'node:crypto';
import test, { type ExecutionContext } from 'ava';
import type { UnansweredCause } from '#machines/line.ts';
import { challengesIn } from '#sip/headers/challenges.ts';
import type { TrunkDirectory } from '#sip/trunks/directory.ts';
import type { ArrivalVerdict } from '#src/domain/arrival.ts';
import type { Trunk } from '#src/domain/trunk.ts';
import { createFarEnd, type FarCall } from '#test/doubles/far-end.ts';
import { describeSound } from '#test/doubles/session-description.ts';
import { ownNumber, type SipEdge, startSipEdge, trunkAddress } from '#test/doubles/sip-edge.ts';
import {
  headerOf,
  methodOf,
  mustHave,
  requestUriOf,
  sequenceOf,
  type SipMessage,
} from '#test/doubles/sip-parser.ts';
import { directoryOf, someTrunk } from '#test/sip/trunks/some-trunk.ts';
import { callee, sdp, unanswered } from './signalling/outbound/outgoing-call.ts';

// Outbound
// Calls that go out, as ladders between the gateway and its trunk.

test.serial('a call rings, is answered and is hung up by the gateway', async (t) => {
  const { trunk, call, said, freeSwitches } = await startSipEdge(t);
  const line = call(callee);
  const farCall = await trunk.receives('INVITE');
  farCall.answers(180);
  await said([line], 'line.ringing');
  farCall.answers(200, { sdp });
  await farCall.receives('ACK');
  await said([line], 'line.answered');
  line.tell({ type: 'hangUp' });
  await farCall.receives('BYE');
  farCall.answers(200);
  await said([line], 'line.ended');
  t.deepEqual(line.story(), ['line.ringing', 'line.answered', 'line.ended']);
  t.like(line.all('line.ended')[0], { by: 'gateway', sip: { status: 200, callId: farCall.callId } });
  await freeSwitches[0]?.untilChannels(0);
  t.deepEqual(line.breaches, []);
});

test.serial('a call rings, is answered and is hung up by the other party', async (t) => {
  const { trunk, call, said, freeSwitches } = await startSipEdge(t);
  const line = call(callee);
  const farCall = await trunk.receives('INVITE');
  farCall.answers(200, { sdp });
  await farCall.receives('ACK');
  await said([line], 'line.answered');
  farCall.sends('BYE');
  await farCall.receives(200);
  await said([line], 'line.ended');
  t.like(line.all('line.ended')[0], { by: 'counterparty' });
  await freeSwitches[0]?.untilChannels(0);
});

for (const [reason, by, reasons] of [
  [
    'Q.850;cause=41;text="Temporary failure"',
    'network',
    [{ protocol: 'Q.850', cause: 41, text: 'Temporary failure' }],
  ],
  ['Q.850;cause=16', 'counterparty', [{ protocol: 'Q.850', cause: 16, text: null }]],
] as const)
  // prettier-ignore
  test.serial(`a BYE with Reason ${reason} is the end by the ${by}, with that reason`, async (t) => {
    const { trunk, call, said } = await startSipEdge(t);
    const line = call(callee);
    const farCall = await trunk.receives('INVITE');
    farCall.answers(200, { sdp });
    await farCall.receives('ACK');
    await said([line], 'line.answered');
    farCall.sends('BYE', { headers: { Reason: reason } });
    await farCall.receives(200);
    await said([line], 'line.ended');
    t.like(line.all('line.ended')[0], { by, sip: { status: 200, callId: farCall.callId } });
    t.deepEqual(line.all('line.ended')[0]?.sip?.reasons, [...reasons]);
  });

test.serial('a refusal keeps its reasons, and where to complain of it', async (t) => {
  const edge = await startSipEdge(t);
  const line = edge.call(callee);
  const headers = {
    Reason: 'SIP;cause=608;text="v=analytics1;url=https://block.example"',
    'Call-Info': '<https://block.example/complain>;purpose=jwscard, <sip:nobody@block.example>',
  };
  (await edge.trunk.receives('INVITE')).answers(608, { headers });
  const ending = await unanswered(edge, line);
  t.is(ending?.cause, 'declined');
  t.deepEqual(ending?.sip?.reasons, [
    { protocol: 'SIP', cause: 608, text: 'v=analytics1;url=https://block.example' },
  ]);
  t.deepEqual(ending?.sip?.callInfo, ['https://block.example/complain']);
});

test.serial('an INVITE says who calls whom, offers sound and asks for a session timer', async (t) => {
  const { trunk, call, freeSwitches } = await startSipEdge(t);
  call(callee);
  const farCall = await trunk.receives('INVITE');
  const invite = farCall.last('INVITE');
  t.is(requestUriOf(invite), `sip:${callee}@${trunkAddress}`);
  t.regex(mustHave(invite, 'From'), new RegExp(`^<sip:${ownNumber}@127.0.0.1:5060>;tag=`));
  t.is(mustHave(invite, 'Supported'), 'timer, 100rel');
  t.is(mustHave(invite, 'Session-Expires'), '1800;refresher=uas');
  t.is(mustHave(invite, 'Min-SE'), '90');
  t.is(mustHave(invite, 'Allow'), 'INVITE, ACK, CANCEL, BYE, OPTIONS, INFO, UPDATE, PRACK');
  t.regex(invite.body, /^m=audio \d+ RTP\/AVP 0 8 101\r$/m);
  t.is(freeSwitches[0]?.channels().length, 1);
});

const outboundRefusals: readonly [number, Record<string, string>, UnansweredCause][] = [
  [302, { Contact: '<sip:elsewhere@192.0.2.1>' }, 'trunk_error'],
  [403, {}, 'trunk_error'],
  [404, {}, 'invalid_number'],
  [480, {}, 'no_answer'],
  [486, {}, 'busy'],
  [488, {}, 'media_error'],
  [500, {}, 'trunk_error'],
  [603, {}, 'declined'],
  [503, { Reason: 'Q.850;cause=17;text="User busy"' }, 'busy'],
];

for (const [status, headers, cause] of outboundRefusals)
  test.serial(
    `a call refused with ${status}${headers['Reason'] === undefined ? '' : ' and a cause of Q.850'} is over because of ${cause}`,
    async (t) => {
      const edge = await startSipEdge(t);
      const line = edge.call(callee);
      const farCall = await edge.trunk.receives('INVITE');
      farCall.answers(180);
      farCall.answers(status, { headers });
      t.like(await unanswered(edge, line), { cause, sip: { status, callId: farCall.callId } });
      await edge.freeSwitches[0]?.untilChannels(0);
      t.deepEqual(edge.trunk.unread(), [], 'nobody else is called');
    },
  );

test.serial('a call that is given up while it rings is cancelled', async (t) => {
  const edge = await startSipEdge(t);
  const line = edge.call(callee);
  const farCall = await edge.trunk.receives('INVITE');
  farCall.answers(180);
  await edge.said([line], 'line.ringing');
  line.tell({ type: 'hangUp' });
  await farCall.receives('CANCEL');
  farCall.answers(200, { to: 'CANCEL' });
  t.false(line.isOver(), 'its outcome is the answer to the INVITE');
  farCall.answers(487, { to: 'INVITE' });
  t.like(await unanswered(edge, line), { cause: 'cancelled', sip: { status: 487 } });
  await edge.freeSwitches[0]?.untilChannels(0);
});

test.serial('a cancelled call that nobody confirms is over all the same', async (t) => {
  const edge = await startSipEdge(t);
  const line = edge.call(callee);
  const farCall = await edge.trunk.receives('INVITE');
  farCall.answers(180);
  await edge.said([line], 'line.ringing');
  line.tell({ type: 'hangUp' });
  await farCall.receives('CANCEL');
  edge.clock.advance(1_500);
  t.like(await unanswered(edge, line), { cause: 'cancelled' });
});

test.serial('an answer that crosses the CANCEL is confirmed and hung up', async (t) => {
  const edge = await startSipEdge(t);
  const line = edge.call(callee);
  const farCall = await edge.trunk.receives('INVITE');
  farCall.answers(180);
  await edge.said([line], 'line.ringing');
  line.tell({ type: 'hangUp' });
  await farCall.receives('CANCEL');
  farCall.answers(200, { to: 'INVITE', sdp });
  await farCall.receives('ACK');
  await farCall.receives('BYE');
  farCall.answers(200, { to: 'BYE' });
  t.like(await unanswered(edge, line), { cause: 'cancelled' });
  await edge.freeSwitches[0]?.untilChannels(0);
});

test.serial('a BYE that nobody answers has ended the call all the same', async (t) => {
  const { trunk, call, said, clock } = await startSipEdge(t);
  const line = call(callee);
  const farCall = await trunk.receives('INVITE');
  farCall.answers(200, { sdp });
  await farCall.receives('ACK');
  await said([line], 'line.answered');
  line.tell({ type: 'hangUp' });
  await farCall.receives('BYE');
  t.false(line.isOver());
  clock.advance(1_500);
  await said([line], 'line.ended');
  t.like(line.all('line.ended')[0], { by: 'gateway' });
});

test.serial(
  'a trunk that never says a word is given up, and confirmed and hung up on when it answers after all',
  async (t) => {
    const edge = await startSipEdge(t);
    const line = edge.call(callee);
    const farCall = await edge.trunk.receives('INVITE');
    edge.clock.advance(4_000);
    t.like(await unanswered(edge, line), { cause: 'trunk_error', sip: { status: 408 } });
    await farCall.receives('CANCEL');
    farCall.answers(200, { to: 'INVITE', sdp });
    await farCall.receives('ACK');
    await farCall.receives('BYE');
  },
);

test.serial('a trunk at whose address nobody is fails the call', async (t) => {
  const edge = await startSipEdge(t, { trunk: { address: '127.0.0.1:15099' } });
  t.like(await unanswered(edge, edge.call(callee)), { cause: 'trunk_error', sip: { status: 503 } });
});

test.serial(
  'early media and a reliable 183 are confirmed, and their description is the answer',
  async (t) => {
    const { trunk, call, said, freeSwitches } = await startSipEdge(t);
    const line = call(callee);
    const farCall = await trunk.receives('INVITE');
    farCall.answers(183, { sdp: describeSound({ port: 31_000 }), headers: { Require: '100rel', RSeq: '7' } });
    const prack = await farCall.receives('PRACK');
    t.regex(mustHave(prack, 'RAck'), /^7 \d+ INVITE$/);
    farCall.answers(200, { to: 'PRACK' });
    await said([line], 'line.ringing');
    farCall.answers(200, { to: 'INVITE' });
    await farCall.receives('ACK');
    await said([line], 'line.answered');
    t.regex(freeSwitches[0]?.channels()[0]?.remoteSdp ?? '', /^m=audio 31000 /m);
  },
);

const answersWithoutSound: readonly [string, string][] = [
  ['of a codec that was not offered', describeSound({ formats: [18, 101] })],
  ['without audio', describeSound({ port: 0 })],
];

for (const [what, dumb] of answersWithoutSound)
  test.serial(`an answer ${what} is no call: it is hung up at once`, async (t) => {
    const edge = await startSipEdge(t);
    const line = edge.call(callee);
    const farCall = await edge.trunk.receives('INVITE');
    farCall.answers(200, { sdp: dumb });
    await farCall.receives('ACK');
    await farCall.receives('BYE');
    farCall.answers(200);
    t.like(await unanswered(edge, line), { cause: 'media_error', sip: { status: 200 } });
    t.false(line.saw('line.answered'));
  });

test.serial('a session timer that is too short for the trunk is asked for again, longer', async (t) => {
  const { trunk, call, said } = await startSipEdge(t);
  const line = call(callee);
  const first = await trunk.receives('INVITE');
  first.answers(422, { headers: { 'Min-SE': '3600' } });
  const second = await trunk.receives('INVITE');
  t.is(mustHave(second.last('INVITE'), 'Session-Expires'), '3600;refresher=uas');
  t.is(mustHave(second.last('INVITE'), 'Min-SE'), '3600');
  second.answers(200, { sdp });
  await second.receives('ACK');
  await said([line], 'line.answered');
  t.is(line.all('line.ringing').length, 0);
});

// Addresses
// Calls by a trunk that has several addresses.

const at = (port: number, priority: number) => ({
  host: '127.0.0.1',
  port,
  priority,
  weight: 10,
  drained: false,
});

/** A trunk of two addresses, and another one behind it. */
const addressesWorld = async (t: ExecutionContext, changes: Partial<Trunk> = {}) => {
  const trunks = directoryOf([
    someTrunk({ name: 'one', priority: 1, addresses: [at(15_081, 1), at(15_082, 2)], ...changes }),
    someTrunk({ name: 'two', priority: 2, host: '127.0.0.1', port: 15_083 }),
  ]);
  const edge = await startSipEdge(t, { trunk: null, trunks });
  const end = (port: number) => createFarEnd(edge.drachtio, `127.0.0.1:${port}`);
  return { ...edge, first: end(15_081), second: end(15_082), other: end(15_083) };
};

test.serial(
  'when an address fails the call, the next address of the trunk gets it, then the next trunk',
  async (t) => {
    const { first, second, other, call, said, clock } = await addressesWorld(t);
    const line = call();
    await first.receives('INVITE');
    clock.advance(4_000);
    (await second.receives('INVITE')).answers(503);
    const farCall = await other.receives('INVITE');
    farCall.answers(200, { sdp });
    await farCall.receives('ACK');
    await t.notThrowsAsync(said([line], 'line.answered'));
  },
);

test.serial('an address that asks to be left alone is, and the others of the trunk are not', async (t) => {
  const edge = await addressesWorld(t);
  const one = edge.call();
  (await edge.first.receives('INVITE')).answers(503, { headers: { 'Retry-After': '60' } });
  (await edge.second.receives('INVITE')).answers(486);
  await unanswered(edge, one);
  const other = edge.call();
  (await edge.second.receives('INVITE')).answers(486);
  await unanswered(edge, other);
  t.deepEqual([...edge.first.unread(), ...edge.other.unread()], []);
});

test.serial('a channel of the trunk is taken once, however many of its addresses are tried', async (t) => {
  const edge = await addressesWorld(t, { maxChannels: 1 });
  const line = edge.call();
  (await edge.first.receives('INVITE')).answers(503);
  const farCall = await edge.second.receives('INVITE');
  farCall.answers(200, { sdp });
  await farCall.receives('ACK');
  await edge.said([line], 'line.answered');
  const full = edge.call();
  (await edge.other.receives('INVITE')).answers(486);
  await unanswered(edge, full);
  line.tell({ type: 'hangUp' });
  await farCall.receives('BYE');
  farCall.answers(200);
  await edge.said([line], 'line.ended');
  line.close();
  edge.call();
  await t.notThrowsAsync(edge.first.receives('INVITE'));
});

test.serial('a drained trunk gets no calls, and the call on it goes on', async (t) => {
  const trunk = someTrunk({ host: '127.0.0.1', port: 15_081 });
  const changing = { ...directoryOf([]), all: () => [{ ...trunk, drained: state.drained }] };
  const state = { drained: false };
  const edge = await startSipEdge(t, { trunk: null, trunks: changing });
  const end = createFarEnd(edge.drachtio, '127.0.0.1:15081');
  const line = edge.call();
  const farCall = await end.receives('INVITE');
  farCall.answers(200, { sdp });
  await farCall.receives('ACK');
  await edge.said([line], 'line.answered');
  state.drained = true;
  t.like(await unanswered(edge, edge.call()), {
    cause: 'trunk_error',
    sip: { status: null, reason: 'The trunk "carrier" is drained: it takes no new calls.' },
  });
  line.tell({ type: 'hangUp' });
  await t.notThrowsAsync(farCall.receives('BYE'));
});

// Redirects
// Calls that a trunk sends on to another place (302).

/** A trunk that sends on, a place where it may send to, and a second trunk. */
const redirectsWorld = async (t: ExecutionContext, changes: Partial<Trunk> = {}) => {
  const at = { host: '127.0.0.1' };
  const trunks = directoryOf([
    someTrunk({ ...at, name: 'one', port: 15_081, priority: 1, redirects: 'any', ...changes }),
    someTrunk({ ...at, name: 'two', port: 15_082, priority: 2 }),
  ]);
  const edge = await startSipEdge(t, { trunk: null, trunks });
  const end = (port: number) => createFarEnd(edge.drachtio, `127.0.0.1:${port}`);
  return { ...edge, one: end(15_081), two: end(15_082), elsewhere: end(15_083) };
};

const to = (...contacts: string[]) => ({ headers: { Contact: contacts.join(', ') } });
const there = `<sip:${callee}@127.0.0.1:15083>`;

test.serial(
  'a call goes where the trunk sends it on to, with the same offer, and stands there',
  async (t) => {
    const { one, two, elsewhere, call, said } = await redirectsWorld(t);
    const line = call();
    const first = await one.receives('INVITE');
    first.answers(180);
    first.answers(302, to(there));
    const farCall = await elsewhere.receives('INVITE');
    t.is(farCall.last('INVITE').body, first.last('INVITE').body);
    t.is(farCall.last('INVITE').startLine, `INVITE sip:${callee}@127.0.0.1:15083 SIP/2.0`);
    farCall.answers(200, { sdp });
    await farCall.receives('ACK');
    await said([line], 'line.answered');
    line.tell({ type: 'hangUp' });
    await farCall.receives('BYE');
    t.deepEqual(two.unread(), []);
  },
);

test.serial('a redirect that is not followed ends the call', async (t) => {
  const edge = await redirectsWorld(t, { redirects: 'refused' });
  const line = edge.call();
  (await edge.one.receives('INVITE')).answers(302, to(there));
  t.like(await unanswered(edge, line), { cause: 'trunk_error', sip: { status: 302 } });
  t.deepEqual([...edge.elsewhere.unread(), ...edge.two.unread()], []);
});

test.serial('it goes on to the next trunk where the trunk names its status', async (t) => {
  const edge = await redirectsWorld(t, { redirects: 'same_host', failoverStatuses: ['3xx'] });
  edge.call();
  (await edge.one.receives('INVITE')).answers(302, to(`<sip:${callee}@127.0.0.2:15083>`));
  await t.notThrowsAsync(edge.two.receives('INVITE'));
});

test.serial(
  'when the place it was sent on to fails, the next Contact is tried, then the next trunk',
  async (t) => {
    const { one, two, elsewhere, call, said } = await redirectsWorld(t);
    const line = call();
    (await one.receives('INVITE')).answers(302, to(`${there};q=0.5`, `<sip:${callee}@127.0.0.1:15081;x>`));
    (await elsewhere.receives('INVITE')).answers(503, { headers: { 'Retry-After': '60' } });
    const farCall = await two.receives('INVITE');
    farCall.answers(200, { sdp });
    await farCall.receives('ACK');
    await said([line], 'line.answered');
    call();
    await t.notThrowsAsync(one.receives('INVITE'), 'it was not the trunk that wants no calls');
  },
);

test.serial('a call that is sent round in circles ends', async (t) => {
  const edge = await redirectsWorld(t);
  const line = edge.call();
  (await edge.one.receives('INVITE')).answers(302, to(there));
  (await edge.elsewhere.receives('INVITE')).answers(302, to(`<sip:${callee}@127.0.0.1:15081>`, there));
  t.like(await unanswered(edge, line), { cause: 'trunk_error', sip: { status: 302 } });
  t.deepEqual([...edge.one.unread(), ...edge.two.unread(), ...edge.elsewhere.unread()], []);
});

test.serial('another host than the trunk is not shown the password', async (t) => {
  const edge = await redirectsWorld(t, { username: 'gw', password: 'secret' });
  const line = edge.call();
  (await edge.one.receives('INVITE')).answers(302, to(`<sip:${callee}@127.0.0.2:15083>`));
  const farCall = await createFarEnd(edge.drachtio, '127.0.0.2:15083').receives('INVITE');
  farCall.answers(401, { headers: { 'WWW-Authenticate': 'Digest realm="x", nonce="abc", qop="auth"' } });
  (await edge.two.receives('INVITE')).answers(486);
  t.like(await unanswered(edge, line), { cause: 'busy', sip: { status: 486 } });
  t.is(headerOf(farCall.last('INVITE'), 'Authorization'), undefined);
});

test.serial('a trunk sends no call on to where it may not go', async (t) => {
  const at = { host: '127.0.0.1' };
  const trunks = {
    ...directoryOf([someTrunk({ ...at, name: 'one', port: 15_081, redirects: 'any' })]),
    destinationsOf: async () => [{ kinds: ['mobile' as const], allowedPrefixes: [], deniedPrefixes: [] }],
  };
  const edge = await startSipEdge(t, { trunk: null, trunks });
  const line = edge.call();
  const one = createFarEnd(edge.drachtio, '127.0.0.1:15081');
  const elsewhere = createFarEnd(edge.drachtio, '127.0.0.1:15083');
  const expensive = '<sip:0607001234@127.0.0.1:15083>';
  (await one.receives('INVITE')).answers(302, to(expensive, `${there};q=0.5`));
  const farCall = await elsewhere.receives('INVITE');
  t.is(farCall.last('INVITE').startLine, `INVITE sip:${callee}@127.0.0.1:15083 SIP/2.0`);
  farCall.answers(302, to(expensive));
  t.like(await unanswered(edge, line), { cause: 'trunk_error', sip: { status: 302 } });
  t.deepEqual(elsewhere.unread(), []);
});

// Trunks
// Which trunk a call goes to: the next one, one that wants to be shown a password, none.

/** Trunks of a workspace, in the order in which they are tried. */
const trunksOf = (...trunks: Parameters<typeof someTrunk>[0][]): TrunkDirectory => {
  const all = trunks.map((changes, index) =>
    someTrunk({ host: '127.0.0.1', name: `trunk-${index}`, priority: index, ...changes }),
  );
  return directoryOf(all);
};

const twoTrunks = async (t: ExecutionContext) => {
  const edge = await startSipEdge(t, { trunk: null, trunks: trunksOf({ port: 15_081 }, { port: 15_082 }) });
  return {
    ...edge,
    first: createFarEnd(edge.drachtio, '127.0.0.1:15081'),
    second: createFarEnd(edge.drachtio, '127.0.0.1:15082'),
  };
};

const failures: readonly [string, (farCall: FarCall, edge: SipEdge) => void][] = [
  ['has no room', (farCall) => farCall.answers(503)],
  ['does not want us', (farCall) => farCall.answers(403)],
  ['gets too many calls', (farCall) => farCall.answers(429)],
  [
    'lets us hear something and fails',
    (farCall) => {
      farCall.answers(183, { sdp });
      farCall.answers(503);
    },
  ],
  ['says no word', (_farCall, { clock }) => clock.advance(4_000)],
];

for (const [how, fail] of failures)
  test.serial(`when a trunk ${how}, the next one gets the same offer`, async (t) => {
    const { first, second, call, said, freeSwitches, ...edge } = await twoTrunks(t);
    const line = call(callee);
    const failing = await first.receives('INVITE');
    fail(failing, { ...edge, call, said, freeSwitches });
    const farCall = await second.receives('INVITE');
    t.is(farCall.last('INVITE').body, failing.last('INVITE').body);
    farCall.answers(200, { sdp });
    await farCall.receives('ACK');
    await said([line], 'line.answered');
    t.is(freeSwitches[0]?.channels().length, 1);
  });

for (const status of [486, 404, 603])
  test.serial(`a callee who is reached is not called again by another trunk: ${status}`, async (t) => {
    const edge = await twoTrunks(t);
    const line = edge.call(callee);
    (await edge.first.receives('INVITE')).answers(status);
    await unanswered(edge, line);
    t.deepEqual(edge.second.unread(), []);
  });

test.serial('a trunk says itself after which statuses the next one is tried', async (t) => {
  const trunks = trunksOf(
    { port: 15_081, failoverStatuses: ['404'] },
    { port: 15_082, failoverStatuses: [] },
  );
  const edge = await startSipEdge(t, { trunk: null, trunks });
  const line = edge.call(callee);
  (await createFarEnd(edge.drachtio, '127.0.0.1:15081').receives('INVITE')).answers(404);
  (await createFarEnd(edge.drachtio, '127.0.0.1:15082').receives('INVITE')).answers(503);
  t.like(await unanswered(edge, line), { cause: 'trunk_error', sip: { status: 503 } });
});

test.serial('a Retry-After of the callee is none of the trunk', async (t) => {
  const edge = await twoTrunks(t);
  for (const status of [486, 480]) {
    const line = edge.call(callee);
    (await edge.first.receives('INVITE')).answers(status, { headers: { 'Retry-After': '60' } });
    await unanswered(edge, line);
  }
  edge.call(callee);
  await t.notThrowsAsync(edge.first.receives('INVITE'));
});

test.serial('where all trunks want to be left alone, the call says which takes calls first', async (t) => {
  const edge = await twoTrunks(t);
  const one = edge.call(callee);
  (await edge.first.receives('INVITE')).answers(429, { headers: { 'Retry-After': '600 (too many)' } });
  (await edge.second.receives('INVITE')).answers(503, { headers: { 'Retry-After': '60;duration=30' } });
  t.like(await unanswered(edge, one), { sip: { status: 503 } });
  edge.clock.advance(15_000);
  t.like(await unanswered(edge, edge.call(callee)), {
    cause: 'trunk_error',
    sip: { status: null, reason: 'The trunk "trunk-1" wants no calls for 45 more seconds.' },
  });
  t.deepEqual([...edge.first.unread(), ...edge.second.unread()], []);
});

test.serial('a trunk that asks to be left alone is not called until then', async (t) => {
  const edge = await twoTrunks(t);
  const one = edge.call(callee);
  (await edge.first.receives('INVITE')).answers(503, { headers: { 'Retry-After': '60' } });
  (await edge.second.receives('INVITE')).answers(486);
  await unanswered(edge, one);
  const other = edge.call(callee);
  (await edge.second.receives('INVITE')).answers(486);
  await unanswered(edge, other);
  edge.clock.advance(60_000);
  edge.call(callee);
  await t.notThrowsAsync(edge.first.receives('INVITE'));
});

/** The parameters of the credentials in a request. */
const credentialsIn = (request: SipMessage, header: string) => {
  const [credentials] = challengesIn(headerOf(request, header) ?? '');
  return (name: string): string => credentials?.parameters.get(name) ?? '';
};

/** Whether the credentials of this request are right (RFC 7616 section 3.4.1). */
const isRight = (request: SipMessage, header: string, password: string, hash = 'md5'): boolean => {
  const hex = (...parts: string[]): string => createHash(hash).update(parts.join(':')).digest('hex');
  const part = credentialsIn(request, header);
  const middle = ['nonce', 'nc', 'cnonce', 'qop'].map(part);
  const one = hex(part('username'), part('realm'), password);
  const two = hex(methodOf(request), requestUriOf(request));
  return part('response') === hex(one, ...middle, two);
};

for (const [status, challenge, header] of [
  [401, 'WWW-Authenticate', 'Authorization'],
  [407, 'Proxy-Authenticate', 'Proxy-Authorization'],
] as const)
  test.serial(
    `a trunk that challenges with ${status} gets the credentials, and the call goes on`,
    async (t) => {
      const trunks = trunksOf({ port: 15_081, username: 'gateway', password: 'secret' });
      const { drachtio, call, said } = await startSipEdge(t, { trunk: null, trunks });
      const line = call(callee);
      const farCall = await createFarEnd(drachtio, '127.0.0.1:15081').receives('INVITE');
      const headers = { [challenge]: 'Digest realm="trunk", nonce="abc", qop="auth", algorithm=MD5' };
      farCall.answers(status, { headers });
      const invite = await farCall.receives('INVITE');
      t.true(isRight(invite, header, 'secret'));
      t.false(isRight(invite, header, 'wrong'));
      farCall.answers(180);
      farCall.answers(200, { sdp });
      await farCall.receives('ACK');
      await said([line], 'line.answered');
      line.tell({ type: 'hangUp' });
      await farCall.receives('BYE');
    },
  );

/** A call to a trunk that wants a password. */
const toChallengingTrunk = async (t: ExecutionContext) => {
  const trunks = trunksOf({ port: 15_081, username: 'gateway', password: 'secret' });
  const edge = await startSipEdge(t, { trunk: null, trunks });
  const line = edge.call(callee);
  const farCall = await createFarEnd(edge.drachtio, '127.0.0.1:15081').receives('INVITE');
  return { ...edge, line, farCall };
};

test.serial('the strongest of several challenges is answered, with its own nonce', async (t) => {
  const { farCall } = await toChallengingTrunk(t);
  const first = farCall.last('INVITE');
  const headers = {
    'WWW-Authenticate': 'Basic realm="t"',
    'www-authenticate': 'Digest realm="t, one", nonce="A", qop="auth", algorithm=MD5',
    'WWW-AUTHENTICATE': 'Digest realm="t, one", nonce="B", qop="auth-int,auth", algorithm=SHA-256',
  };
  farCall.answers(401, { headers });
  const invite = await farCall.receives('INVITE');
  t.is(credentialsIn(invite, 'Authorization')('nonce'), 'B');
  t.is(credentialsIn(invite, 'Authorization')('qop'), 'auth');
  t.true(isRight(invite, 'Authorization', 'secret', 'sha256'));
  t.is(mustHave(invite, 'Call-ID'), mustHave(first, 'Call-ID'));
  t.is(mustHave(invite, 'From'), mustHave(first, 'From'));
  t.is(sequenceOf(invite), sequenceOf(first) + 1);
});

test.serial('a proxy and the trunk may challenge in turn, and a nonce may become stale', async (t) => {
  const { farCall, line, said } = await toChallengingTrunk(t);
  farCall.answers(407, { headers: { 'Proxy-Authenticate': 'Digest realm="proxy", nonce="1", qop="auth"' } });
  await farCall.receives('INVITE');
  farCall.answers(401, { headers: { 'WWW-Authenticate': 'Digest realm="trunk", nonce="2", qop="auth"' } });
  await farCall.receives('INVITE');
  const stale = 'Digest realm="trunk", nonce="3", qop="auth", stale=true';
  farCall.answers(401, { headers: { 'WWW-Authenticate': stale } });
  const invite = await farCall.receives('INVITE');
  t.true(isRight(invite, 'Proxy-Authorization', 'secret'));
  t.true(isRight(invite, 'Authorization', 'secret'));
  t.is(credentialsIn(invite, 'Authorization')('nonce'), '3');
  farCall.answers(200, { sdp });
  await farCall.receives('ACK');
  await said([line], 'line.answered');
});

test.serial('a BYE that is challenged is sent again with credentials', async (t) => {
  const { farCall, line, said } = await toChallengingTrunk(t);
  const headers = { 'Proxy-Authenticate': 'Digest realm="trunk", nonce="abc", qop="auth"' };
  farCall.answers(407, { headers });
  await farCall.receives('INVITE');
  farCall.answers(200, { sdp });
  await farCall.receives('ACK');
  await said([line], 'line.answered');
  line.tell({ type: 'hangUp' });
  await farCall.receives('BYE');
  farCall.answers(407, { headers });
  const bye = await farCall.receives('BYE');
  t.true(isRight(bye, 'Proxy-Authorization', 'secret'));
  t.is(credentialsIn(bye, 'Proxy-Authorization')('nc'), '00000002', 'the nonce was used for the INVITE');
  farCall.answers(200);
  await said([line], 'line.ended');
});

test.serial('a call that is cancelled while it is challenged is not placed again', async (t) => {
  const edge = await toChallengingTrunk(t);
  edge.line.tell({ type: 'hangUp' });
  const { farCall } = edge;
  await farCall.receives('CANCEL');
  farCall.answers(200, { to: 'CANCEL' });
  const headers = { 'WWW-Authenticate': 'Digest realm="trunk", nonce="abc", qop="auth"' };
  farCall.answers(401, { to: 'INVITE', headers });
  t.like(await unanswered(edge, edge.line), { cause: 'cancelled' });
  t.deepEqual(farCall.unread(), []);
});

test.serial('a trunk that does not take the credentials fails the call', async (t) => {
  const trunks = trunksOf({ port: 15_081, username: 'gateway', password: 'wrong' });
  const edge = await startSipEdge(t, { trunk: null, trunks });
  const line = edge.call(callee);
  const farCall = await createFarEnd(edge.drachtio, '127.0.0.1:15081').receives('INVITE');
  const headers = { 'WWW-Authenticate': 'Digest realm="trunk", nonce="abc", qop="auth"' };
  farCall.answers(401, { headers });
  await farCall.receives('INVITE');
  farCall.answers(401, { headers });
  t.like(await unanswered(edge, line), { cause: 'trunk_error', sip: { status: 401 } });
});

test.serial('a number without a trunk reaches nobody', async (t) => {
  const edge = await startSipEdge(t, { trunk: null });
  t.like(await unanswered(edge, edge.call(callee)), {
    cause: 'trunk_error',
    sip: { status: null, reason: 'There is no enabled trunk for this number' },
  });
});

test.serial('without an endpoint no trunk is called', async (t) => {
  const edge = await startSipEdge(t);
  edge.freeSwitches[0]?.refuseEndpoints();
  t.like(await unanswered(edge, edge.call(callee)), { cause: 'media_error' });
  t.deepEqual(edge.trunk.unread(), []);
});

// Inbound
// Calls that come in, as ladders between a trunk and the gateway.

const inboundSdp = describeSound();

test.serial('a caller is answered and hangs up', async (t) => {
  const { trunk, inbound, said, freeSwitches } = await startSipEdge(t);
  const call = trunk.calls(ownNumber, { sdp: inboundSdp });
  const answer = await call.receives(200);
  t.regex(answer.body, /^m=audio \d+ RTP\/AVP 0 101\r$/m);
  t.is(headerOf(answer, 'Allow'), 'INVITE, ACK, CANCEL, BYE, OPTIONS, INFO, UPDATE, PRACK');
  call.sends('ACK');
  await said(inbound, 'line.answered');
  t.is(freeSwitches[0]?.channels().length, 1);
  call.sends('BYE');
  await call.receives(200);
  await said(inbound, 'line.ended');
  t.like(inbound[0]?.all('line.ended')[0], { by: 'counterparty', sip: { status: 200, callId: call.callId } });
  t.deepEqual(inbound[0]?.breaches, []);
});

test.serial('a caller is answered and hung up on', async (t) => {
  const { trunk, inbound, said, freeSwitches } = await startSipEdge(t);
  const call = trunk.calls(ownNumber, { sdp: inboundSdp });
  await call.receives(200);
  call.sends('ACK');
  await said(inbound, 'line.answered');
  inbound[0]?.tell({ type: 'hangUp' });
  await call.receives('BYE');
  t.false(inbound[0]?.isOver(), 'it waits for the answer to its BYE');
  call.answers(200);
  await said(inbound, 'line.ended');
  t.like(inbound[0]?.all('line.ended')[0], { by: 'gateway' });
  await freeSwitches[0]?.untilChannels(0);
});

test.serial('an answer that the caller never confirms ends the call', async (t) => {
  const { drachtio, trunk, inbound, said, freeSwitches } = await startSipEdge(t);
  const call = trunk.calls(ownNumber, { sdp: inboundSdp });
  await call.receives(200);
  await said(inbound, 'line.answered');
  drachtio.giveUp(call.callId, 'ACK timeout');
  t.is(headerOf(await call.receives('BYE'), 'Reason'), 'SIP;cause=200;text="ACK timeout"');
  await said(inbound, 'line.ended');
  t.like(inbound[0]?.all('line.ended')[0], { by: 'counterparty' });
  await freeSwitches[0]?.untilChannels(0);
});

type Because = Extract<ArrivalVerdict, { accepted: false }>['because'];

const inboundRefusals: readonly [Because, number, Record<string, string>][] = [
  ['unknown_number', 404, {}],
  ['no_agent_endpoint', 480, {}],
  ['caller_rejected', 603, {}],
  ['concurrency_limit', 486, {}],
  ['over_capacity', 503, { 'Retry-After': '5' }],
  ['draining', 503, { 'Retry-After': '60' }],
];
for (const [because, status, headers] of inboundRefusals)
  test.serial(`a caller is refused with ${status} because of ${because}`, async (t) => {
    const { trunk, inbound, freeSwitches } = await startSipEdge(t, {
      decide: () => ({ accepted: false, because }),
    });
    const refusal = await trunk.calls(ownNumber, { sdp: inboundSdp }).receives(status);
    for (const [name, value] of Object.entries(headers)) t.is(headerOf(refusal, name), value);
    t.deepEqual(inbound, []);
    t.deepEqual(freeSwitches[0]?.channels(), [], 'nothing was asked of the media server');
  });

test.serial('a trunk that is drained brings no new calls, and is told so when it asks', async (t) => {
  const trunks = directoryOf([
    someTrunk({ host: '127.0.0.1', inboundAddresses: ['127.0.0.1'], drained: true }),
  ]);
  const { trunk, arrivals } = await startSipEdge(t, { trunk: null, trunks });
  await trunk.calls(ownNumber, { sdp: inboundSdp }).receives(503);
  await trunk.asks('OPTIONS').receives(503);
  t.deepEqual(arrivals, []);
});

test.serial('a caller about whom nothing can be decided is refused with 500', async (t) => {
  const { trunk } = await startSipEdge(t, {
    decide: () => Promise.reject(new Error('the database is away')),
  });
  const call = trunk.calls(ownNumber, { sdp: inboundSdp });
  await t.notThrowsAsync(call.receives(500));
});

test.serial('who calls from an address of no trunk is refused before anybody is asked', async (t) => {
  const { drachtio, arrivals, lines } = await startSipEdge(t);
  const stranger = createFarEnd(drachtio, '192.0.2.9:5060');
  await stranger.calls(ownNumber, { sdp: inboundSdp }).receives(403);
  await stranger.asks('OPTIONS').receives(403);
  t.deepEqual(arrivals, []);
  t.is(lines.refusedCallers().unknown_address, 1);
});

const faults: readonly [
  string,
  { sdp?: string; headers?: Record<string, string> },
  number,
  string?,
  RegExp?,
][] = [
  [
    'that requires what nobody knows',
    { headers: { Require: 'timer, teleport' } },
    420,
    'Unsupported',
    /^teleport$/,
  ],
  ['that has no hop left', { headers: { 'Max-Forwards': '0' } }, 483],
  [
    'of a codec that nobody has',
    { sdp: describeSound({ formats: [18, 101] }) },
    488,
    'Warning',
    /^399 trunkline "/,
  ],
  ['without audio', { sdp: describeSound({ port: 0 }) }, 488, 'Warning', /^399 trunkline "/],
  ['that wants to be refreshed too often', { headers: { 'Session-Expires': '60' } }, 422, 'Min-SE', /^90$/],
];
for (const [what, parts, status, header, value] of faults)
  test.serial(`a call ${what} is refused with ${status}`, async (t) => {
    const { trunk, arrivals } = await startSipEdge(t);
    const refusal = await trunk.calls(ownNumber, { sdp: inboundSdp, ...parts }).receives(status);
    if (header !== undefined && value !== undefined) t.regex(headerOf(refusal, header) ?? '', value);
    t.deepEqual(arrivals, []);
  });

test.serial('a call to what is no number is refused with 404', async (t) => {
  const { trunk } = await startSipEdge(t);
  await t.notThrowsAsync(trunk.calls('reception', { sdp: inboundSdp }).receives(404));
});

test.serial('while the media server is away a caller is sent elsewhere', async (t) => {
  const { trunk, lines } = await startSipEdge(t, {
    spoil: ({ freeSwitches }) => freeSwitches[0]?.changeSecret(),
  });
  t.false(lines.health().ready);
  const refusal = await trunk.calls(ownNumber, { sdp: inboundSdp }).receives(503);
  t.is(headerOf(refusal, 'Retry-After'), '10');
  await trunk.asks('OPTIONS').receives(503);
});

const callers: readonly [string, Record<string, string>, string][] = [
  ['in international format', { From: '<sip:+821012345678@127.0.0.1>;tag=a' }, '01012345678'],
  ['with a name', { From: '"A. Caller" <sip:01012345678@127.0.0.1>;tag=a' }, '01012345678'],
  ['from abroad', { From: '<sip:+442079460123@127.0.0.1>;tag=a' }, '+442079460123'],
  ['who is not shown', { From: '"Anonymous" <sip:anonymous@anonymous.invalid>;tag=a' }, 'anonymous'],
];
for (const [how, headers, from] of callers)
  test.serial(`a caller ${how} is known by one form of its number`, async (t) => {
    const { trunk, arrivals } = await startSipEdge(t, {
      decide: () => ({ accepted: false, because: 'caller_rejected' }),
    });
    await trunk.calls(ownNumber, { sdp: inboundSdp, headers }).receives(603);
    t.deepEqual(
      arrivals.map((arrival) => [arrival.from, arrival.to]),
      [[from, ownNumber]],
    );
  });

test.serial('a caller who gives up before it is let in leaves nothing behind', async (t) => {
  const verdict = Promise.withResolvers<ArrivalVerdict>();
  const { trunk, arrivals, inbound, said, until, freeSwitches } = await startSipEdge(t, {
    decide: () => verdict.promise,
  });
  const call = trunk.calls(ownNumber, { sdp: inboundSdp });
  await until(() => arrivals.length === 1);
  const reason = 'SIP;cause=200;text="Call completed elsewhere"';
  call.sends('CANCEL', { headers: { Reason: reason } });
  await call.receives(200);
  await call.receives(487);
  // What is asked behind the CANCEL is answered when the gateway knows of it.
  await trunk.asks('OPTIONS').receives(200);
  verdict.resolve({ accepted: true });
  await said(inbound, 'line.unanswered');
  t.like(inbound[0]?.all('line.unanswered')[0], { cause: 'cancelled', sip: { status: 487 } });
  t.deepEqual(inbound[0]?.all('line.unanswered')[0]?.sip?.reasons, [
    { protocol: 'SIP', cause: 200, text: 'Call completed elsewhere' },
  ]);
  t.deepEqual(freeSwitches[0]?.channels(), []);
  t.deepEqual(call.unread(), []);
});

test.serial('a caller who gives up while its endpoint is made leaves none behind', async (t) => {
  const { trunk, inbound, said, freeSwitches } = await startSipEdge(t);
  freeSwitches[0]?.holdEndpoints();
  const call = trunk.calls(ownNumber, { sdp: inboundSdp });
  await freeSwitches[0]?.untilChannels(1);
  call.sends('CANCEL');
  await call.receives(200);
  await call.receives(487);
  freeSwitches[0]?.letEndpointsGo();
  await said(inbound, 'line.unanswered');
  t.like(inbound[0]?.all('line.unanswered')[0], { cause: 'cancelled' });
  await freeSwitches[0]?.untilChannels(0);
});

test.serial('a caller to whom no endpoint can be given may come again', async (t) => {
  const { trunk, inbound, said, freeSwitches } = await startSipEdge(t);
  freeSwitches[0]?.refuseEndpoints();
  const refusal = await trunk.calls(ownNumber, { sdp: inboundSdp }).receives(503);
  t.is(headerOf(refusal, 'Retry-After'), '10');
  await said(inbound, 'line.unanswered');
  t.like(inbound[0]?.all('line.unanswered')[0], { cause: 'media_error' });
});

test.serial('a caller whose line is never opened is refused after ten seconds', async (t) => {
  const { trunk, clock, arrivals, until } = await startSipEdge(t, { opensNothing: true });
  const call = trunk.calls(ownNumber, { sdp: inboundSdp });
  await until(() => arrivals.length === 1);
  clock.advance(9_999);
  t.deepEqual(call.ladder(), ['→ INVITE', '← 100']);
  clock.advance(1);
  await call.receives(480);
});

test.serial('callers who wait when the gateway closes are sent elsewhere', async (t) => {
  const { trunk, lines, arrivals, until } = await startSipEdge(t, { opensNothing: true });
  const call = trunk.calls(ownNumber, { sdp: inboundSdp });
  await until(() => arrivals.length === 1);
  const closing = lines.close();
  t.is(headerOf(await call.receives(503), 'Retry-After'), '60');
  await closing;
});

test.serial('the same INVITE by another way is one call', async (t) => {
  const { drachtio, trunk, arrivals } = await startSipEdge(t, { opensNothing: true });
  const first = trunk.calls(ownNumber, { sdp: inboundSdp });
  await first.receives(100);
  const other = createFarEnd(drachtio, '127.0.0.1:15061');
  const headers = { From: first.own(), 'Call-ID': first.callId };
  await other.calls(ownNumber, { sdp: inboundSdp, headers }).receives(482);
  t.is(arrivals.length, 1);
});

test.serial('the same INVITE by another way is a new call after the first one was refused', async (t) => {
  let verdict: ArrivalVerdict = { accepted: false, because: 'draining' };
  const { drachtio, trunk, arrivals, inbound, said } = await startSipEdge(t, { decide: async () => verdict });
  const first = trunk.calls(ownNumber, { sdp: inboundSdp });
  await first.receives(503);
  first.sends('ACK');
  verdict = { accepted: true };
  const other = createFarEnd(drachtio, '127.0.0.1:15061');
  const headers = { From: first.own(), 'Call-ID': first.callId };
  const second = other.calls(ownNumber, { sdp: inboundSdp, headers });
  await second.receives(200);
  second.sends('ACK');
  await said(inbound, 'line.answered');
  t.is(arrivals.length, 2);
});

const others: readonly [string, Record<string, string>, number, RegExp?][] = [
  ['OPTIONS', {}, 200, /^INVITE, ACK/],
  ['MESSAGE', {}, 405, /^INVITE, ACK/],
  ['INFO', { To: '<sip:gateway@127.0.0.1>;tag=gone' }, 481, /^INVITE, ACK/],
];
for (const [method, headers, status, allowed] of others)
  test.serial(`${method} outside of any call is answered ${status}`, async (t) => {
    const { trunk } = await startSipEdge(t);
    const answer = await trunk.asks(method, 'gateway', { headers }).receives(status);
    if (allowed !== undefined) t.regex(headerOf(answer, 'Allow') ?? '', allowed);
  });
