/** The relay between a drachtio-server and gateways: who hears of what, and what becomes of calls when one of them dies. */
import { once } from 'node:events';
import { connect } from 'node:net';
import test from 'ava';
import { relayNumbers } from '#config/line-policy.ts';
import { mustHave } from '#test/doubles/sip-parser.ts';
import { until } from '#test/helpers/until.ts';
import { connectClient } from './control-client.ts';
import { answered, sdp, startRelay } from './relay-world.ts';

test('a gateway is let in by the secret alone, and told what drachtio-server said', async (t) => {
  const { address, said } = await startRelay(t);
  const admitted = await connectClient(t, address);
  t.deepEqual(admitted.verdict.slice(0, 3), ['OK', 'tcp/127.0.0.1:5060,udp/127.0.0.1:5060', 'v0.9.10']);
  const stranger = await connectClient(t, { ...address, secret: 'guessed' });
  t.deepEqual(stranger.verdict, ['NO', 'incorrect secret']);
  await stranger.closed;
  t.false(said().includes(address.secret));
  t.false(said().includes('guessed'));
});

test('calls go to the gateways in turns, and each is told of its own alone', async (t) => {
  const world = await startRelay(t);
  const gateways = [await world.client(), await world.client()];
  const [one, other] = gateways;
  if (one === undefined || other === undefined) throw new Error('There are two');
  for (const gateway of [one, other, one, other]) {
    const { call } = await answered(world, gateway);
    call.sends('INFO');
    const { transactionId } = await gateway.told('INFO');
    await gateway.answer(transactionId, '200 OK');
    await call.receives(200);
  }
  t.deepEqual(
    gateways.flatMap((gateway) => gateway.unread()),
    [],
  );
});

test('answers come back to who asked, also when two ask at once', async (t) => {
  const world = await startRelay(t);
  const gateways = [await world.client(), await world.client()];
  const invite = (name: string): string =>
    `sip||\r\nINVITE sip:${name}@${world.trunk.address} SIP/2.0\r\nContent-Type: application/sdp\r\n\r\n${sdp}`;
  for (const [index, gateway] of gateways.entries()) gateway.say(invite(`n${index}`));
  for (const [index, gateway] of gateways.entries()) {
    const call = await world.trunk.receives('INVITE');
    t.regex(call.last('INVITE').startLine, new RegExp(`sip:n${index}@`));
    call.answers(486);
    // What answers the command itself comes first.
    await until('it was answered', () => gateway.unread().includes('SIP/2.0') || undefined);
  }
  t.is(world.relay.sizes().transactions, 0);
});

test('while no gateway is there, callers are asked to come again, and OPTIONS is answered as it is', async (t) => {
  const { trunk, client } = await startRelay(t);
  for (const call of [trunk.calls('07012345678', { sdp }), trunk.asks('OPTIONS')])
    t.is(mustHave(await call.receives(503), 'Retry-After'), '5');
  const gateway = await client(['options']);
  const call = trunk.calls('07012345678', { sdp });
  await call.receives(503);
  gateway.kill();
  await gateway.closed;
});

test('what the far end asks while its gateway is dead waits for the next one, in order, and once', async (t) => {
  const world = await startRelay(t);
  const doomed = await world.client();
  const { call, dialogId } = await answered(world, doomed);
  doomed.kill();
  await until('it is gone', () => world.relay.sizes().dialogs === 0 || undefined);
  call.sends('INFO');
  call.sends('INVITE', { sdp });
  call.sends('BYE');
  await until('they wait', () => world.relay.sizes().held === 3 || undefined);
  const next = await world.client();
  t.deepEqual(next.unread(), []);
  // The BYE has ended it for drachtio-server.
  void next.asksForDialog(dialogId);
  for (const method of ['INFO', 'INVITE', 'BYE']) {
    const { transactionId } = await next.told(method);
    t.is((await next.answer(transactionId, '200 OK'))[0], 'OK');
    await call.receives(200);
  }
  t.is(world.relay.sizes().held, 0);
  world.clock.advance(60_000);
  t.deepEqual(call.unread(), []);
});

