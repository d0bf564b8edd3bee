/** Calls that come in, as ladders between a trunk and the gateway. */
import test from 'ava';
import type { ArrivalVerdict } from '#src/domain/arrival.ts';
import { createFarEnd } from '#test/doubles/far-end.ts';
import { describeSound } from '#test/doubles/session-description.ts';
import { headerOf } from '#test/doubles/sip-parser.ts';
import { ownNumber, startSipEdge } from '#test/doubles/sip-edge.ts';
import { directoryOf, someTrunk } from '#test/sip/trunks/some-trunk.ts';

const sdp = describeSound();

test('a caller is answered and hangs up', async (t) => {
  const { trunk, inbound, said, freeSwitches } = await startSipEdge(t);
  const call = trunk.calls(ownNumber, { sdp });
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

test('a caller is answered and hung up on', async (t) => {
  const { trunk, inbound, said, freeSwitches } = await startSipEdge(t);
  const call = trunk.calls(ownNumber, { sdp });
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

test('an answer that the caller never confirms ends the call', async (t) => {
  const { drachtio, trunk, inbound, said, freeSwitches } = await startSipEdge(t);
  const call = trunk.calls(ownNumber, { sdp });
  await call.receives(200);
  await said(inbound, 'line.answered');
  drachtio.giveUp(call.callId, 'ACK timeout');
  t.is(headerOf(await call.receives('BYE'), 'Reason'), 'SIP;cause=200;text="ACK timeout"');
  await said(inbound, 'line.ended');
  t.like(inbound[0]?.all('line.ended')[0], { by: 'counterparty' });
  await freeSwitches[0]?.untilChannels(0);
});

type Because = Extract<ArrivalVerdict, { accepted: false }>['because'];

const refusals: readonly [Because, number, Record<string, string>][] = [
  ['unknown_number', 404, {}],
  ['no_agent_endpoint', 480, {}],
  ['caller_rejected', 603, {}],
  ['concurrency_limit', 486, {}],
  ['over_capacity', 503, { 'Retry-After': '5' }],
  ['draining', 503, { 'Retry-After': '60' }],
];
for (const [because, status, headers] of refusals)
  test(`a caller is refused with ${status} because of ${because}`, async (t) => {
    const { trunk, inbound, freeSwitches } = await startSipEdge(t, {
      decide: () => ({ accepted: false, because }),
    });
    const refusal = await trunk.calls(ownNumber, { sdp }).receives(status);
    for (const [name, value] of Object.entries(headers)) t.is(headerOf(refusal, name), value);
    t.deepEqual(inbound, []);
    t.deepEqual(freeSwitches[0]?.channels(), [], 'nothing was asked of the media server');
  });

test('a trunk that is drained brings no new calls, and is told so when it asks', async (t) => {
  const trunks = directoryOf([
    someTrunk({ host: '127.0.0.1', inboundAddresses: ['127.0.0.1'], drained: true }),
  ]);
  const { trunk, arrivals } = await startSipEdge(t, { trunk: null, trunks });
  await trunk.calls(ownNumber, { sdp }).receives(503);
  await trunk.asks('OPTIONS').receives(503);
  t.deepEqual(arrivals, []);
});

test('a caller about whom nothing can be decided is refused with 500', async (t) => {
  const { trunk } = await startSipEdge(t, {
    decide: () => Promise.reject(new Error('the database is away')),
  });
  const call = trunk.calls(ownNumber, { sdp });
  await t.notThrowsAsync(call.receives(500));
});

test('who calls from an address of no trunk is refused before anybody is asked', async (t) => {
  const { drachtio, arrivals, lines } = await startSipEdge(t);
  const stranger = createFarEnd(drachtio, '192.0.2.9:5060');
  await stranger.calls(ownNumber, { sdp }).receives(403);
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
  test(`a call ${what} is refused with ${status}`, async (t) => {
    const { trunk, arrivals } = await startSipEdge(t);
    const refusal = await trunk.calls(ownNumber, { sdp, ...parts }).receives(status);
    if (header !== undefined && value !== undefined) t.regex(headerOf(refusal, header) ?? '', value);
    t.deepEqual(arrivals, []);
  });

test('a call to what is no number is refused with 404', async (t) => {
  const { trunk } = await startSipEdge(t);
  await t.notThrowsAsync(trunk.calls('reception', { sdp }).receives(404));
});

test('while the media server is away a caller is sent elsewhere', async (t) => {
  const { trunk, lines } = await startSipEdge(t, {
    spoil: ({ freeSwitches }) => freeSwitches[0]?.changeSecret(),
  });
  t.false(lines.health().ready);
  const refusal = await trunk.calls(ownNumber, { sdp }).receives(503);
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
  test(`a caller ${how} is known by one form of its number`, async (t) => {
    const { trunk, arrivals } = await startSipEdge(t, {
      decide: () => ({ accepted: false, because: 'caller_rejected' }),
    });
    await trunk.calls(ownNumber, { sdp, headers }).receives(603);
    t.deepEqual(
      arrivals.map((arrival) => [arrival.from, arrival.to]),
      [[from, ownNumber]],
    );
  });

test('a caller who gives up before it is let in leaves nothing behind', async (t) => {
  const verdict = Promise.withResolvers<ArrivalVerdict>();
  const { trunk, arrivals, inbound, said, until, freeSwitches } = await startSipEdge(t, {
    decide: () => verdict.promise,
  });
  const call = trunk.calls(ownNumber, { sdp });
  await until(() => arrivals.length === 1);
  call.sends('CANCEL');
  await call.receives(200);
  await call.receives(487);
  // What is asked behind the CANCEL is answered when the gateway knows of it.
  await trunk.asks('OPTIONS').receives(200);
  verdict.resolve({ accepted: true });
  await said(inbound, 'line.unanswered');
  t.like(inbound[0]?.all('line.unanswered')[0], { cause: 'cancelled', sip: { status: 487 } });
  t.deepEqual(freeSwitches[0]?.channels(), []);
  t.deepEqual(call.unread(), []);
});

test('a caller who gives up while its endpoint is made leaves none behind', async (t) => {
  const { trunk, inbound, said, freeSwitches } = await startSipEdge(t);
  freeSwitches[0]?.holdEndpoints();
  const call = trunk.calls(ownNumber, { sdp });
  await freeSwitches[0]?.untilChannels(1);
  call.sends('CANCEL');
  await call.receives(200);
  await call.receives(487);
  freeSwitches[0]?.letEndpointsGo();
  await said(inbound, 'line.unanswered');
  t.like(inbound[0]?.all('line.unanswered')[0], { cause: 'cancelled' });
  await freeSwitches[0]?.untilChannels(0);
});

test('a caller to whom no endpoint can be given may come again', async (t) => {
  const { trunk, inbound, said, freeSwitches } = await startSipEdge(t);
  freeSwitches[0]?.refuseEndpoints();
  const refusal = await trunk.calls(ownNumber, { sdp }).receives(503);
  t.is(headerOf(refusal, 'Retry-After'), '10');
  await said(inbound, 'line.unanswered');
  t.like(inbound[0]?.all('line.unanswered')[0], { cause: 'media_error' });
});

test('a caller whose line is never opened is refused after ten seconds', async (t) => {
  const { trunk, clock, arrivals, until } = await startSipEdge(t, { opensNothing: true });
  const call = trunk.calls(ownNumber, { sdp });
  await until(() => arrivals.length === 1);
  clock.advance(9_999);
  t.deepEqual(call.ladder(), ['→ INVITE', '← 100']);
  clock.advance(1);
  await call.receives(480);
});

test('callers who wait when the gateway closes are sent elsewhere', async (t) => {
  const { trunk, lines, arrivals, until } = await startSipEdge(t, { opensNothing: true });
  const call = trunk.calls(ownNumber, { sdp });
  await until(() => arrivals.length === 1);
  const closing = lines.close();
  t.is(headerOf(await call.receives(503), 'Retry-After'), '60');
  await closing;
});

test('the same INVITE by another way is one call', async (t) => {
  const { drachtio, trunk, arrivals } = await startSipEdge(t, { opensNothing: true });
  const first = trunk.calls(ownNumber, { sdp });
  await first.receives(100);
  const other = createFarEnd(drachtio, '127.0.0.1:15061');
  const headers = { From: first.own(), 'Call-ID': first.callId };
  await other.calls(ownNumber, { sdp, headers }).receives(482);
  t.is(arrivals.length, 1);
});

const others: readonly [string, Record<string, string>, number, RegExp?][] = [
  ['OPTIONS', {}, 200, /^INVITE, ACK/],
  ['MESSAGE', {}, 405, /^INVITE, ACK/],
  ['INFO', { To: '<sip:gateway@127.0.0.1>;tag=gone' }, 481, /^INVITE, ACK/],
];
for (const [method, headers, status, allowed] of others)
  test(`${method} outside of any call is answered ${status}`, async (t) => {
    const { trunk } = await startSipEdge(t);
    const answer = await trunk.asks(method, 'gateway', { headers }).receives(status);
    if (allowed !== undefined) t.regex(headerOf(answer, 'Allow') ?? '', allowed);
  });
