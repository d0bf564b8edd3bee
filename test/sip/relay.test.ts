/** The relay: calls that outlive their gateway. */
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import test, { type ExecutionContext } from 'ava';
import { array, assert, nat, property, string } from 'fast-check';
import pino from 'pino';
import { controlProbe, relayNumbers } from '#config/line-policy.ts';
import type { AudioUntil } from '#machines/line.ts';
import { createBackgroundTasks } from '#sip/background-tasks.ts';
import { endLeg } from '#sip/drachtio/resume/end-leg.ts';
import { createLeaving } from '#sip/drachtio/resume/leave-standing.ts';
import { createAbandoned } from '#sip/relay/abandoned.ts';
import { connectToDrachtio } from '#sip/relay/drachtio-connection.ts';
import { createLeftInvites } from '#sip/relay/left-invites.ts';
import { BrokenFrame, createFrameReader, framed } from '#sip/relay/message-frames.ts';
import { createRelay } from '#sip/relay/relay.ts';
import type { SipLeg, StandingDialog, StoredLeg } from '#src/domain/sip-leg.ts';
import { createOrderedClock } from '#test/contract/ordered-clock.ts';
import type { WatchedLine } from '#test/contract/watched-line.ts';
import type { FarCall } from '#test/doubles/far-end.ts';
import { describeSound, directionIn } from '#test/doubles/session-description.ts';
import { ownNumber, startServers, startSipEdgeOn, type SipEdge } from '#test/doubles/sip-edge.ts';
import { headerOf, mustHave } from '#test/doubles/sip-parser.ts';
import { createTurnedClock } from '#test/doubles/turned-clock.ts';
import { listenOn } from '#test/helpers/listen-on.ts';
import { ownPort } from '#test/helpers/own-port.ts';
import { until } from '#test/helpers/until.ts';
import { connectClient, type Client } from './relay/control-client.ts';
import { comesOver, personNumber, saw, sdp as adoptionSdp, startWorld } from './relay/left-calls-world.ts';
import { answered, sdp, startRelay } from './relay/relay-world.ts';

// Relay
// The relay between drachtio-server and gateways: delivery of messages, and calls whose gateway dies.

test.serial(
  'accepts a gateway only with the secret, and forwards the greeting of drachtio-server',
  async (t) => {
    const { address, said } = await startRelay(t);
    const admitted = await connectClient(t, address);
    t.deepEqual(admitted.verdict.slice(0, 3), ['OK', 'tcp/127.0.0.1:5060,udp/127.0.0.1:5060', 'v0.9.10']);
    const stranger = await connectClient(t, { ...address, secret: 'guessed' });
    t.deepEqual(stranger.verdict, ['NO', 'incorrect secret']);
    await stranger.closed;
    t.false(said().includes(address.secret));
    t.false(said().includes('guessed'));
  },
);