test('what a gateway had not answered when it died waits as well', async (t) => {
  const world = await startRelay(t);
  const doomed = await world.client();
  const { call, dialogId } = await answered(world, doomed);
  call.sends('BYE');
  await doomed.told('BYE');
  doomed.kill();
  await until('it waits', () => world.relay.sizes().held === 1 || undefined);
  const next = await world.client();
  void next.asksForDialog(dialogId);
  const { transactionId } = await next.told('BYE');
  await next.answer(transactionId, '200 OK');
  await t.notThrowsAsync(call.receives(200));
});

test('a BYE for which nobody comes is answered in the end, and anything else is told that there is no call', async (t) => {
  const world = await startRelay(t);
  const doomed = await world.client();
  const [one, other] = [await answered(world, doomed), await answered(world, doomed)];
  doomed.kill();
  await until('it is gone', () => world.relay.sizes().dialogs === 0 || undefined);
  one.call.sends('BYE');
  other.call.sends('INFO');
  await until('they wait', () => world.relay.sizes().held === 2 || undefined);
  world.clock.advance(relayNumbers.held.longestMs - 1);
  t.is(world.relay.sizes().held, 2);
  world.clock.advance(1);
  await one.call.receives(200);
  await other.call.receives('BYE');
  await other.call.receives(481);
  t.is(world.relay.sizes().held, 0);
});

test('a call that nobody goes on with is hung up in the end, one with which somebody does is not', async (t) => {
  const world = await startRelay(t);
  const doomed = await world.client();
  const [left, kept] = [await answered(world, doomed), await answered(world, doomed)];
  doomed.kill();
  await until('it is gone', () => world.relay.sizes().left === 2 || undefined);
  const next = await world.client();
  await next.inDialog(kept.dialogId, 'INFO');
  await kept.call.receives('INFO');
  world.clock.advance(relayNumbers.held.longestMs - 1);
  t.is(world.relay.sizes().left, 1);
  world.clock.advance(1);
  await left.call.receives('BYE');
  t.is(world.relay.sizes().left, 0);
  await next.inDialog(kept.dialogId, 'BYE');
  await t.notThrowsAsync(kept.call.receives('BYE'));
});

test('who waited for a gateway that died is asked to come again, unless somebody answers before', async (t) => {
  const world = await startRelay(t);
  const doomed = await world.client();
  const call = world.trunk.calls('07012345678', { sdp });
  await doomed.told('INVITE');
  doomed.kill();
  await until('it waits', () => world.relay.sizes().held === 1 || undefined);
  world.clock.advance(relayNumbers.held.longestMs);
  await t.notThrowsAsync(call.receives(503));
});

test('there is room for so many requests and no more', async (t) => {
  const world = await startRelay(t, { held: { ...relayNumbers.held, mostRequests: 1 } });
  const doomed = await world.client();
  const { call } = await answered(world, doomed);
  doomed.kill();
  await until('it is gone', () => world.relay.sizes().dialogs === 0 || undefined);
  call.sends('OPTIONS');
  await until('it waits', () => world.relay.sizes().held === 1 || undefined);
  call.sends('INFO');
  await call.receives(503);
  call.sends('BYE');
  await call.receives(200);
  t.is(world.relay.sizes().held, 1);
});

test('the newest one that acts in a dialog is told of it', async (t) => {
  const world = await startRelay(t);
  const one = await world.client();
  const { call, dialogId } = await answered(world, one);
  const other = await world.client();
  t.deepEqual(await other.asksForDialog(dialogId), ['NOK', 'Server error: missing content-type']);
  call.sends('BYE');
  await other.told('BYE');
  t.deepEqual(one.unread(), []);
});

