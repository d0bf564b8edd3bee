/** Calls that a trunk sends on to another place (302). */
import test, { type ExecutionContext } from 'ava';
import { createFarEnd } from '#test/doubles/far-end.ts';
import { headerOf } from '#test/doubles/sip-parser.ts';
import { startSipEdge } from '#test/doubles/sip-edge.ts';
import type { Trunk } from '#src/domain/trunk.ts';
import { directoryOf, someTrunk } from '#test/sip/trunks/some-trunk.ts';
import { callee, sdp, unanswered } from './outgoing-call.ts';

/** A trunk that sends on, a place where it may send to, and a second trunk. */
const world = async (t: ExecutionContext, changes: Partial<Trunk> = {}) => {
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

test('a call goes where the trunk sends it on to, with the same offer, and stands there', async (t) => {
  const { one, two, elsewhere, call, said } = await world(t);
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

test('a redirect that is not followed ends the call', async (t) => {
  const edge = await world(t, { redirects: 'refused' });
  const line = edge.call();
  (await edge.one.receives('INVITE')).answers(302, to(there));
  t.like(await unanswered(edge, line), { cause: 'trunk_error', sip: { status: 302 } });
  t.deepEqual([...edge.elsewhere.unread(), ...edge.two.unread()], []);
});

test('it goes on to the next trunk where the trunk names its status', async (t) => {
  const edge = await world(t, { redirects: 'same_host', failoverStatuses: ['3xx'] });
  edge.call();
  (await edge.one.receives('INVITE')).answers(302, to(`<sip:${callee}@127.0.0.2:15083>`));
  await t.notThrowsAsync(edge.two.receives('INVITE'));
});

test('when the place it was sent on to fails, the next Contact is tried, then the next trunk', async (t) => {
  const { one, two, elsewhere, call, said } = await world(t);
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

test('a call that is sent round in circles ends', async (t) => {
  const edge = await world(t);
  const line = edge.call();
  (await edge.one.receives('INVITE')).answers(302, to(there));
  (await edge.elsewhere.receives('INVITE')).answers(302, to(`<sip:${callee}@127.0.0.1:15081>`, there));
  t.like(await unanswered(edge, line), { cause: 'trunk_error', sip: { status: 302 } });
  t.deepEqual([...edge.one.unread(), ...edge.two.unread(), ...edge.elsewhere.unread()], []);
});

test('another host than the trunk is not shown the password', async (t) => {
  const edge = await world(t, { username: 'gw', password: 'secret' });
  const line = edge.call();
  (await edge.one.receives('INVITE')).answers(302, to(`<sip:${callee}@127.0.0.2:15083>`));
  const farCall = await createFarEnd(edge.drachtio, '127.0.0.2:15083').receives('INVITE');
  farCall.answers(401, { headers: { 'WWW-Authenticate': 'Digest realm="x", nonce="abc", qop="auth"' } });
  (await edge.two.receives('INVITE')).answers(486);
  t.like(await unanswered(edge, line), { cause: 'busy', sip: { status: 486 } });
  t.is(headerOf(farCall.last('INVITE'), 'Authorization'), undefined);
});

test('a trunk sends no call on to where it may not go', async (t) => {
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