test.serial('distributes calls evenly and sends each gateway only its own calls', async (t) => {
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

test.serial('returns responses to their requester, even with two simultaneous requests', async (t) => {
  const world = await startRelay(t);
  const gateways = [await world.client(), await world.client()];
  const invite = (name: string): string =>
    `sip||\r\nINVITE sip:${name}@${world.trunk.address} SIP/2.0\r\nContent-Type: application/sdp\r\n\r\n${sdp}`;
  for (const [index, gateway] of gateways.entries()) gateway.say(invite(`n${index}`));
  for (const [index, gateway] of gateways.entries()) {
    const call = await world.trunk.receives('INVITE');
    t.regex(call.last('INVITE').startLine, new RegExp(`sip:n${index}@`));
    call.answers(486);
    // The response to the command itself arrives first.
    await until('it was answered', () => gateway.unread().includes('SIP/2.0') || undefined);
  }
  t.is(world.relay.sizes().transactions, 0);
});

test.serial(
  'rejects callers with a retry time and answers OPTIONS while no gateway is connected',
  async (t) => {
    const { trunk, client } = await startRelay(t);
    for (const call of [trunk.calls('07012345678', { sdp }), trunk.asks('OPTIONS')])
      t.is(mustHave(await call.receives(503), 'Retry-After'), '5');
    const gateway = await client(['options']);
    const call = trunk.calls('07012345678', { sdp });
    await call.receives(503);
    gateway.kill();
    await gateway.closed;
  },
);

test.serial(
  'queues requests of the far end for the next gateway and delivers each once, in order',
  async (t) => {
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
    // For drachtio-server, the BYE has ended the dialog.
    void next.asksForDialog(dialogId);
    for (const method of ['INFO', 'INVITE', 'BYE']) {
      const { transactionId } = await next.told(method);
      t.is((await next.answer(transactionId, '200 OK'))[0], 'OK');
      await call.receives(200);
    }
    t.is(world.relay.sizes().held, 0);
    world.clock.advance(60_000);
    t.deepEqual(call.unread(), []);
  },
);

test.serial('queues requests again that a dead gateway left unanswered', async (t) => {
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

test.serial(
  'answers a BYE that no gateway handles after a time limit, and rejects other requests with 481',
  async (t) => {
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
  },
);

test.serial('hangs up a call that no gateway resumes, and keeps one that is resumed', async (t) => {
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

/** The INVITE of a gateway to a telephone that has not answered yet. */
const invited = async (world: Awaited<ReturnType<typeof startRelay>>, gateway: Client) => {
  void gateway.ask(
    `sip||\r\nINVITE sip:n@${world.trunk.address} SIP/2.0\r\nContent-Type: application/sdp\r\n\r\n${sdp}`,
  );
  return world.trunk.receives('INVITE');
};

test.serial('cancels an unanswered INVITE of a gateway whose connection has ended', async (t) => {
  const world = await startRelay(t);
  const doomed = await world.client();
  const call = await invited(world, doomed);
  doomed.socket.end();
  await until('it is gone', () => world.relay.sizes().leftInvites === 1 || undefined);
  world.clock.advance(relayNumbers.cancelMs - 1);
  t.deepEqual(call.unread(), []);
  world.clock.advance(1);
  await call.receives('CANCEL');
  call.answers(200, { to: 'CANCEL' });
  call.answers(487, { to: 'INVITE' });
  await until('nothing is left', () => world.relay.sizes().leftInvites === 0 || undefined);
  t.is(world.relay.sizes().left, 0);
});

test.serial('hangs up a telephone that answers an INVITE whose gateway is gone', async (t) => {
  const world = await startRelay(t);
  const doomed = await world.client();
  const call = await invited(world, doomed);
  doomed.socket.end();
  await until('it is gone', () => world.relay.sizes().leftInvites === 1 || undefined);
  call.answers(200, { sdp });
  await call.receives('ACK');
  await t.notThrowsAsync(call.receives('BYE'));
  t.is(world.relay.sizes().leftInvites, 0);
});

test.serial('leaves an INVITE of a lost gateway to another gateway that cancels it', async (t) => {
  const world = await startRelay(t);
  const doomed = await world.client();
  const call = await invited(world, doomed);
  call.answers(180);
  const { transactionId } = await doomed.told('SIP/2.0 180');
  doomed.kill();
  await until('it is gone', () => world.relay.sizes().leftInvites === 1 || undefined);
  const next = await world.client();
  await next.ask(`sip|${transactionId}||\r\nCANCEL sip:placeholder SIP/2.0\r\nContent-Length: 0\r\n\r\n`);
  await call.receives('CANCEL');
  world.clock.advance(relayNumbers.cancelMs);
  t.deepEqual(call.unread(), []);
});

test.serial(
  'sends callers of a dead gateway a retry time unless another gateway answers first',
  async (t) => {
    const world = await startRelay(t);
    const doomed = await world.client();
    const call = world.trunk.calls('07012345678', { sdp });
    await doomed.told('INVITE');
    doomed.kill();
    await until('it waits', () => world.relay.sizes().held === 1 || undefined);
    world.clock.advance(relayNumbers.held.longestMs);
    await t.notThrowsAsync(call.receives(503));
  },
);

test.serial('limits the number of queued requests', async (t) => {
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

test.serial('sends requests to the last gateway that claimed their dialog', async (t) => {
  const world = await startRelay(t);
  const one = await world.client();
  const { call, dialogId } = await answered(world, one);
  const other = await world.client();
  t.deepEqual(await other.claims(dialogId), ['OK']);
  t.deepEqual(await other.asksForDialog(dialogId), ['NOK', 'Server error: missing content-type']);
  call.sends('BYE');
  await other.told('BYE');
  t.deepEqual(one.unread(), []);
});

test.serial('keeps no state of an ended call', async (t) => {
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
  const none = { asked: 0, transactions: 0, leftInvites: 0, dialogs: 0, left: 0, leftDialogs: 0, held: 0 };
  t.deepEqual(world.relay.sizes(), { ...none, gateways: 1 });
});

test.serial(
  'notifies gateways when drachtio-server disconnects, and accepts them again when it returns',
  async (t) => {
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
  },
);

test.serial('does not forward malformed or dangerous messages to drachtio-server', async (t) => {
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

test.serial('disconnects a client that does not authenticate in time', async (t) => {
  const world = await startRelay(t);
  const silent = connect(world.address.port, '127.0.0.1');
  t.teardown(() => silent.destroy());
  await once(silent, 'connect');
  await (await world.client()).ask('ping');
  world.clock.advance(relayNumbers.gateways.admissionMs);
  await t.notThrowsAsync(once(silent, 'close'));
});

test.serial('disconnects a refused client that does not close its side', async (t) => {
  const world = await startRelay(t);
  const stranger = connect({ port: world.address.port, host: '127.0.0.1', allowHalfOpen: true });
  t.teardown(() => stranger.destroy());
  stranger.on('error', () => {});
  const command = 'one|authenticate|guessed|';
  stranger.write(`${command.length}#${command}`);
  const [answer] = await once(stranger, 'data');
  t.regex(String(answer), /incorrect secret/);
  await (await world.client()).ask('ping');
  world.clock.advance(relayNumbers.gateways.admissionMs);
  // Writing fails only when the relay has closed the whole connection.
  await until('the connection is closed', () => {
    if (!stranger.destroyed) stranger.write('more');
    return stranger.destroyed || undefined;
  });
  t.pass();
});

test.serial('tries again if drachtio-server accepts the connection and does not answer', async (t) => {
  const clock = createTurnedClock();
  const sockets: Socket[] = [];
  const silent = createServer((socket) => void sockets.push(socket.resume()));
  t.teardown(() => silent.close());
  const port = await ownPort();
  await listenOn(silent, port);
  const connecting = connectToDrachtio(
    { host: '127.0.0.1', port, secret: 'secret' },
    [],
    { onMessage() {}, onAnswered() {}, enqueue() {}, onLess() {}, onLost() {} },
    clock,
  );
  const rejected = t.throwsAsync(connecting, { message: /took longer than 5000 ms/ });
  await until('it is connected', () => sockets.length === 1 || undefined);
  clock.advance(5_000);
  await rejected;
  await until('the connection is closed', () => sockets[0]?.destroyed === true || undefined);
});

test('ends what a lost gateway has left although the timer fires a millisecond early', (t) => {
  let now = 1_000;
  let fire: (() => void) | undefined;
  const clock = {
    now: () => now,
    setTimeout: (callback: () => void) => (fire = callback),
    clearTimeout() {},
  };
  const left = createLeftInvites(clock.now);
  const ended: string[] = [];
  const abandoned = createAbandoned({
    afterMs: 5_000,
    take: left.takeDue,
    end: async (id) => void ended.push(id),
    say: 'they are cancelled',
    clock,
    logger: pino({ level: 'silent' }),
  });
  left.add('lost', '', now);
  abandoned.expect();
  now += 1;
  left.add('lost later', '', now);
  now += 4_998;
  fire?.();
  t.deepEqual(ended, ['lost']);
});

test.serial('a gateway that sends much data delays only itself', async (t) => {
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

// Gateways
// Complete lines of a gateway, through the relay.

const gatewaysSdp = describeSound();
const seldom = { everyMs: 3_600_000, answerMs: 3_600_000 };

const startGatewaysWorld = async (t: ExecutionContext) => {
  const servers = await startServers(t);
  const relay = createRelay({
    listen: { host: '127.0.0.1', port: 0 },
    drachtio: servers.drachtio.control,
    numbers: { ...relayNumbers, probe: seldom },
    clock: createTurnedClock(),
    logger: pino({ level: 'silent' }),
  });
  t.teardown(() => relay.close());
  const control = { ...servers.drachtio.control, port: await relay.start() };
  const throughRelay = { ...servers, drachtio: { ...servers.drachtio, control } };
  return { servers, relay, gateway: () => startSipEdgeOn(t, throughRelay) };
};

test.serial('two gateways place and receive calls through the relay, each its own', async (t) => {
  const { servers, relay, gateway } = await startGatewaysWorld(t);
  const gateways = [await gateway(), await gateway()];
  for (const edge of gateways) {
    const line = edge.call();
    const out = await servers.trunk.receives('INVITE');
    out.answers(200, { sdp: gatewaysSdp });
    await out.receives('ACK');
    await edge.said([line], 'line.answered');
    line.tell({ type: 'hangUp' });
    await out.receives('BYE');
    out.answers(200);
    await edge.said([line], 'line.ended');
  }
  for (const edge of gateways) {
    const called = servers.trunk.calls(ownNumber, { sdp: gatewaysSdp });
    await called.receives(200);
    called.sends('ACK');
    await edge.said(edge.inbound, 'line.answered');
    called.sends('BYE');
    await called.receives(200);
    await edge.said(edge.inbound, 'line.ended');
  }
  t.deepEqual(
    gateways.map(({ arrivals }) => arrivals.length),
    [1, 1],
  );
  t.is(relay.sizes().transactions, 0);
});

test.serial('each gateway reports a drachtio-server that is unreachable behind the relay', async (t) => {
  const { servers, gateway } = await startGatewaysWorld(t);
  const edge = await gateway();
  await servers.drachtio.kill();
  await until('it is said', () => {
    edge.clock.advance(250);
    const health = edge.lines.health();
    return (!health.ready && health.detail.endsWith(': drachtio-server is away.')) || undefined;
  });
  t.pass();
});

// Message frames
// Messages of the control protocol in arbitrary chunks.

const readAll = (parts: readonly Buffer[], longest = 1_000): string[] => {
  const read: string[] = [];
  const take = createFrameReader(longest, (message) => void read.push(message.toString()));
  for (const part of parts) take(part);
  return read;
};

test('reads complete messages for any chunking', (t) => {
  assert(
    property(
      array(string({ minLength: 1, maxLength: 60, unit: 'grapheme' })),
      array(nat(200)),
      (texts, cuts) => {
        const bytes = Buffer.concat(texts.map((text) => framed(Buffer.from(text))));
        const places = [0, ...cuts.filter((cut) => cut < bytes.length), bytes.length].toSorted(
          (a, b) => a - b,
        );
        const parts = places.slice(1).map((place, index) => bytes.subarray(places[index], place));
        t.deepEqual(readAll(parts), texts);
      },
    ),
  );
  t.deepEqual(readAll([...framed(Buffer.from('한 통'))].map((byte) => Buffer.from([byte]))), ['한 통']);
});

test('closes the connection at malformed and too long messages', (t) => {
  for (const garbage of ['GET / HTTP/1.1', '#', '0#', '12345678#', '-1#x', '1001#', '5#hello!#'])
    t.throws(() => readAll([Buffer.from(garbage)]), { instanceOf: BrokenFrame }, garbage);
  t.deepEqual(readAll([Buffer.from('1000#')]), []);
});

// Adoption
// A call whose gateway dies continues at another one through the relay: same dialog, and its audio moves by re-INVITE.

for (const media of ['direct', 'freeswitch'] as const)
  for (const begun of ['dialled', 'taken'] as const) {
    test.serial(`${media}, ${begun}: accepts the far end's BYE after a take-over`, async (t) => {
      const world = await startWorld(t, media);
      const call = await world[begun]();
      await world.die();
      const line = world.adopt(await world.next());
      await comesOver(t, line, call, media);
      call.far.sends('BYE');
      await call.far.receives(200);
      await saw(line, 'line.ended');
      t.like(line.all('line.ended')[0], { by: 'counterparty' });
      t.deepEqual(line.finish(), []);
      t.deepEqual(world.legs.kept(), []);
    });

    test.serial(`${media}, ${begun}: hangs up after a take-over`, async (t) => {
      const world = await startWorld(t, media);
      const call = await world[begun]();
      await world.die();
      const line = world.adopt(await world.next());
      await comesOver(t, line, call, media);
      line.tell({ type: 'hangUp' });
      await call.far.receives('BYE');
      call.far.answers(200);
      await saw(line, 'line.ended');
      t.like(line.all('line.ended')[0], { by: 'gateway' });
      t.deepEqual(line.finish(), []);
    });
  }

test.serial(
  'answers digits, holds and requests of the far end after take-over, including queued ones',
  async (t) => {
    const world = await startWorld(t);
    const call = await world.dialled();
    const offered = call.far.last('INVITE').body;
    await world.die();
    call.far.sends('INFO', { headers: { 'Content-Type': 'application/dtmf-relay' }, body: 'Signal=7\r\n' });
    await until('it waits', () => world.relay.sizes().held === 1 || undefined);
    const line = world.adopt(await world.next());
    const again = await call.far.receives('INVITE');
    const origin = (text: string): string[] => /^o=(\S+ \S+) (\d+) /m.exec(text)?.slice(1) ?? [];
    const [session, version] = origin(offered);
    t.deepEqual(origin(again.body), [session, String(Number(version) + 1)]);
    call.far.answers(200, { sdp: adoptionSdp });
    await call.far.receives('ACK');
    await call.far.receives(200);
    await saw(line, 'line.digit');
    t.like(line.all('line.digit')[0], { digit: '7' });

    call.far.sends('INVITE', { sdp: describeSound({ direction: 'sendonly' }) });
    const held = await call.far.receives(200);
    t.is(directionIn(held.body), 'recvonly');
    t.is(origin(held.body)[0], session);
    call.far.sends('ACK');
    await saw(line, 'line.held');
    call.far.sends('UPDATE', { headers: { 'Session-Expires': '1800' } });
    // The gateway was the refresher and still is.
    t.is(headerOf(await call.far.receives(200), 'Session-Expires'), '1800;refresher=uas');
    call.far.sends('OPTIONS');
    await call.far.receives(200);
    t.deepEqual(line.breaches, []);
  },
);

for (const media of ['direct', 'freeswitch'] as const)
  test.serial(`${media}: keeps a call on hold after take-over, which can then be resumed`, async (t) => {
    const world = await startWorld(t, media);
    const { far, line: before } = await world.dialled();
    far.sends('INVITE', { sdp: describeSound({ direction: 'sendonly' }) });
    await far.receives(200);
    far.sends('ACK');
    await saw(before, 'line.held');
    await world.die();
    const line = world.adopt(await world.next());
    if (media === 'direct') {
      await far.receives('INVITE');
      far.answers(200, { sdp: describeSound({ direction: 'sendonly' }) });
      await far.receives('ACK');
    }
    await saw(line, 'line.held');
    far.sends('INVITE', { sdp: adoptionSdp });
    await far.receives(200);
    far.sends('ACK');
    await saw(line, 'line.resumed');
    t.deepEqual(line.story(), ['line.adopted', 'line.held', 'line.resumed']);
    t.deepEqual(line.breaches, []);
  });

test.serial("answers the far end's BYE received during take-over and ends the call", async (t) => {
  const world = await startWorld(t);
  const call = await world.dialled();
  await world.die();
  call.far.sends('BYE');
  await until('it waits', () => world.relay.sizes().held === 1 || undefined);
  const line = world.adopt(await world.next());
  await call.far.receives(200);
  await saw(line, 'line.ended');
  t.like(line.all('line.ended')[0], { by: 'counterparty' });
  t.deepEqual(line.story(), ['line.ended']);
  t.deepEqual(world.legs.kept(), []);
  // Waits a few turns of the event loop, in which a second BYE would arrive.
  for (let turns = 0; turns < 100; turns += 1) await new Promise((resolve) => setImmediate(resolve));
  t.deepEqual(call.far.unread(), []);
});

test.serial('hangs up on a far end that rejects the re-INVITE of a take-over', async (t) => {
  const world = await startWorld(t);
  const call = await world.dialled();
  await world.die();
  const line = world.adopt(await world.next());
  await call.far.receives('INVITE');
  call.far.answers(488);
  await call.far.receives('BYE');
  call.far.answers(200);
  await saw(line, 'line.ended');
  t.like(line.all('line.ended')[0], { by: 'gateway' });
});

test.serial('does not take over unanswered calls or calls of an older gateway version', async (t) => {
  const world = await startWorld(t);
  await world.dialled();
  const older = world.legs.kept().map(({ id, leg }) => ({ id, leg: { ...leg, dialog: null } }));
  await world.die();
  const next = await world.next();
  for (const left of [older, []]) {
    const line = world.adopt(next, left);
    await saw(line, 'line.ended');
    t.deepEqual(line.story(), ['line.ended']);
    t.like(line.all('line.ended')[0], { by: 'gateway' });
  }
});

test.serial('hangs up a call whose take-over is abandoned', async (t) => {
  const world = await startWorld(t);
  const call = await world.dialled();
  await world.die();
  const line = world.adopt(await world.next());
  await call.far.receives('INVITE');
  line.tell({ type: 'hangUp' });
  call.far.answers(200, { sdp: adoptionSdp });
  await call.far.receives('ACK');
  await call.far.receives('BYE');
  call.far.answers(200);
  await saw(line, 'line.ended');
  t.deepEqual(line.story(), ['line.ended']);
});

/** A port of a far end that receives audio. */
const startEar = async (t: ExecutionContext) => {
  const socket = createSocket('udp4').bind(0, '127.0.0.1');
  t.teardown(() => void socket.close());
  await once(socket, 'listening');
  let packets = 0;
  socket.on('message', () => (packets += 1));
  return { port: socket.address().port, packets: () => packets };
};

/** The stored legs, with a far end that receives its audio at this port. */
const heardAt = (port: number, legs: readonly StoredLeg[]): StoredLeg[] =>
  legs.map(({ id, leg }) => ({
    id,
    leg: { ...leg, dialog: leg.dialog && { ...leg.dialog, remoteSdp: describeSound({ port }) } },
  }));

test.serial('sends audio after a death before the far end answers the re-INVITE', async (t) => {
  const world = await startWorld(t);
  const call = await world.dialled();
  await world.die();
  const [before, after] = [await startEar(t), await startEar(t)];
  const next = await world.next();
  const line = world.adopt(next, heardAt(before.port, world.legs.kept()));
  await call.far.receives('INVITE');
  next.clock.advance(20);
  await until('it hears the next gateway', () => before.packets() > 0 || undefined);
  t.deepEqual(line.story(), []);
  call.far.answers(200, { sdp: describeSound({ port: after.port }) });
  await call.far.receives('ACK');
  await saw(line, 'line.adopted');
  next.clock.advance(20);
  await until('its audio has moved', () => after.packets() > 0 || undefined);
  t.deepEqual(line.breaches, []);
});

test.serial('sends no audio before the re-INVITE is answered while the former gateway sends', async (t) => {
  const world = await startWorld(t);
  const call = await world.dialled();
  call.line.release();
  const [before, after] = [await startEar(t), await startEar(t)];
  const next = await world.next();
  const line = world.adopt(next, heardAt(before.port, world.legs.kept()), null, true);
  await call.far.receives('INVITE');
  next.clock.advance(100);
  call.far.answers(200, { sdp: describeSound({ port: after.port }) });
  await call.far.receives('ACK');
  await saw(line, 'line.adopted');
  next.clock.advance(20);
  await until('its audio has moved', () => after.packets() > 0 || undefined);
  t.is(before.packets(), 0);
});

// Adoption without relay
// Without the relay, drachtio-server itself answers requests to a dead gateway and reports them to no gateway.

for (const media of ['direct', 'freeswitch'] as const)
  test.serial(`${media}: detects within 5 s that the far end of a taken-over call hangs up`, async (t) => {
    const world = await startWorld(t, media, 'drachtio');
    const call = await world.dialled();
    await world.die();
    const next = await world.next();
    const line = world.adopt(next);
    await comesOver(t, line, call, media);
    call.far.sends('BYE');
    await call.far.receives(481);
    next.clock.advance(4_999);
    t.false(line.saw('line.ended'));
    next.clock.advance(1);
    await saw(line, 'line.ended');
    t.like(line.all('line.ended')[0], { by: 'counterparty' });
    t.deepEqual(line.finish(), []);
    t.deepEqual(world.legs.kept(), []);
  });

// Hand-over
// A live gateway hands over its calls through the relay and accepts no new ones; another one resumes them.

for (const media of ['direct', 'freeswitch'] as const)
  for (const begun of ['dialled', 'taken'] as const)
    test.serial(
      `${media}, ${begun}: delivers requests queued during the take-over without an audible change`,
      async (t) => {
        const world = await startWorld(t, media);
        const call = await world[begun]();
        t.true(world.isResumable(call.line));
        call.line.release();
        call.far.sends('INFO', {
          headers: { 'Content-Type': 'application/dtmf-relay' },
          body: 'Signal=3\r\n',
        });
        const line = world.adopt(await world.next());
        await comesOver(t, line, call, media);
        await call.far.receives(200);
        await saw(line, 'line.digit');
        call.far.sends('BYE');
        await call.far.receives(200);
        await saw(line, 'line.ended');
        t.like(line.all('line.ended')[0], { by: 'counterparty' });
        t.deepEqual([...line.finish(), ...call.line.finish()], []);
        t.deepEqual(call.line.story().slice(-1), ['line.answered']);
      },
    );

for (const [carrier, offer, channels] of [
  ['the gateway', adoptionSdp, 0],
  ['FreeSWITCH', adoptionSdp.replace('c=IN IP4 127.0.0.1', 'c=IN IP4 media.example'), 1],
] as const)
  test.serial(`auto: keeps the carrier ${carrier} of a call after take-over`, async (t) => {
    const world = await startWorld(t, 'auto');
    const call = await world.taken(offer);
    const [freeSwitch] = world.doomed.freeSwitches;
    const before = freeSwitch?.channels() ?? [];
    t.is(before.length, channels);
    await world.die();
    // The channel cannot be taken over: its server is unknown to the next gateway.
    const left = world.legs.kept().map(({ id, leg }) => ({
      id,
      leg: { ...leg, channel: leg.channel && { ...leg.channel, server: '127.0.0.9:8021' } },
    }));
    const line = world.adopt(await world.next(), left);
    await comesOver(t, line, call);
    t.is(freeSwitch?.channels().filter((channel) => !before.includes(channel)).length, channels);
  });

test.serial('rejects the hand-over of an unanswered call', async (t) => {
  const world = await startWorld(t);
  const line = world.doomed.call();
  const far = await world.trunk.receives('INVITE');
  t.false(world.isResumable(line));
  far.answers(200, { sdp: adoptionSdp });
  await far.receives('ACK');
  await saw(line, 'line.answered');
  t.true(world.isResumable(line));
  line.tell({ type: 'hangUp' });
  t.false(world.isResumable(line));
});

test.serial('sends no callers to a draining gateway, which keeps its calls', async (t) => {
  const world = await startWorld(t);
  const { far, line } = await world.dialled();
  const next = await world.next();
  await world.doomed.lines.takeNoMore();
  for (let callers = 0; callers < 3; callers += 1) {
    const caller = world.trunk.calls(ownNumber, { sdp: adoptionSdp });
    await caller.receives(200);
    caller.sends('ACK');
  }
  await until('all are at the next one', () => next.inbound.length === 3 || undefined);
  t.is(world.doomed.arrivals.length, 0);
  far.sends('BYE');
  await far.receives(200);
  await saw(line, 'line.ended');
});

test.serial('sends callers a retry time when all gateways are draining', async (t) => {
  const world = await startWorld(t);
  await world.doomed.lines.takeNoMore();
  const caller = world.trunk.calls(ownNumber, { sdp: adoptionSdp });
  t.is(headerOf(await caller.receives(503), 'Retry-After'), '5');
});

// Transferred calls
// Two persons who talk to each other: both legs continue at another gateway.

type TransferredWorld = Awaited<ReturnType<typeof startWorld>>;

const adoptBoth = async (world: TransferredWorld, edge?: SipEdge): Promise<WatchedLine> =>
  world.adopt(edge ?? (await world.next()), world.legs.kept(), { to: personNumber, talkedMs: 5_000 });

/** The far end must send its audio to another address, unless FreeSWITCH carries it. */
const takesSound = async (far: FarCall, media: 'direct' | 'freeswitch', status = 200): Promise<void> => {
  if (media === 'freeswitch') return;
  await far.receives('INVITE');
  if (status !== 200) return far.answers(status);
  far.answers(200, { sdp: adoptionSdp });
  await far.receives('ACK');
};

for (const media of ['direct', 'freeswitch'] as const) {
  for (const leaves of ['other party', 'person'] as const)
    test.serial(
      `${media}: two persons keep talking after a gateway death, until the ${leaves} hangs up`,
      async (t) => {
        const world = await startWorld(t, media);
        const { call, person } = await world.transferred();
        await world.die();
        const line = await adoptBoth(world);
        await Promise.all([takesSound(call.far, media), takesSound(person, media)]);
        await saw(line, 'line.adopted');
        t.is(world.legs.kept().length, 2);
        const [leaver, other] = leaves === 'person' ? [person, call.far] : [call.far, person];
        leaver.sends('BYE');
        await leaver.receives(200);
        await other.receives('BYE');
        other.answers(200);
        await saw(line, 'line.ended');
        t.deepEqual(line.story(), ['line.adopted', 'line.ended']);
        t.deepEqual(line.finish(), []);
        await until('nothing is kept', () => world.legs.kept().length === 0 || undefined);
      },
    );

  test.serial(`${media}: two persons keep talking after a hand-over without a hangup`, async (t) => {
    const world = await startWorld(t, media);
    const { call, person } = await world.transferred();
    t.true(world.isResumable(call.line));
    call.line.release();
    const line = await adoptBoth(world);
    await Promise.all([takesSound(call.far, media), takesSound(person, media)]);
    await saw(line, 'line.adopted');
    t.deepEqual(call.line.story().slice(-1), ['line.transferred']);
    line.tell({ type: 'hangUp' });
    for (const far of [call.far, person]) {
      await far.receives('BYE');
      far.answers(200);
    }
    await saw(line, 'line.ended');
    t.deepEqual([...line.finish(), ...call.line.finish()], []);
  });

  test.serial(`${media}: hangs up the other party if the person hung up during the take-over`, async (t) => {
    const world = await startWorld(t, media);
    const { call, person } = await world.transferred();
    await world.die();
    person.sends('BYE');
    await until('it waits', () => world.relay.sizes().held === 1 || undefined);
    const line = await adoptBoth(world);
    await takesSound(call.far, media);
    await person.receives(200);
    await call.far.receives('BYE');
    call.far.answers(200);
    await saw(line, 'line.ended');
    t.deepEqual(line.story(), ['line.adopted', 'line.ended']);
  });

  test.serial(`${media}: hangs up the person if the other party hung up during the take-over`, async (t) => {
    const world = await startWorld(t, media);
    const { call, person } = await world.transferred();
    await world.die();
    call.far.sends('BYE');
    await until('it waits', () => world.relay.sizes().held === 1 || undefined);
    const line = await adoptBoth(world);
    await takesSound(person, media);
    await call.far.receives(200);
    await person.receives('BYE');
    person.answers(200);
    await saw(line, 'line.ended');
    t.deepEqual(line.story(), ['line.ended']);
    t.like(line.all('line.ended')[0], { by: 'counterparty' });
    await until('nothing is kept', () => world.legs.kept().length === 0 || undefined);
  });
}

test.serial('keeps a bridge while its channels are taken over', async (t) => {
  const world = await startWorld(t, 'freeswitch');
  const { call, person } = await world.transferred();
  const [freeSwitch] = world.doomed.freeSwitches;
  const channels = freeSwitch?.channels() ?? [];
  const parks = channels.map((channel) => channel.variable('gw_park'));
  await world.die();
  const line = await adoptBoth(world);
  await saw(line, 'line.adopted');
  for (let turns = 0; turns < 50; turns += 1) await new Promise((resolve) => setImmediate(resolve));
  t.deepEqual(
    channels.map((channel) => channel.partner),
    channels.toReversed(),
  );
  t.deepEqual(
    channels.map((channel) => channel.variable('gw_park')),
    parks,
  );
  line.tell({ type: 'hangUp' });
  for (const far of [call.far, person]) {
    await far.receives('BYE');
    far.answers(200);
  }
  await saw(line, 'line.ended');
  await freeSwitch?.untilChannels(0);
});

test.serial("returns the other party of a bridge to the agent if the person's leg is unknown", async (t) => {
  const world = await startWorld(t, 'freeswitch');
  await world.transferred();
  const [channel] = world.doomed.freeSwitches[0]?.channels() ?? [];
  const others = world.legs.kept().filter(({ leg }) => leg.isOfTransfer !== true);
  await world.die();
  const line = world.adopt(await world.next(), others);
  await saw(line, 'line.adopted');
  await channel?.untilConnected();
  t.is(channel?.partner, null);
  t.false(line.isOver());
});

test.serial('hangs up a person that rejects the re-INVITE of a take-over, and fails the call', async (t) => {
  const world = await startWorld(t);
  const { call, person } = await world.transferred();
  await world.die();
  const line = await adoptBoth(world);
  await Promise.all([takesSound(call.far, 'direct'), takesSound(person, 'direct', 488)]);
  await person.receives('BYE');
  person.answers(200);
  await saw(line, 'line.failed');
  t.deepEqual(line.story(), ['line.adopted', 'line.failed']);
  line.tell({ type: 'hangUp' });
  await call.far.receives('BYE');
  call.far.answers(200);
  await saw(line, 'line.ended');
});

test.serial('does not wait for a person without a stored leg', async (t) => {
  const world = await startWorld(t);
  const { call } = await world.transferred();
  const others = world.legs.kept().filter(({ leg }) => leg.isOfTransfer !== true);
  await world.die();
  const line = world.adopt(await world.next(), others, { to: personNumber, talkedMs: 5_000 });
  await takesSound(call.far, 'direct');
  await saw(line, 'line.failed');
  t.deepEqual(line.story(), ['line.adopted', 'line.failed']);
});

test.serial('hangs up two persons whose call is ended during the take-over', async (t) => {
  const world = await startWorld(t);
  const { call, person } = await world.transferred();
  await world.die();
  const line = await adoptBoth(world);
  await call.far.receives('INVITE');
  line.tell({ type: 'hangUp' });
  call.far.answers(200, { sdp: adoptionSdp });
  await call.far.receives('ACK');
  await takesSound(person, 'direct');
  for (const far of [call.far, person]) {
    await far.receives('BYE');
    far.answers(200);
  }
  await saw(line, 'line.ended');
  t.deepEqual(line.story(), ['line.ended']);
});

test.serial('without the relay, detects within 5 s that a person hangs up after take-over', async (t) => {
  const world = await startWorld(t, 'direct', 'drachtio');
  const { call, person } = await world.transferred();
  await world.die();
  const next = await world.next();
  const line = await adoptBoth(world, next);
  await Promise.all([takesSound(call.far, 'direct'), takesSound(person, 'direct')]);
  await saw(line, 'line.adopted');
  person.sends('BYE');
  await person.receives(481);
  next.clock.advance(5_000);
  await call.far.receives('BYE');
  call.far.answers(200);
  await saw(line, 'line.ended');
  t.deepEqual(line.finish(), []);
});

// Lost transfers
// A call whose gateway dies while its other party is being transferred: the call continues, and the person is hung up.

for (const media of ['direct', 'freeswitch'] as const) {
  test.serial(`${media}: sends BYE from the next gateway to a person who has answered`, async (t) => {
    const world = await startWorld(t, media);
    const call = await world.dialled();
    call.line.tell({ type: 'transfer', to: '01000000011', mode: 'cold' });
    const second = await world.trunk.receives('INVITE');
    second.answers(200, { sdp: adoptionSdp });
    await second.receives('ACK');
    await until(
      'it is kept',
      () => world.legs.kept().every(({ leg }) => leg.state === 'standing') || undefined,
    );
    t.is(world.legs.kept().length, 2);
    await world.die();
    // Any event, whichever comes first.
    const line = world.adopt(await world.next(), world.legs.kept().toReversed());
    await second.receives('BYE');
    second.answers(200);
    await comesOver(t, line, call, media);
    await until('nothing is kept of it', () => world.legs.kept().length === 1 || undefined);
    t.false(line.isOver());
    line.tell({ type: 'hangUp' });
    await call.far.receives('BYE');
    call.far.answers(200);
    await saw(line, 'line.ended');
    t.deepEqual(line.finish(), []);
  });

  test.serial(`${media}: sends CANCEL from the next gateway to a ringing person`, async (t) => {
    const world = await startWorld(t, media);
    const call = await world.dialled();
    call.line.tell({ type: 'transfer', to: '01000000011', mode: 'cold' });
    const second = await world.trunk.receives('INVITE');
    second.answers(180);
    await until('it is kept', () => world.legs.kept().length === 2 || undefined);
    await world.die();
    const line = world.adopt(await world.next());
    await second.receives('CANCEL');
    second.answers(200, { to: 'CANCEL' });
    second.answers(487, { to: 'INVITE' });
    await comesOver(t, line, call, media);
    t.false(line.isOver());
  });
}

// Lost gateways

/** A gateway that has given its name. */
const named = async (world: Awaited<ReturnType<typeof startRelay>>, node: string): Promise<Client> => {
  const client = await world.client();
  const [verdict] = await client.ask(`node|${node}`);
  if (verdict !== 'OK') throw new Error(`The relay refuses the name ${node}`);
  return client;
};

test.serial('notifies named gateways of a gateway whose connection has ended, by its name', async (t) => {
  const world = await startRelay(t);
  const doomed = await named(world, 'doomed');
  const others = [await named(world, 'one'), await named(world, 'two')];
  const nameless = await world.client();
  doomed.kill();
  for (const other of others) t.is(await other.lostNode(), 'doomed');
  await nameless.ask('ping');
  t.deepEqual(nameless.unread(), []);
});

test.serial('notifies a gateway that connects later of those that are still missing', async (t) => {
  const world = await startRelay(t);
  for (const node of ['doomed', 'returning']) {
    const client = await named(world, node);
    client.kill();
    await client.closed;
    await until('it is gone', () => (world.relay.sizes().gateways === 0 ? true : undefined));
  }
  await named(world, 'returning');
  const late = await named(world, 'late');
  t.is(await late.lostNode(), 'doomed');
  await late.ask('ping');
  t.deepEqual(late.unread(), []);
});

test.serial('does not report a gateway that has another connection', async (t) => {
  const world = await startRelay(t);
  const [old] = [await named(world, 'one'), await named(world, 'one')];
  const other = await named(world, 'other');
  old.kill();
  await until('it is gone', () => (world.relay.sizes().gateways === 2 ? true : undefined));
  await other.ask('ping');
  t.deepEqual(other.unread(), []);
});

test.serial('rejects a name that is no name of a node', async (t) => {
  const world = await startRelay(t);
  const client = await world.client();
  for (const name of ['', 'a b', 'x'.repeat(65)])
    t.deepEqual(await client.ask(`node|${name}`), ['NOK', 'this is no name of a node']);
});

// Leaving
// The audio of a call that a gateway leaves to another process.

const setUpLeaving = (audioUntil: AudioUntil) => {
  const clock = createOrderedClock();
  const backgroundTasks = createBackgroundTasks(clock, pino({ level: 'silent' }));
  const moved = Promise.withResolvers<void>();
  const done: string[] = [];
  const leaving = createLeaving({
    dialogMoved(dialogId) {
      done.push(`left ${dialogId}`);
      return moved.promise;
    },
    clock,
    backgroundTasks,
  });
  const leg: SipLeg = {
    state: 'standing',
    transactionId: '',
    dialogId: 'a-dialog',
    sipCallId: 'a-call',
    local: '',
    remote: '',
    target: '',
    nextHop: null,
    channel: null,
    dialog: null,
  };
  const agreed: StandingDialog = {
    type: 'uac',
    localTag: '',
    remoteTag: '',
    localContact: '',
    localSdp: '',
    remoteSdp: '',
    weRefresh: false,
    expiresSec: null,
    takesInfo: false,
    trunkId: '',
  };
  leaving.leave(
    {
      dialog: {},
      trackedLeg: { standing: () => ({ id: 'a-leg', leg, agreed }), left: () => void done.push('leg left') },
      endpoint: {
        async leave(audioEnds) {
          await audioEnds;
          done.push('audio ended');
        },
      },
    },
    { leave: () => void done.push('silent') },
    audioUntil,
  );
  const settle = async (): Promise<void> => {
    for (let turns = 0; turns < 5; turns += 1) await new Promise((resolve) => setImmediate(resolve));
  };
  return { done, moved, leaving, clock, settle };
};

test.serial('ends the audio of a call at once that another gateway holds', async (t) => {
  const { done, settle, clock } = setUpLeaving('now');
  await settle();
  t.deepEqual(done, ['silent', 'leg left', 'audio ended']);
  t.is(clock.pending(), 0);
});

test.serial(
  'sends audio until the relay reports that the next gateway has it, or for twenty seconds',
  async (t) => {
    const taken = setUpLeaving('taken');
    await taken.settle();
    t.deepEqual(taken.done, ['silent', 'leg left', 'left a-dialog']);
    taken.moved.resolve();
    await taken.settle();
    t.deepEqual(taken.done.slice(3), ['audio ended']);
    t.is(taken.clock.pending(), 0);

    const never = setUpLeaving('taken');
    await never.settle();
    never.clock.advance(19_999);
    await never.settle();
    t.is(never.done.length, 3);
    never.clock.advance(1);
    await never.settle();
    t.deepEqual(never.done.slice(3), ['audio ended']);
  },
);

test.serial('sends audio until this process ends if the next process takes over', async (t) => {
  const { done, leaving, settle, clock } = setUpLeaving('exit');
  clock.advance(60_000);
  await settle();
  t.deepEqual(done, ['silent', 'leg left']);
  leaving.close();
  await settle();
  t.deepEqual(done.slice(2), ['audio ended']);
});

// Gateways that have lost their calls

const takenByOther = ['NOK', 'another gateway has this call'];

test.serial('refuses requests of a gateway in a dialog that another gateway has taken over', async (t) => {
  const world = await startRelay(t);
  const former = await named(world, 'former');
  const { call, dialogId } = await answered(world, former);
  const taker = await named(world, 'taker');
  await taker.claims(dialogId);
  for (const method of ['BYE', 'INFO', 'INVITE'])
    t.deepEqual(await former.inDialog(dialogId, method), takenByOther);
  t.deepEqual(call.unread(), []);
  t.is((await taker.inDialog(dialogId, 'BYE'))[0], 'OK');
  await call.receives('BYE');
});

test.serial(
  'does not return a dialog to its former gateway, which connects again and queries it',
  async (t) => {
    const world = await startRelay(t);
    const former = await named(world, 'former');
    const { call, dialogId } = await answered(world, former);
    const taker = await named(world, 'taker');
    await taker.claims(dialogId);
    former.kill();
    t.is(await taker.lostNode(), 'former');
    const returned = await named(world, 'former');
    t.deepEqual(await returned.asksForDialog(dialogId), takenByOther);
    call.sends('INFO');
    const { transactionId } = await taker.told('INFO');
    await taker.answer(transactionId, '200 OK');
    await call.receives(200);
    t.deepEqual(returned.unread(), []);
  },
);

test.serial('delivers requests of a dialog to the gateway that claimed it last', async (t) => {
  const world = await startRelay(t);
  const gateways = [await named(world, 'one'), await named(world, 'two')];
  const [one, two] = gateways;
  if (one === undefined || two === undefined) throw new Error('There are two');
  const { call, dialogId } = await answered(world, one);
  for (const taker of [two, one]) {
    t.deepEqual(await taker.claims(dialogId), ['OK']);
    t.is(await (taker === one ? two : one).lostDialog(), dialogId);
    call.sends('INFO');
    const { transactionId } = await taker.told('INFO');
    await taker.answer(transactionId, '200 OK');
    await call.receives(200);
  }
  t.deepEqual(await two.claims(''), ['NOK', 'dialog is missing']);
});

for (const media of ['direct', 'freeswitch'] as const)
  test.serial(
    `${media}: a gateway that connects again releases calls that another one has taken over`,
    async (t) => {
      const world = await startWorld(t, media);
      const call = await world.dialled();
      world.interrupt();
      const line = world.adopt(await world.next());
      await comesOver(t, line, call, media);
      await until('the former gateway is back', () => {
        world.doomed.clock.advance(controlProbe.comeBackMs / 20);
        return world.released.length > 0 || undefined;
      });
      t.deepEqual(world.released, [call.line.callId]);
      t.deepEqual(call.line.story().slice(-1), ['line.answered']);
      line.tell({ type: 'hangUp' });
      await call.far.receives('BYE');
      call.far.answers(200);
      await saw(line, 'line.ended');
      t.is(call.far.ladder().filter((message) => message === '← BYE').length, 1);
    },
  );

for (const media of ['direct', 'freeswitch'] as const)
  test.serial(
    `${media}: a connected gateway releases a call as soon as another one has taken it over`,
    async (t) => {
      const world = await startWorld(t, media);
      const call = await world.dialled();
      const line = world.adopt(await world.next());
      await comesOver(t, line, call, media);
      await until('it is released', () => world.released.length > 0 || undefined);
      t.deepEqual(world.released, [call.line.callId]);
      t.deepEqual(call.line.story().slice(-1), ['line.answered']);
      t.false(line.isOver());
      t.false(call.far.ladder().includes('← BYE'));
    },
  );

test.serial('does not end the channel of a call that another gateway has taken over', async (t) => {
  const world = await startWorld(t, 'freeswitch');
  const call = await world.dialled();
  const [freeSwitch] = world.doomed.freeSwitches;
  const [channel] = freeSwitch?.channels() ?? [];
  if (channel === undefined) throw new Error('The call has no channel');
  await world.die();
  const line = world.adopt(await world.next());
  await saw(line, 'line.adopted');
  await channel.untilConnected();
  const commands: string[] = [];
  const runApi = channel.runApi.bind(channel);
  channel.runApi = (command) => {
    commands.push(command.replace(channel.uuid, 'channel'));
    return runApi(command);
  };
  // The former gateway lives without its connection, by which it cannot end the channel.
  world.doomed.clock.advance(controlProbe.comeBackMs);
  await saw(call.line, 'line.failed');
  call.line.tell({ type: 'hangUp' });
  const found = await until('it decides', () =>
    commands.find((command) => /^uuid_(?:kill channel|getvar channel sip_h_X-Gateway)$/.test(command)),
  );
  t.is(found, 'uuid_getvar channel sip_h_X-Gateway');
  for (let turns = 0; turns < 50; turns += 1) await new Promise((resolve) => setImmediate(resolve));
  t.false(commands.includes('uuid_kill channel'));
  t.deepEqual(freeSwitch?.channels(), [channel]);
  t.false(line.isOver());
});

test.serial('refuses a response of a gateway to a request that another gateway has received', async (t) => {
  const world = await startRelay(t);
  const former = await named(world, 'former');
  const { call, dialogId } = await answered(world, former);
  call.sends('INFO');
  const { transactionId } = await former.told('INFO');
  const taker = await named(world, 'taker');
  await taker.claims(dialogId);
  await taker.told('INFO');
  t.deepEqual(await former.answer(transactionId, '481 Call Leg/Transaction Does Not Exist'), takenByOther);
  await taker.answer(transactionId, '200 OK');
  await call.receives(200);
});

test.serial('closes the connection of a gateway that was declared dead', async (t) => {
  const world = await startRelay(t);
  const frozen = await named(world, 'frozen');
  const { call, dialogId } = await answered(world, frozen);
  const taker = await named(world, 'taker');
  t.is((await taker.ask('node_dead|frozen'))[0], 'OK');
  call.sends('INFO');
  await until('it is held', () => (world.relay.sizes().held === 1 ? true : undefined));
  await frozen.closed;
  t.is(await taker.lostNode(), 'frozen');
  await taker.claims(dialogId);
  await taker.told('INFO');
  t.is((await (await named(world, 'frozen')).ask('ping'))[0], 'OK', 'it may connect again');
});

test.serial('sends no BYE outside of a dialog that another gateway has taken over', async (t) => {
  const world = await startRelay(t);
  const former = await named(world, 'former');
  const { call, dialogId } = await answered(world, former);
  const taker = await named(world, 'taker');
  await taker.claims(dialogId);
  const leg: SipLeg = {
    state: 'standing',
    transactionId: '',
    dialogId,
    sipCallId: 'some-call',
    local: '<sip:gateway@127.0.0.1>;tag=one',
    remote: '<sip:far@127.0.0.1>;tag=far',
    target: 'sip:far@127.0.0.1',
    nextHop: null,
    channel: null,
    dialog: null,
  };
  const sent: string[] = [];
  const end = await endLeg(leg, {
    async send({ dialogId: sentIn = '', sip }) {
      sent.push(sip);
      const [verdict, reason] = await former.ask(`sip||${sentIn}\r\n${sip}`);
      if (verdict !== 'OK') throw new Error(`drachtio-server says no: ${reason}`);
    },
    clock: world.clock,
  });
  t.is(end, 'gone');
  t.is(sent.length, 1);
  t.deepEqual(call.unread(), []);
});

test.serial('accepts requests of a gateway whose earlier connection still exists', async (t) => {
  const world = await startRelay(t);
  const { call, dialogId } = await answered(world, await named(world, 'one'));
  const again = await named(world, 'one');
  t.is((await again.inDialog(dialogId, 'BYE'))[0], 'OK');
  await call.receives('BYE');
});

// Dialogs that a gateway has left

test.serial('reports the move of a left dialog when its next gateway has invited the far end', async (t) => {
  const world = await startRelay(t);
  const former = await named(world, 'former');
  const { call, dialogId } = await answered(world, former);
  t.deepEqual(await former.ask(`dialog_left|${dialogId}`), ['OK']);
  const taker = await named(world, 'taker');
  await taker.claims(dialogId);
  await taker.inDialog(dialogId, 'INVITE');
  await call.receives('INVITE');
  call.answers(180);
  await taker.told('SIP/2.0 180');
  await former.ask('ping');
  t.deepEqual(former.unread(), [], 'the far end has not accepted it yet');
  call.answers(200, { sdp });
  t.is(await former.movedDialog(), dialogId);
  t.is(world.relay.sizes().leftDialogs, 0);
});

test.serial('reports the move of a left dialog when its next gateway has answered an INVITE', async (t) => {
  const world = await startRelay(t);
  const former = await named(world, 'former');
  const { call, dialogId } = await answered(world, former);
  await former.ask(`dialog_left|${dialogId}`);
  call.sends('INVITE', { sdp });
  await former.told('INVITE');
  const taker = await named(world, 'taker');
  await taker.claims(dialogId);
  const { transactionId } = await taker.told('INVITE');
  await taker.answer(transactionId, '200 OK', sdp);
  t.is(await former.movedDialog(), dialogId);
});

test.serial('reports a left dialog that has ended', async (t) => {
  const world = await startRelay(t);
  const former = await named(world, 'former');
  const { call, dialogId } = await answered(world, former);
  await former.ask(`dialog_left|${dialogId}`);
  const taker = await named(world, 'taker');
  await taker.claims(dialogId);
  await taker.inDialog(dialogId, 'BYE');
  await call.receives('BYE');
  call.answers(200);
  t.is(await former.movedDialog(), dialogId);
});

test.serial('reports no dialog to a gateway that did not own it, or has disconnected', async (t) => {
  const world = await startRelay(t);
  const former = await named(world, 'former');
  const { dialogId } = await answered(world, former);
  const other = await named(world, 'other');
  t.deepEqual(await other.ask(`dialog_left|${dialogId}`), takenByOther);
  await former.ask(`dialog_left|${dialogId}`);
  t.is(world.relay.sizes().leftDialogs, 1);
  former.kill();
  await until('it is gone', () => (world.relay.sizes().leftDialogs === 0 ? true : undefined));
});
