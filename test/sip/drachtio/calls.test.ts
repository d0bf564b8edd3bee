/** Inbound and outbound calls, as ladders of SIP messages. */
import { createHash } from 'node:crypto';
import test, { type ExecutionContext } from 'ava';
import type { UnansweredCause } from '#machines/line.ts';
import { challengesIn } from '#sip/headers/challenges.ts';
import type { NumberOwner, TrunkDirectory } from '#sip/trunks/directory.ts';
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
import { callee, sdp, unanswered } from './outgoing-call.ts';

// Outbound
// Outbound calls, as ladders between the gateway and its trunk.

test.serial('an outbound call rings, is answered and is hung up by the gateway', async (t) => {
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

test.serial('an outbound call rings, is answered and is hung up by the other party', async (t) => {
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
  // oxfmt-ignore
  test.serial(`a BYE with Reason ${reason} ends the call by the ${by} and keeps that reason`, async (t) => {
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

test.serial('stores Reason and Call-Info of a rejected INVITE', async (t) => {
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

test.serial('sends caller, callee, an SDP offer and a session timer in the INVITE', async (t) => {
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
    `an INVITE rejected with ${status}${headers['Reason'] === undefined ? '' : ' and a Q.850 cause'} ends the call with ${cause}`,
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

test.serial('sends CANCEL for a call that is ended during ringing', async (t) => {
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

test.serial('ends a cancelled call whose 487 never arrives', async (t) => {
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

test.serial('acknowledges an answer that crosses the CANCEL, then sends BYE', async (t) => {
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

test.serial('ends a call even if its BYE gets no response', async (t) => {
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
  'stops waiting for a trunk that never responds, and acknowledges and hangs up a late answer',
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

test.serial('fails a call to a trunk whose address is unreachable', async (t) => {
  const edge = await startSipEdge(t, { trunk: { address: '127.0.0.1:15099' } });
  t.like(await unanswered(edge, edge.call(callee)), { cause: 'trunk_error', sip: { status: 503 } });
});

test.serial('acknowledges early media and a reliable 183, and uses its SDP as the answer', async (t) => {
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
});

const answersWithoutSound: readonly [string, string][] = [
  ['with a codec that was not offered', describeSound({ formats: [18, 101] })],
  ['without audio', describeSound({ port: 0 })],
];

for (const [what, dumb] of answersWithoutSound)
  test.serial(`sends BYE at once after an answer ${what}`, async (t) => {
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

test.serial('repeats the INVITE with a longer session timer after 422', async (t) => {
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
// Calls by a trunk with several addresses.

const at = (port: number, priority: number) => ({
  host: '127.0.0.1',
  port,
  priority,
  weight: 10,
  drained: false,
});

/** A trunk with two addresses, and a second trunk. */
const addressesWorld = async (t: ExecutionContext, changes: Partial<Trunk> = {}) => {
  const trunks = directoryOf([
    someTrunk({ name: 'one', priority: 1, addresses: [at(15_081, 1), at(15_082, 2)], ...changes }),
    someTrunk({ name: 'two', priority: 2, host: '127.0.0.1', port: 15_083 }),
  ]);
  const edge = await startSipEdge(t, { trunk: null, trunks });
  const end = (port: number) => createFarEnd(edge.drachtio, `127.0.0.1:${port}`);
  return { ...edge, first: end(15_081), second: end(15_082), other: end(15_083) };
};

test.serial('tries the next address of a trunk after a failed one, then the next trunk', async (t) => {
  const { first, second, other, call, said, clock } = await addressesWorld(t);
  const line = call();
  await first.receives('INVITE');
  clock.advance(4_000);
  (await second.receives('INVITE')).answers(503);
  const farCall = await other.receives('INVITE');
  farCall.answers(200, { sdp });
  await farCall.receives('ACK');
  await t.notThrowsAsync(said([line], 'line.answered'));
});

test.serial('skips an address after Retry-After, but not the other addresses of the trunk', async (t) => {
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

test.serial('uses one channel of the trunk, however many of its addresses are tried', async (t) => {
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

test.serial('sends no new calls to a drained trunk, and continues its current call', async (t) => {
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
// Calls that a trunk redirects to another target (302).

/** A trunk that redirects, a target that it permits, and a second trunk. */
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

test.serial('follows a redirect with the same offer and keeps the call at the new target', async (t) => {
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
});

test.serial('ends the call at a redirect that may not be followed', async (t) => {
  const edge = await redirectsWorld(t, { redirects: 'refused' });
  const line = edge.call();
  (await edge.one.receives('INVITE')).answers(302, to(there));
  t.like(await unanswered(edge, line), { cause: 'trunk_error', sip: { status: 302 } });
  t.deepEqual([...edge.elsewhere.unread(), ...edge.two.unread()], []);
});

test.serial("tries the next trunk if the redirect's status is in the trunk's failover list", async (t) => {
  const edge = await redirectsWorld(t, { redirects: 'same_host', failoverStatuses: ['3xx'] });
  edge.call();
  (await edge.one.receives('INVITE')).answers(302, to(`<sip:${callee}@127.0.0.2:15083>`));
  await t.notThrowsAsync(edge.two.receives('INVITE'));
});

test.serial('tries the next Contact after a failed redirect target, then the next trunk', async (t) => {
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
});

test.serial('ends a call that is redirected in a circle', async (t) => {
  const edge = await redirectsWorld(t);
  const line = edge.call();
  (await edge.one.receives('INVITE')).answers(302, to(there));
  (await edge.elsewhere.receives('INVITE')).answers(302, to(`<sip:${callee}@127.0.0.1:15081>`, there));
  t.like(await unanswered(edge, line), { cause: 'trunk_error', sip: { status: 302 } });
  t.deepEqual([...edge.one.unread(), ...edge.two.unread(), ...edge.elsewhere.unread()], []);
});

test.serial('does not send credentials to a redirect target outside the trunk', async (t) => {
  const edge = await redirectsWorld(t, { username: 'gw', password: 'secret' });
  const line = edge.call();
  (await edge.one.receives('INVITE')).answers(302, to(`<sip:${callee}@127.0.0.2:15083>`));
  const farCall = await createFarEnd(edge.drachtio, '127.0.0.2:15083').receives('INVITE');
  farCall.answers(401, { headers: { 'WWW-Authenticate': 'Digest realm="x", nonce="abc", qop="auth"' } });
  (await edge.two.receives('INVITE')).answers(486);
  t.like(await unanswered(edge, line), { cause: 'busy', sip: { status: 486 } });
  t.is(headerOf(farCall.last('INVITE'), 'Authorization'), undefined);
});

test.serial('ignores redirects to targets that the trunk does not permit', async (t) => {
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
// Choice of the trunk: failover, digest challenges, and calls without a trunk.

/** Trunks of a workspace, in the order of the attempts. */
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
  ['is full', (farCall) => farCall.answers(503)],
  ['rejects the call', (farCall) => farCall.answers(403)],
  ['receives too many calls', (farCall) => farCall.answers(429)],
  [
    'sends early media and fails',
    (farCall) => {
      farCall.answers(183, { sdp });
      farCall.answers(503);
    },
  ],
  ['never responds', (_farCall, { clock }) => clock.advance(4_000)],
];

for (const [how, fail] of failures)
  test.serial(`sends the same offer to the next trunk after a trunk that ${how}`, async (t) => {
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
  test.serial(`does not call a callee that was reached again by another trunk: ${status}`, async (t) => {
    const edge = await twoTrunks(t);
    const line = edge.call(callee);
    (await edge.first.receives('INVITE')).answers(status);
    await unanswered(edge, line);
    t.deepEqual(edge.second.unread(), []);
  });

test.serial('hangs up an answer without Contact, and calls the callee on no other trunk', async (t) => {
  const edge = await twoTrunks(t);
  const line = edge.call(callee);
  const farCall = await edge.first.receives('INVITE');
  farCall.answers(200, { sdp, hasContact: false });
  // drachtio-server cannot send ACK without a Contact.
  const bye = await farCall.receives('BYE');
  t.is(requestUriOf(bye), requestUriOf(farCall.last('INVITE')));
  t.is(mustHave(bye, 'To'), farCall.own());
  farCall.answers(200);
  t.like(await unanswered(edge, line), { cause: 'trunk_error', sip: { status: 200 } });
  t.deepEqual(edge.second.unread(), []);
  await edge.freeSwitches[0]?.untilChannels(0);
});

test.serial('hangs up an answer without Contact to an INVITE that was given up', async (t) => {
  const edge = await startSipEdge(t);
  const line = edge.call(callee);
  const farCall = await edge.trunk.receives('INVITE');
  edge.clock.advance(4_000);
  t.like(await unanswered(edge, line), { cause: 'trunk_error', sip: { status: 408 } });
  await farCall.receives('CANCEL');
  farCall.answers(200, { to: 'INVITE', sdp, hasContact: false });
  await t.notThrowsAsync(farCall.receives('BYE'));
});

test.serial('tries the next trunk after the statuses that the trunk configures', async (t) => {
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

test.serial('does not apply a Retry-After of the callee to the trunk', async (t) => {
  const edge = await twoTrunks(t);
  for (const status of [486, 480]) {
    const line = edge.call(callee);
    (await edge.first.receives('INVITE')).answers(status, { headers: { 'Retry-After': '60' } });
    await unanswered(edge, line);
  }
  edge.call(callee);
  await t.notThrowsAsync(edge.first.receives('INVITE'));
});

test.serial('reports the earliest retry time if all trunks sent Retry-After', async (t) => {
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

test.serial('skips a trunk until its Retry-After has passed', async (t) => {
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

/** True if the credentials of this request are correct (RFC 7616 section 3.4.1). */
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
  test.serial(`sends credentials after a ${status} challenge, and the call continues`, async (t) => {
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
  });

/** A call to a trunk that challenges. */
const toChallengingTrunk = async (t: ExecutionContext) => {
  const trunks = trunksOf({ port: 15_081, username: 'gateway', password: 'secret' });
  const edge = await startSipEdge(t, { trunk: null, trunks });
  const line = edge.call(callee);
  const farCall = await createFarEnd(edge.drachtio, '127.0.0.1:15081').receives('INVITE');
  return { ...edge, line, farCall };
};

test.serial('answers the strongest of several challenges with its own nonce', async (t) => {
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

test.serial(
  'answers challenges of a proxy and of the trunk in turn, and a challenge with stale=true',
  async (t) => {
    const { farCall, line, said } = await toChallengingTrunk(t);
    farCall.answers(407, {
      headers: { 'Proxy-Authenticate': 'Digest realm="proxy", nonce="1", qop="auth"' },
    });
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
  },
);

test.serial('repeats a challenged BYE with credentials', async (t) => {
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

test.serial('does not repeat a challenged INVITE that was cancelled', async (t) => {
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

test.serial('fails the call when the trunk rejects the credentials', async (t) => {
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

test.serial('fails a call from a number without a trunk', async (t) => {
  const edge = await startSipEdge(t, { trunk: null });
  t.like(await unanswered(edge, edge.call(callee)), {
    cause: 'trunk_error',
    sip: { status: null, reason: 'There is no enabled trunk for this number' },
  });
});

test.serial('calls no trunk without a media endpoint', async (t) => {
  const edge = await startSipEdge(t);
  edge.freeSwitches[0]?.refuseEndpoints();
  t.like(await unanswered(edge, edge.call(callee)), { cause: 'media_error' });
  t.deepEqual(edge.trunk.unread(), []);
});

// Inbound
// Inbound calls, as ladders between a trunk and the gateway.

const inboundSdp = describeSound();

test.serial('answers a caller and ends the call when the caller hangs up', async (t) => {
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

test.serial('answers a caller and hangs up by the gateway', async (t) => {
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

test.serial('ends a call whose answer gets no ACK', async (t) => {
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
  test.serial(`rejects a caller with ${status} because of ${because}`, async (t) => {
    const { trunk, inbound, freeSwitches } = await startSipEdge(t, {
      decide: () => ({ accepted: false, because }),
    });
    const refusal = await trunk.calls(ownNumber, { sdp: inboundSdp }).receives(status);
    for (const [name, value] of Object.entries(headers)) t.is(headerOf(refusal, name), value);
    t.deepEqual(inbound, []);
    t.deepEqual(freeSwitches[0]?.channels(), [], 'nothing was asked of the media server');
  });

test.serial('rejects new inbound calls and OPTIONS of a drained trunk with 503', async (t) => {
  const trunks = directoryOf([
    someTrunk({ host: '127.0.0.1', inboundAddresses: ['127.0.0.1'], drained: true }),
  ]);
  const { trunk, arrivals } = await startSipEdge(t, { trunk: null, trunks });
  await trunk.calls(ownNumber, { sdp: inboundSdp }).receives(503);
  await trunk.asks('OPTIONS').receives(503);
  t.deepEqual(arrivals, []);
});

test.serial(
  'names REFER in responses to OPTIONS and MESSAGE of a trunk that may transfer calls',
  async (t) => {
    const trunks = directoryOf([
      someTrunk({ host: '127.0.0.1', inboundAddresses: ['127.0.0.1'], acceptRefer: true }),
    ]);
    const { trunk } = await startSipEdge(t, { trunk: null, trunks });
    for (const [method, status] of [
      ['OPTIONS', 200],
      ['MESSAGE', 405],
    ] as const)
      t.regex(headerOf(await trunk.asks(method).receives(status), 'Allow') ?? '', /PRACK, REFER$/);
  },
);

/** Trunks of two workspaces with the same address. */
const sharedAddress = (ownerOf: TrunkDirectory['ownerOf']): TrunkDirectory => {
  const ofBoth = { host: '127.0.0.1', inboundAddresses: ['127.0.0.1'] };
  const first = someTrunk({ ...ofBoth, name: 'first', workspaceId: 'first', drained: true });
  const second = someTrunk({ ...ofBoth, name: 'second', workspaceId: 'second' });
  return { ...directoryOf([first, second]), ownerOf };
};

test.serial('takes a call on the trunk of the workspace that has the called number', async (t) => {
  const trunks = sharedAddress(async () => ({ workspaceId: 'second', trunkId: null }));
  const { trunk, inbound, said } = await startSipEdge(t, { trunk: null, trunks });
  const call = trunk.calls(ownNumber, { sdp: inboundSdp });
  await call.receives(200);
  call.sends('ACK');
  await t.notThrowsAsync(said(inbound, 'line.answered'));
});

test.serial('rejects a call to a number of a workspace whose trunk is drained', async (t) => {
  const trunks = sharedAddress(async () => ({ workspaceId: 'first', trunkId: null }));
  const { trunk, arrivals } = await startSipEdge(t, { trunk: null, trunks });
  await trunk.calls(ownNumber, { sdp: inboundSdp }).receives(503);
  t.deepEqual(arrivals, []);
});

test.serial('rejects a call from a shared address with 500 if the owner cannot be looked up', async (t) => {
  const trunks = sharedAddress(() => Promise.reject(new Error('the database is away')));
  const { trunk } = await startSipEdge(t, { trunk: null, trunks });
  await t.notThrowsAsync(trunk.calls(ownNumber, { sdp: inboundSdp }).receives(500));
});

test.serial('ignores a caller from a shared address who hangs up during the look-up', async (t) => {
  const asked = Promise.withResolvers<void>();
  const owner = Promise.withResolvers<NumberOwner>();
  const trunks = sharedAddress(() => {
    asked.resolve();
    return owner.promise;
  });
  const { trunk, arrivals } = await startSipEdge(t, { trunk: null, trunks });
  const call = trunk.calls(ownNumber, { sdp: inboundSdp });
  await asked.promise;
  call.sends('CANCEL');
  await call.receives(200);
  await call.receives(487);
  // A request after the CANCEL is answered only after the gateway has read the CANCEL.
  await trunk.asks('OPTIONS').receives(200);
  owner.resolve({ workspaceId: 'second', trunkId: null });
  await trunk.asks('OPTIONS').receives(200);
  t.deepEqual(arrivals, []);
  t.deepEqual(call.unread(), []);
});

test.serial('rejects a caller with 500 if the admission fails', async (t) => {
  const { trunk } = await startSipEdge(t, {
    decide: () => Promise.reject(new Error('the database is away')),
  });
  const call = trunk.calls(ownNumber, { sdp: inboundSdp });
  await t.notThrowsAsync(call.receives(500));
});

test.serial('rejects an unknown source address before looking up the number', async (t) => {
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
    'with an unknown Require option',
    { headers: { Require: 'timer, teleport' } },
    420,
    'Unsupported',
    /^teleport$/,
  ],
  ['with Max-Forwards 0', { headers: { 'Max-Forwards': '0' } }, 483],
  [
    'with unknown codecs only',
    { sdp: describeSound({ formats: [18, 101] }) },
    488,
    'Warning',
    /^399 trunkline "/,
  ],
  ['without audio', { sdp: describeSound({ port: 0 }) }, 488, 'Warning', /^399 trunkline "/],
  [
    'with a too short session timer',
    { headers: { Supported: 'timer', 'Session-Expires': '60' } },
    422,
    'Min-SE',
    /^90$/,
  ],
];
for (const [what, parts, status, header, value] of faults)
  test.serial(`rejects with ${status} a call ${what}`, async (t) => {
    const { trunk, arrivals } = await startSipEdge(t);
    const refusal = await trunk.calls(ownNumber, { sdp: inboundSdp, ...parts }).receives(status);
    if (header !== undefined && value !== undefined) t.regex(headerOf(refusal, header) ?? '', value);
    t.deepEqual(arrivals, []);
  });

test.serial('rejects a call to an invalid number with 404', async (t) => {
  const { trunk } = await startSipEdge(t);
  await t.notThrowsAsync(trunk.calls('reception', { sdp: inboundSdp }).receives(404));
});

test.serial('rejects callers with a retry time while the media server is unreachable', async (t) => {
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
  ['with a display name', { From: '"A. Caller" <sip:01012345678@127.0.0.1>;tag=a' }, '01012345678'],
  ['from abroad', { From: '<sip:+442079460123@127.0.0.1>;tag=a' }, '+442079460123'],
  ['with a withheld number', { From: '"Anonymous" <sip:anonymous@anonymous.invalid>;tag=a' }, 'anonymous'],
];
for (const [how, headers, from] of callers)
  test.serial(`normalizes the number of a caller ${how}`, async (t) => {
    const { trunk, arrivals } = await startSipEdge(t, {
      decide: () => ({ accepted: false, because: 'caller_rejected' }),
    });
    await trunk.calls(ownNumber, { sdp: inboundSdp, headers }).receives(603);
    t.deepEqual(
      arrivals.map((arrival) => [arrival.from, arrival.to]),
      [[from, ownNumber]],
    );
  });

test.serial('releases all state of a caller who hangs up before admission', async (t) => {
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
  // A request after the CANCEL is answered only after the gateway has read the CANCEL.
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

test.serial('releases the endpoint of a caller who hangs up while it is being created', async (t) => {
  const { trunk, inbound, said, freeSwitches } = await startSipEdge(t);
  freeSwitches[0]?.holdEndpoints();
  const call = trunk.calls(ownNumber, { sdp: inboundSdp });
  await freeSwitches[0]?.untilChannels(1);
  call.sends('CANCEL');
  await call.receives(200);
  await call.receives(487);
  freeSwitches[0]?.releaseEndpoints();
  await said(inbound, 'line.unanswered');
  t.like(inbound[0]?.all('line.unanswered')[0], { cause: 'cancelled' });
  await freeSwitches[0]?.untilChannels(0);
});

test.serial('rejects a caller with a retry time if no endpoint is free', async (t) => {
  const { trunk, inbound, said, freeSwitches } = await startSipEdge(t);
  freeSwitches[0]?.refuseEndpoints();
  const refusal = await trunk.calls(ownNumber, { sdp: inboundSdp }).receives(503);
  t.is(headerOf(refusal, 'Retry-After'), '10');
  await said(inbound, 'line.unanswered');
  t.like(inbound[0]?.all('line.unanswered')[0], { cause: 'media_error' });
});

test.serial('rejects a caller whose line is not opened within ten seconds', async (t) => {
  const { trunk, clock, arrivals, until } = await startSipEdge(t, { opensNothing: true });
  const call = trunk.calls(ownNumber, { sdp: inboundSdp });
  await until(() => arrivals.length === 1);
  clock.advance(9_999);
  t.deepEqual(call.ladder(), ['→ INVITE', '← 100']);
  clock.advance(1);
  await call.receives(480);
});

test.serial('rejects waiting callers with a retry time when the gateway shuts down', async (t) => {
  const { trunk, lines, arrivals, until } = await startSipEdge(t, { opensNothing: true });
  const call = trunk.calls(ownNumber, { sdp: inboundSdp });
  await until(() => arrivals.length === 1);
  const closing = lines.close();
  t.is(headerOf(await call.receives(503), 'Retry-After'), '60');
  await closing;
});

test.serial('merges the same INVITE received by another path', async (t) => {
  const { drachtio, trunk, arrivals } = await startSipEdge(t, { opensNothing: true });
  const first = trunk.calls(ownNumber, { sdp: inboundSdp });
  await first.receives(100);
  const other = createFarEnd(drachtio, '127.0.0.1:15061');
  const headers = { From: first.own(), 'Call-ID': first.callId };
  await other.calls(ownNumber, { sdp: inboundSdp, headers }).receives(482);
  t.is(arrivals.length, 1);
});

test.serial('treats the same INVITE by another path as a new call after a rejection', async (t) => {
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
  test.serial(`responds to ${method} outside a dialog with ${status}`, async (t) => {
    const { trunk } = await startSipEdge(t);
    const answer = await trunk.asks(method, 'gateway', { headers }).receives(status);
    if (allowed !== undefined) t.regex(headerOf(answer, 'Allow') ?? '', allowed);
  });
