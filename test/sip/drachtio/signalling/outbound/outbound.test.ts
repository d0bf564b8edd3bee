/** Calls that go out, as ladders between the gateway and its trunk. */
import test from 'ava';
import type { UnansweredCause } from '#machines/line.ts';
import { describeSound } from '#test/doubles/session-description.ts';
import { mustHave, requestUriOf } from '#test/doubles/sip-parser.ts';
import { ownNumber, startSipEdge, trunkAddress } from '#test/doubles/sip-edge.ts';
import { callee, sdp, unanswered } from './outgoing-call.ts';

test('a call rings, is answered and is hung up by the gateway', async (t) => {
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

test('a call rings, is answered and is hung up by the other party', async (t) => {
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

test('an INVITE says who calls whom, offers sound and asks for a session timer', async (t) => {
  const { trunk, call, freeSwitches } = await startSipEdge(t);
  call(callee);
  const farCall = await trunk.receives('INVITE');
  const invite = farCall.last('INVITE');
  t.is(requestUriOf(invite), `sip:${callee}@${trunkAddress}`);
  t.regex(mustHave(invite, 'From'), new RegExp(`^<sip:${ownNumber}@127.0.0.1:5060>;tag=`));
  t.is(mustHave(invite, 'Supported'), 'timer, 100rel');
  t.is(mustHave(invite, 'Session-Expires'), '1800');
  t.is(mustHave(invite, 'Min-SE'), '90');
  t.is(mustHave(invite, 'Allow'), 'INVITE, ACK, CANCEL, BYE, OPTIONS, INFO, UPDATE, PRACK');
  t.regex(invite.body, /^m=audio \d+ RTP\/AVP 0 8 101\r$/m);
  t.is(freeSwitches[0]?.channels().length, 1);
});

const refusals: readonly [number, Record<string, string>, UnansweredCause][] = [
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

for (const [status, headers, cause] of refusals)
  test(`a call refused with ${status}${headers['Reason'] === undefined ? '' : ' and a cause of Q.850'} is over because of ${cause}`, async (t) => {
    const edge = await startSipEdge(t);
    const line = edge.call(callee);
    const farCall = await edge.trunk.receives('INVITE');
    farCall.answers(180);
    farCall.answers(status, { headers });
    t.like(await unanswered(edge, line), { cause, sip: { status, callId: farCall.callId } });
    await edge.freeSwitches[0]?.untilChannels(0);
    t.deepEqual(edge.trunk.unread(), [], 'nobody else is called');
  });

test('a call that is given up while it rings is cancelled', async (t) => {
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

test('a cancelled call that nobody confirms is over all the same', async (t) => {
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

test('an answer that crosses the CANCEL is confirmed and hung up', async (t) => {
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

test('a BYE that nobody answers has ended the call all the same', async (t) => {
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

test('a trunk that never says a word is given up, and confirmed and hung up on when it answers after all', async (t) => {
  const edge = await startSipEdge(t);
  const line = edge.call(callee);
  const farCall = await edge.trunk.receives('INVITE');
  edge.clock.advance(4_000);
  t.like(await unanswered(edge, line), { cause: 'trunk_error', sip: { status: 408 } });
  await farCall.receives('CANCEL');
  farCall.answers(200, { to: 'INVITE', sdp });
  await farCall.receives('ACK');
  await farCall.receives('BYE');
});

test('a trunk at whose address nobody is fails the call', async (t) => {
  const edge = await startSipEdge(t, { trunk: { address: '127.0.0.1:15099' } });
  t.like(await unanswered(edge, edge.call(callee)), { cause: 'trunk_error', sip: { status: 503 } });
});

test('early media and a reliable 183 are confirmed, and their description is the answer', async (t) => {
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
  ['of a codec that was not offered', describeSound({ formats: [18, 101] })],
  ['without audio', describeSound({ port: 0 })],
];

for (const [what, dumb] of answersWithoutSound)
  test(`an answer ${what} is no call: it is hung up at once`, async (t) => {
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

test('a session timer that is too short for the trunk is asked for again, longer', async (t) => {
  const { trunk, call, said } = await startSipEdge(t);
  const line = call(callee);
  const first = await trunk.receives('INVITE');
  first.answers(422, { headers: { 'Min-SE': '3600' } });
  const second = await trunk.receives('INVITE');
  t.is(mustHave(second.last('INVITE'), 'Session-Expires'), '3600');
  t.is(mustHave(second.last('INVITE'), 'Min-SE'), '3600');
  second.answers(200, { sdp });
  await second.receives('ACK');
  await said([line], 'line.answered');
  t.is(line.all('line.ringing').length, 0);
});
