/** Which trunk a call goes to: the next one, one that wants to be shown a password, none. */
import { createHash } from 'node:crypto';
import test, { type ExecutionContext } from 'ava';
import type { TrunkDirectory } from '#sip/trunks/directory.ts';
import { createFarEnd, type FarCall } from '#test/doubles/far-end.ts';
import { headerOf, type SipMessage } from '#test/doubles/sip-parser.ts';
import { startSipEdge, type SipEdge } from '#test/doubles/sip-edge.ts';
import { directoryOf, someTrunk } from '#test/sip/trunks/some-trunk.ts';
import { callee, sdp, unanswered } from './outgoing-call.ts';

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
  test(`when a trunk ${how}, the next one gets the same offer`, async (t) => {
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
  test(`a callee who is reached is not called again by another trunk: ${status}`, async (t) => {
    const edge = await twoTrunks(t);
    const line = edge.call(callee);
    (await edge.first.receives('INVITE')).answers(status);
    await unanswered(edge, line);
    t.deepEqual(edge.second.unread(), []);
  });

test('a trunk says itself after which statuses the next one is tried', async (t) => {
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

test('a Retry-After of the callee is none of the trunk', async (t) => {
  const edge = await twoTrunks(t);
  for (const status of [486, 480]) {
    const line = edge.call(callee);
    (await edge.first.receives('INVITE')).answers(status, { headers: { 'Retry-After': '60' } });
    await unanswered(edge, line);
  }
  edge.call(callee);
  await t.notThrowsAsync(edge.first.receives('INVITE'));
});

test('where all trunks want to be left alone, the call says which takes calls first', async (t) => {
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

test('a trunk that asks to be left alone is not called until then', async (t) => {
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

const md5 = (text: string): string => createHash('md5').update(text).digest('hex');

const parameters = (header: string): Record<string, string> =>
  Object.fromEntries(
    [...header.matchAll(/(\w+)=("?)([^",]*)\2/g)].map(([, name = '', , value = '']) => [name, value]),
  );

/** Whether the credentials of this INVITE are right (RFC 2617 section 3.2.2). */
const isRight = (invite: SipMessage, header: string, password: string): boolean => {
  const { username, realm, nonce, uri, nc, cnonce, qop, response } = parameters(
    headerOf(invite, header) ?? '',
  );
  const middle = [nonce, nc, cnonce, qop].join(':');
  const [one, two] = [md5(`${username}:${realm}:${password}`), md5(`INVITE:${uri}`)];
  return response === md5(`${one}:${middle}:${two}`);
};

for (const [status, challenge, header] of [
  [401, 'WWW-Authenticate', 'Authorization'],
  [407, 'Proxy-Authenticate', 'Proxy-Authorization'],
] as const)
  test(`a trunk that challenges with ${status} gets the credentials, and the call goes on`, async (t) => {
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

test('a trunk that does not take the credentials fails the call', async (t) => {
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

test('a number without a trunk reaches nobody', async (t) => {
  const edge = await startSipEdge(t, { trunk: null });
  t.like(await unanswered(edge, edge.call(callee)), {
    cause: 'trunk_error',
    sip: { status: null, reason: 'There is no enabled trunk for this number' },
  });
});

test('without an endpoint no trunk is called', async (t) => {
  const edge = await startSipEdge(t);
  edge.freeSwitches[0]?.refuseEndpoints();
  t.like(await unanswered(edge, edge.call(callee)), { cause: 'media_error' });
  t.deepEqual(edge.trunk.unread(), []);
});