test('nothing is kept of a call that is over', async (t) => {
  const world = await startRelay(t);
  const gateway = await world.client();
  const byThem = await answered(world, gateway);
  byThem.call.sends('BYE');
  const { transactionId } = await gateway.told('BYE');
  await gateway.answer(transactionId, '200 OK');
  const byUs = await answered(world, gateway);
  const bye = gateway.inDialog(byUs.dialogId, 'BYE');
  await byUs.call.receives('BYE');
  byUs.call.answers(200);
  await bye;
  await gateway.told('SIP/2.0 200');
  const refused = world.trunk.calls('07012345678', { sdp });
  await gateway.answer((await gateway.told('INVITE')).transactionId, '486 Busy Here');
  await refused.receives(486);
  t.deepEqual(world.relay.sizes(), { asked: 0, transactions: 0, dialogs: 0, left: 0, held: 0 });
});

test('when drachtio-server goes away, gateways are told so, and let in when it is back', async (t) => {
  const world = await startRelay(t);
  const gateway = await world.client();
  await world.drachtio.kill();
  await gateway.closed;
  t.regex(world.relay.problem() ?? '', /No connection to drachtio-server/);
  const early = await connectClient(t, world.address);
  t.deepEqual(early.verdict, ['NO', 'drachtio-server is away']);
  await world.drachtio.restart();
  await until('it is reached', () => {
    world.clock.advance(250);
    return world.relay.problem() === null || undefined;
  });
  t.is((await connectClient(t, world.address)).verdict[0], 'OK');
});

test('what is no message, or would end drachtio-server, does not reach it', async (t) => {
  const world = await startRelay(t);
  const gateway = await world.client();
  for (const [said, why] of [
    ['sip|only', /missing/],
    ['sip|t1|\r\nBYE sip:x SIP/2.0\r\n\r\n', /only CANCEL/],
    ['sip||\r\nSIP/2.0 200 OK\r\n\r\n', /transaction id missing/],
    ['sip||\r\nnonsense', /no SIP message/],
    ['proxy|t1', /Unknown message type/],
    [`sip||\r\nOPTIONS sip:x SIP/2.0\r\n\r\n${'x'.repeat(12_001)}`, /too long/],
  ] as const) {
    const [verdict, reason = ''] = await gateway.ask(said);
    t.is(verdict, 'NOK');
    t.regex(reason, why);
  }
  t.deepEqual(await gateway.ask('ping'), ['OK', 'pong']);
  gateway.socket.write('GET / HTTP/1.1\r\n\r\n');
  await gateway.closed;
  t.is((await world.client()).verdict[0], 'OK');
});

test('who does not say the secret in time is sent away', async (t) => {
  const world = await startRelay(t);
  const silent = connect(world.address.port, '127.0.0.1');
  t.teardown(() => silent.destroy());
  await once(silent, 'connect');
  await (await world.client()).ask('ping');
  world.clock.advance(relayNumbers.gateways.admissionMs);
  await t.notThrowsAsync(once(silent, 'close'));
});

test('a gateway that sends much waits behind nobody but itself', async (t) => {
  const world = await startRelay(t);
  const [flooding, other] = [await world.client(), await world.client()];
  world.drachtio.freeze();
  const long = `sip||nowhere\r\nINFO sip:x SIP/2.0\r\nContent-Type: text/plain\r\n\r\n${'x'.repeat(8_000)}`;
  const flood = Array.from({ length: 20 }, () => flooding.ask(long));
  let answeredOfFlood = 0;
  for (const one of flood) void one.then(() => (answeredOfFlood += 1));
  await until('it is taken in', () => world.relay.sizes().asked >= 20 || undefined);
  const pong = other.ask('ping');
  await until('it is taken in', () => world.relay.sizes().asked >= 21 || undefined);
  world.drachtio.goOn();
  t.deepEqual(await pong, ['OK', 'pong']);
  t.true(answeredOfFlood < 5, `${answeredOfFlood} came before`);
  await Promise.all(flood);
});
