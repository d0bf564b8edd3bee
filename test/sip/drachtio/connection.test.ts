/** The connection to drachtio-server: heartbeat, loss and reconnection. */
import { once } from 'node:events';
import { createServer, type Socket } from 'node:net';
import { setImmediate as turn } from 'node:timers/promises';
import test, { type ExecutionContext } from 'ava';
import pino from 'pino';
import { controlProbe } from '#config/policy.ts';
import { createFreezeFence, openFence, type Fence, type FreezeFence } from '#src/domain/fence.ts';
import { ServerRefusal, startHeartbeat } from '#sip/heartbeat.ts';
import { createLostSignalling, type StandingLine } from '#sip/drachtio/resume/lost-connection.ts';
import type { DialogState } from '#sip/drachtio/resume/revive.ts';
import { keepConnected } from '#sip/reconnect.ts';
import {
  createSignallingConnection,
  type RelayedNodes,
  type SignallingConnection,
} from '#sip/drachtio/connection/connection.ts';
import { controlAgentOf } from '#sip/drachtio/connection/guard.ts';
import { createOrderedClock, type OrderedClock } from '#test/contract/ordered-clock.ts';
import type { WatchedLine } from '#test/contract/watched-line.ts';
import { keepLegs } from '#test/doubles/kept-legs.ts';
import type { FarCall } from '#test/doubles/far-end.ts';
import { describeSound } from '#test/doubles/session-description.ts';
import {
  ownNumber,
  type SipEdge,
  startSipEdge,
  startSipEdgeOn,
  trunkAddress,
} from '#test/doubles/sip-edge.ts';
import { mustHave, requestUriOf, tagOf } from '#test/doubles/sip-parser.ts';
import { createTurnedClock } from '#test/doubles/turned-clock.ts';
import { until } from '#test/helpers/until.ts';

// Connection guard
// The connection to drachtio-server, tested against a server that speaks its protocol and imitates its failures.

type Message = { id: string; text: string };

/** Answers `OK` to every command while `answers` is true. */
const startDrachtio = async (t: ExecutionContext) => {
  const received: Message[] = [];
  const sockets: Socket[] = [];
  const state = { answers: (_message: Message): boolean => true, connections: 0 };
  /** How each connection ended: the code of its error, or `closed`. */
  const ends: string[] = [];
  const write = (socket: Socket, text: string): void =>
    void socket.write(`${Buffer.byteLength(text)}#${text}`);
  const server = createServer((socket) => {
    sockets.push(socket);
    state.connections += 1;
    let buffer = Buffer.alloc(0);
    let end = 'closed';
    socket.on('error', (error: NodeJS.ErrnoException) => (end = error.code ?? error.message));
    socket.on('close', () => void ends.push(end));
    socket.on('data', (data) => {
      buffer = Buffer.concat([buffer, data]);
      for (let end = buffer.indexOf('#'); end > 0; end = buffer.indexOf('#')) {
        const length = Number(buffer.subarray(0, end));
        if (buffer.length < end + 1 + length) return;
        const text = buffer.subarray(end + 1, end + 1 + length).toString();
        buffer = buffer.subarray(end + 1 + length);
        const message = { id: text.split('|')[0] ?? '', text };
        received.push(message);
        if (state.answers(message)) answer(message, 'OK', socket);
      }
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.teardown(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('No port');
  const answer = ({ id }: Message, verdict: string, socket = sockets.at(-1)): void => {
    if (socket !== undefined)
      write(socket, `${crypto.randomUUID()}|response|${id}|${verdict}|127.0.0.1|v0.9.10`);
  };
  const bytes = (text: string): void => void sockets.at(-1)?.write(text);
  return {
    port: address.port,
    received,
    ends,
    state,
    answer,
    bytes,
    /** Closes the latest connection in order. */
    close: (): void => void sockets.at(-1)?.end(),
    write: (text: string) => bytes(`${Buffer.byteLength(text)}#${text}`),
  };
};

/** Probe intervals that are longer than any test advances its clock. */
const noProbe = { everyMs: 3_600_000, answerMs: 3_600_000 };

type Options = { isIgnored?: () => boolean; probe?: typeof noProbe; fence?: Fence; relay?: RelayedNodes };

const connectTo = async (
  t: ExecutionContext,
  port: number,
  { isIgnored = () => false, probe = noProbe, fence = openFence, relay }: Options = {},
) => {
  const logged: string[] = [];
  const taken: string[] = [];
  let losses = 0;
  const clock = createTurnedClock();
  const signalling = createSignallingConnection({
    server: { host: '127.0.0.1', port, secret: 'x' },
    probe,
    overhear() {},
    fence,
    relay,
    clock,
    logger: pino({ level: 'debug' }, { write: (line: string) => void logged.push(line) }),
  });
  t.teardown(() => signalling.close());
  await signalling.open({
    onInvite: (request) => {
      if (request.uri.includes('throw')) throw new Error('a mistake of ours');
      taken.push(request.uri);
    },
    onOptions: () => {},
    onOther: () => {},
    isIgnored,
    onConnected: () => {},
    onLost: () => (losses += 1),
    onDialogLost: () => {},
  });
  return { signalling, clock, logged, taken, losses: () => losses };
};

const untilBack = (signalling: SignallingConnection, clock: OrderedClock): Promise<true> =>
  until('it is back', () => {
    if (signalling.problem() === null) return true;
    clock.advance(250);
    return undefined;
  });

const sip = (length: number): string => `BYE sip:x SIP/2.0\r\nX: ${'x'.repeat(length)}\r\n\r\n`;
const isSip = ({ text }: Message): boolean => text.includes('|sip|');

test.serial('gives its name to the relay and receives reports of lost gateways', async (t) => {
  const relay = await startDrachtio(t);
  const lost: string[] = [];
  const { logged, signalling } = await connectTo(t, relay.port, {
    relay: { node: 'one', onNodeLost: (node) => void lost.push(node) },
  });
  await until('it has given its name', () =>
    relay.received.some(({ text }) => text.endsWith('|node|one')) ? true : undefined,
  );
  relay.write(`${crypto.randomUUID()}|node_lost|two`);
  await until('the report has arrived', () => (lost.length > 0 ? true : undefined));
  t.deepEqual(lost, ['two']);
  t.is(signalling.problem(), null);
  t.false(logged.some((line) => line.includes('could not be taken')));
});

test.serial('reports a dialog that it has left as moved when the relay does', async (t) => {
  const relay = await startDrachtio(t);
  const { signalling } = await connectTo(t, relay.port, {
    relay: { node: 'one', onNodeLost: () => t.fail() },
  });
  const dialogId = 'call;from-tag=a';
  let isMoved = false;
  const moved = signalling.dialogMoved(dialogId).then(() => (isMoved = true));
  await until('it is left', () =>
    relay.received.find(({ text }) => text.endsWith(`|dialog_left|${dialogId}`)),
  );
  relay.write(`${crypto.randomUUID()}|dialog_moved|another`);
  await signalling.takeNoMore();
  t.false(isMoved);
  relay.write(`${crypto.randomUUID()}|dialog_moved|${dialogId}`);
  await moved;
});

test.serial(
  'reports a dialog that it has left as moved without a relay that knows the command',
  async (t) => {
    const server = await startDrachtio(t);
    const without = await connectTo(t, server.port);
    await without.signalling.dialogMoved('one');
    server.state.answers = ({ text }) => !text.endsWith('|dialog_left|two');
    const relay = { node: 'one', onNodeLost: () => t.fail() };
    const { signalling } = await connectTo(t, server.port, { relay });
    const moved = signalling.dialogMoved('two');
    const left = await until('it is left', () =>
      server.received.find(({ text }) => text.endsWith('|dialog_left|two')),
    );
    server.answer(left, 'NOK');
    await moved;
    const third = signalling.dialogMoved('three');
    signalling.close();
    await third;
    t.pass();
  },
);

test.serial('gives no name to drachtio-server', async (t) => {
  const drachtio = await startDrachtio(t);
  const { signalling } = await connectTo(t, drachtio.port);
  await signalling.takeNoMore();
  t.false(drachtio.received.some(({ text }) => text.includes('|node|')));
});

test.serial('replaces a connection that no longer accepts data, and is not ready meanwhile', async (t) => {
  const drachtio = await startDrachtio(t);
  const { signalling, clock, losses } = await connectTo(t, drachtio.port, {
    probe: { everyMs: 1_000, answerMs: 60_000 },
  });
  const pings = (): number => drachtio.received.filter(({ text }) => text.endsWith('|ping')).length;
  t.is(signalling.problem(), null);
  for (let times = 1; times <= 5; times += 1)
    await until('it is asked', () => {
      if (pings() >= times) return true;
      clock.advance(1_000);
      return undefined;
    });
  t.is(drachtio.state.connections, 1, 'while it answers it stands');
  drachtio.state.answers = () => false;
  await until('it is lost', () => {
    if (losses() === 1) return true;
    clock.advance(10_000);
    return undefined;
  });
  t.regex(signalling.problem() ?? '', /drachtio-server at .* it was lost/);
  drachtio.state.answers = () => true;
  await untilBack(signalling, clock);
  t.true(drachtio.state.connections >= 2);
});

/** A fence of a process that has been frozen. */
const frozen = (): FreezeFence => {
  let now = 0;
  const fence = createFreezeFence({ now: () => now }, 5_000, () => {});
  return {
    ...fence,
    tick() {
      now += 60_000;
    },
  };
};

test.serial('after a freeze, sends no message until the owners of the calls are known', async (t) => {
  const drachtio = await startDrachtio(t);
  const fence = frozen();
  const { signalling, taken } = await connectTo(t, drachtio.port, { fence });
  fence.tick();
  const sent = signalling.send({ sip: sip(1) });
  drachtio.write(invite('sip:meanwhile@d'));
  // The client has sent everything it can before it reads another message.
  await until('the client takes a message', async () => taken.length > 0 || undefined);
  t.deepEqual(drachtio.received.filter(isSip), []);
  t.is(fence.ask().decide(true), 'decided');
  await sent;
  t.is(drachtio.received.filter(isSip).length, 1);
});

test.serial(
  'never sends messages that were queued during a freeze in which the calls were taken over',
  async (t) => {
    const drachtio = await startDrachtio(t);
    const fence = frozen();
    const { signalling, clock, losses } = await connectTo(t, drachtio.port, { fence });
    fence.tick();
    const waiting = signalling.send({ sip: sip(1) });
    fence.ask().decide(false);
    await until('the connection is replaced', () => losses() === 1 || undefined);
    await untilBack(signalling, clock);
    await signalling.send({ sip: sip(10) });
    t.deepEqual(
      drachtio.received.filter(isSip).map(({ text }) => text.includes('xxxxxxxxxx')),
      [true],
    );
    const late = t.throwsAsync(waiting, { message: /An answer of drachtio-server/ });
    clock.advance(3_000);
    await late;
  },
);

// A connection that is closed in order would still deliver what was written to it.
test.serial('resets the connection after a freeze in which the calls were taken over', async (t) => {
  const drachtio = await startDrachtio(t);
  const fence = frozen();
  const { signalling } = await connectTo(t, drachtio.port, { fence });
  // Every answer is read by then: closing a connection with unread ones would reset it, too.
  await signalling.send({ sip: sip(1) });
  fence.tick();
  fence.ask().decide(false);
  await until('the connection has ended', () => drachtio.ends.length > 0 || undefined);
  t.is(drachtio.ends[0], 'ECONNRESET');
});

/** Calls back after this many turns of the queue of `process.nextTick`, all of which precede the next event. */
const afterTicks = (ticks: number, callback: () => void): void => {
  if (ticks === 0) callback();
  else process.nextTick(() => afterTicks(ticks - 1, callback));
};

// The socket shuts down within a few ticks after the end; during one of them it cannot be reset.
test.serial('connects again when the server closes the connection while the calls are lost', async (t) => {
  const drachtio = await startDrachtio(t);
  for (let ticks = 0; ticks <= 8; ticks += 1) {
    const fence = frozen();
    const { signalling, clock, losses } = await connectTo(t, drachtio.port, { fence });
    const [socket] = controlAgentOf(signalling.srf).mapServer.keys();
    fence.tick();
    socket?.once('end', () => afterTicks(ticks, () => fence.ask().decide(false)));
    drachtio.close();
    await until('the loss is reported', () => losses() === 1 || undefined);
    await untilBack(signalling, clock);
    await t.notThrowsAsync(signalling.send({ sip: sip(1) }));
    signalling.close();
  }
});

test.serial('rejects a message that is too long and reports it to the sender', async (t) => {
  const drachtio = await startDrachtio(t);
  const { signalling } = await connectTo(t, drachtio.port);
  await t.throwsAsync(signalling.send({ sip: sip(13_000) }), { message: /too long/ });
  t.deepEqual(drachtio.received.filter(isSip), []);
  await t.notThrowsAsync(signalling.send({ sip: sip(11_000) }));
});

test.serial('queues messages behind a long one until it gets its response', async (t) => {
  const drachtio = await startDrachtio(t);
  const { signalling, taken } = await connectTo(t, drachtio.port);
  drachtio.state.answers = (message) => !isSip(message) || message.text.length < 4_000;
  const long = signalling.send({ sip: sip(6_000) });
  const next = signalling.send({ sip: sip(10) });
  await until('the first is there', async () => drachtio.received.some(isSip) || undefined);
  // The client has sent all it can before it reads another message.
  drachtio.write(invite('sip:meanwhile@d'));
  await until('the client takes a message', async () => taken.length > 0 || undefined);
  t.is(drachtio.received.filter(isSip).length, 1);
  const [first] = drachtio.received.filter(isSip);
  if (first !== undefined) drachtio.answer(first, 'OK');
  await t.notThrowsAsync(Promise.all([long, next]));
  t.is(drachtio.received.filter(isSip).length, 2);
});

test.serial('converts a rejection by drachtio-server into an error with its reason', async (t) => {
  const drachtio = await startDrachtio(t);
  const { signalling } = await connectTo(t, drachtio.port);
  drachtio.state.answers = (message) => {
    if (isSip(message)) drachtio.answer(message, 'NOK');
    return !isSip(message);
  };
  await t.throwsAsync(signalling.send({ sip: sip(1) }), { message: /says no/ });
});

const invite = (uri: string, contact = '<sip:a@b>'): string =>
  [
    `${crypto.randomUUID()}|sip|network|500|udp|127.0.0.1|5060|now|transaction-${uri}||`,
    `INVITE ${uri} SIP/2.0`,
    'Via: SIP/2.0/UDP b;branch=z9hG4bK1',
    'From: <sip:a@b>;tag=1',
    'To: <sip:c@d>',
    `Call-ID: ${uri}`,
    'CSeq: 1 INVITE',
    `Contact: ${contact}`,
    'Content-Length: 0',
    '',
    '',
  ].join('\r\n');

test.serial('survives a malformed message and reads the next one', async (t) => {
  const drachtio = await startDrachtio(t);
  const { taken, logged, losses } = await connectTo(t, drachtio.port);
  for (const text of [
    'a malformed message',
    'a|unknown|b',
    'a|sip|network',
    'a|response|nobody',
    `x|sip|${'|'.repeat(20)}\r\n`,
  ])
    drachtio.write(text);
  drachtio.write(invite('sip:throw@d'));
  drachtio.write(invite('sip:next@d'));
  await until('the next is taken', async () => taken.includes('sip:next@d') || undefined);
  t.true(logged.some((line) => line.includes('could not be processed')));
  t.is(losses(), 0);
});

test.serial('closes the connection on invalid bytes without ending the process', async (t) => {
  const drachtio = await startDrachtio(t);
  const { signalling, clock, losses } = await connectTo(t, drachtio.port);
  drachtio.bytes('x#y');
  await until('it is lost', async () => losses() === 1 || undefined);
  await untilBack(signalling, clock);
  t.pass();
});

test.serial('sends no response to an ignored request', async (t) => {
  const drachtio = await startDrachtio(t);
  let requests = 0;
  const { taken } = await connectTo(t, drachtio.port, { isIgnored: () => (requests += 1) === 1 });
  drachtio.write(invite('sip:ignored@d'));
  drachtio.write(invite('sip:taken@d'));
  await until('the one behind it is taken', async () => taken.length > 0 || undefined);
  t.deepEqual(taken, ['sip:taken@d']);
  t.deepEqual(drachtio.received.filter(isSip), []);
});

// Lost connection
// A drachtio-server that disconnects, hangs or returns, and legs without a gateway.

const sdp = describeSound();

type Call = { line: WatchedLine; farCall: FarCall };

const ringing = async (edge: SipEdge): Promise<Call> => {
  const line = edge.call();
  const farCall = await edge.trunk.receives('INVITE');
  farCall.answers(180);
  await edge.said([line], 'line.ringing');
  return { line, farCall };
};

const dialled = async (edge: SipEdge): Promise<Call> => {
  const line = edge.call();
  const farCall = await edge.trunk.receives('INVITE');
  farCall.answers(200, { sdp });
  await farCall.receives('ACK');
  await edge.said([line], 'line.answered');
  return { line, farCall };
};

const taken = async (edge: SipEdge): Promise<Call> => {
  const farCall = edge.trunk.calls(ownNumber, { sdp });
  await farCall.receives(200);
  farCall.sends('ACK');
  await edge.said(edge.inbound, 'line.answered');
  const line = edge.inbound.at(-1);
  if (line === undefined) throw new Error('No line was opened');
  return { line, farCall };
};

/** The loss is detected and the next attempt succeeds. */
const comesBack = async ({ lines, clock }: SipEdge): Promise<void> => {
  await until('it is lost', () => !lines.health().ready || undefined);
  clock.advance(250);
  await until('it is back', () => lines.health().ready || undefined);
};

/** Advances the clock until the connection is restored. */
const untilReady = ({ lines, clock }: SipEdge): Promise<true> =>
  until('the lines are ready', () => {
    if (lines.health().ready) return true;
    clock.advance(250);
    return undefined;
  });

test.serial(
  'ends calls, rejects new ones and reports the failure while drachtio-server stays unreachable',
  async (t) => {
    const edge = await startSipEdge(t);
    const [one, other] = [await dialled(edge), await ringing(edge)];
    await edge.drachtio.kill();
    await edge.said([other.line], 'line.unanswered');
    edge.clock.advance(controlProbe.comeBackMs - 1);
    t.false(one.line.saw('line.failed'));
    edge.clock.advance(1);
    await edge.said([one.line], 'line.failed');
    t.like(other.line.all('line.unanswered')[0], { cause: 'trunk_error', sip: { status: 180 } });
    const health = edge.lines.health();
    t.regex(health.ready ? '' : health.detail, /drachtio-server at 127\.0\.0\.1:\d+: it was lost/);
    const line = edge.call();
    await edge.said([line], 'line.unanswered');
    t.like(line.all('line.unanswered')[0], { cause: 'trunk_error', sip: { status: null } });

    await edge.drachtio.restart();
    await untilReady(edge);
    await dialled(edge);
  },
);

test.serial('continues calls after reconnection that drachtio-server still knows', async (t) => {
  const edge = await startSipEdge(t, { trunk: { address: trunkAddress, media: 'direct' } });
  const [one, other] = [await dialled(edge), await taken(edge)];
  edge.drachtio.cutConnections();
  await comesBack(edge);
  // The far end's requests do not reach the gateway, which detects the hangup otherwise.
  one.farCall.sends('BYE');
  await one.farCall.receives(481);
  await until('it is found out', () => {
    edge.clock.advance(5_000);
    return one.line.saw('line.ended') || undefined;
  });
  t.like(one.line.all('line.ended')[0], { by: 'counterparty' });
  other.line.tell({ type: 'hangUp' });
  await other.farCall.receives('BYE');
  other.farCall.answers(200);
  await edge.said([other.line], 'line.ended');
  for (const { line } of [one, other]) t.false(line.saw('line.failed'));
  t.false(one.farCall.ladder().includes('← BYE'));
});

test.serial('ends a call after reconnection that ended while drachtio-server was unreachable', async (t) => {
  const edge = await startSipEdge(t, { trunk: { address: trunkAddress, media: 'direct' } });
  const { line, farCall } = await dialled(edge);
  edge.drachtio.cutConnections();
  await until('it is lost', () => !edge.lines.health().ready || undefined);
  line.tell({ type: 'hangUp' });
  await edge.said([line], 'line.ended');
  await untilReady(edge);
  await t.notThrowsAsync(farCall.receives('BYE'));
});

test.serial(
  'sends BYE after reconnection for calls that were ended while drachtio-server was unreachable',
  async (t) => {
    const edge = await startSipEdge(t);
    const calls = [await dialled(edge), await taken(edge)];
    edge.drachtio.cutConnections();
    await until('it is lost', () => !edge.lines.health().ready || undefined);
    edge.drachtio.freeze();
    edge.clock.advance(controlProbe.comeBackMs);
    for (const { line } of calls) await edge.said([line], 'line.failed');
    edge.drachtio.goOn();
    await untilReady(edge);
    for (const { farCall } of calls) {
      await farCall.receives('BYE');
      farCall.answers(200);
    }
    t.deepEqual(
      calls.map(({ farCall }) => farCall.ladder().filter((message) => message === '← BYE').length),
      [1, 1],
    );
  },
);

test.serial('ends legs that a new drachtio-server does not know, by their stored dialogs', async (t) => {
  const edge = await startSipEdge(t);
  const { line, farCall } = await dialled(edge);
  const invite = farCall.last('INVITE');
  await edge.drachtio.kill();
  await edge.drachtio.restart();
  await comesBack(edge);
  await edge.said([line], 'line.failed');
  const bye = await farCall.receives('BYE');
  t.is(requestUriOf(bye), `sip:far@${edge.trunk.address}`);
  t.is(mustHave(bye, 'From'), mustHave(invite, 'From'));
  t.is(tagOf(mustHave(bye, 'To')), tagOf(farCall.own()));
  t.true(parseInt(mustHave(bye, 'CSeq'), 10) > parseInt(mustHave(invite, 'CSeq'), 10));
});

test.serial('claims the channels of both legs after reconnection', (t) => {
  const asked: string[] = [];
  const line: StandingLine = {
    dialogId: () => 'call',
    secondDialogId: () => 'person',
    channelDialogIds: () => ['channel of the call', 'channel of the person'],
    loseSecond() {},
    lose() {},
    endSilently() {},
    endSecondSilently() {},
    taken() {},
  };
  const calls = createLostSignalling({
    lines: () => [line],
    async queryDialog(dialogId) {
      asked.push(dialogId);
      return 'established';
    },
    comeBackMs: 1_000,
    offer: async () => {},
    clock: createTurnedClock(),
    logger: pino({ level: 'silent' }),
  });
  calls.lost();
  calls.connected();
  calls.close();
  t.deepEqual(asked, ['channel of the call', 'channel of the person', 'call', 'person']);
});

/** Calls of a lost connection. `events` contains what happens to them. */
const cutOffCalls = (names: readonly string[]) => {
  const events: string[] = [];
  const clock = createTurnedClock();
  const offered = Promise.withResolvers<void>();
  const lines = new Set(
    names.map((name): StandingLine & { name: string } => ({
      name,
      dialogId: () => name,
      secondDialogId: () => null,
      channelDialogIds: () => [],
      loseSecond() {},
      lose: () => void events.push(`${name} lost`),
      endSilently() {},
      endSecondSilently() {},
      taken() {},
    })),
  );
  let isLost = (): boolean => true;
  const calls = createLostSignalling({
    lines: () => lines,
    queryDialog: async () => 'established',
    comeBackMs: 1_000,
    async offer(cutOff, isLostNow) {
      events.push(`offered ${cutOff.map(({ name }) => name).join(', ')}`);
      isLost = isLostNow;
      await offered.promise;
    },
    clock,
    logger: pino({ level: 'silent' }),
  });
  const settle = async (): Promise<void> => {
    for (let turns = 0; turns < 5; turns += 1) await new Promise((resolve) => setImmediate(resolve));
  };
  return { calls, lines, events, clock, offered, isLost: () => isLost(), settle };
};

/** A call of a lost connection. `events` contains its queries and its end; `answers` are the results of the queries. */
const queriedCall = (answers: readonly (DialogState | 'no response')[]) => {
  const events: string[] = [];
  const clock = createTurnedClock();
  const line: StandingLine = {
    dialogId: () => 'call',
    secondDialogId: () => null,
    channelDialogIds: () => [],
    loseSecond() {},
    lose: () => void events.push('lost'),
    endSilently: () => void events.push('ended silently'),
    endSecondSilently() {},
    taken() {},
  };
  const left = [...answers];
  const calls = createLostSignalling({
    lines: () => [line],
    async queryDialog() {
      const answer = left.shift() ?? 'established';
      events.push(answer);
      if (answer === 'no response') throw new Error('no response');
      return answer;
    },
    comeBackMs: 1_000,
    offer: async () => {},
    clock,
    logger: pino({ level: 'silent' }),
  });
  return { calls, line, events, clock, settle: () => new Promise((resolve) => setImmediate(resolve)) };
};

const unknownDialogs: readonly [string, (DialogState | 'no response')[], string][] = [
  [
    'hangs up a call that drachtio-server does not know at the second query',
    ['no response', 'unknown'],
    'lost',
  ],
  ['treats a dialog that drachtio-server has known as hung up', ['established', 'unknown'], 'ended silently'],
  [
    'treats a dialog that drachtio-server has known as hung up after a query without a response',
    ['established', 'no response', 'unknown'],
    'ended silently',
  ],
];
for (const [title, answers, end] of unknownDialogs)
  test.serial(title, async (t) => {
    const { calls, events, clock, settle } = queriedCall(answers);
    calls.lost();
    calls.connected();
    await settle();
    for (const _ of answers.slice(1)) {
      clock.advance(5_000);
      await settle();
    }
    t.deepEqual(events, [...answers, end]);
    calls.close();
  });

test.serial('hangs up a call that was known over an earlier connection only', async (t) => {
  const { calls, events, clock, settle } = queriedCall(['established', 'no response', 'unknown']);
  calls.lost();
  calls.connected();
  await settle();
  calls.lost();
  calls.connected();
  await settle();
  clock.advance(5_000);
  await settle();
  t.deepEqual(events, ['established', 'no response', 'unknown', 'lost']);
  calls.close();
});

test.serial('treats the unknown dialog of a call that was taken over as hung up', async (t) => {
  const { calls, line, events, clock, settle } = queriedCall(['unknown']);
  calls.adopted(line);
  clock.advance(5_000);
  await settle();
  t.deepEqual(events, ['unknown', 'ended silently']);
  calls.close();
});

test.serial(
  'offers calls of a connection that does not return to other gateways, then ends the rest',
  async (t) => {
    const { calls, lines, events, clock, offered, isLost, settle } = cutOffCalls(['one', 'two']);
    calls.lost();
    clock.advance(999);
    t.deepEqual(events, []);
    clock.advance(1);
    await settle();
    t.deepEqual(events, ['offered one, two']);
    t.true(isLost());
    for (const line of lines) if (line.name === 'one') lines.delete(line);
    offered.resolve();
    await settle();
    t.deepEqual(events.slice(1), ['two lost']);
    calls.close();
  },
);

test.serial('ends calls of a connection that does not return if they cannot be offered', async (t) => {
  const { calls, events, clock, offered, settle } = cutOffCalls(['one']);
  calls.lost();
  offered.reject(new Error('the database is unavailable'));
  clock.advance(1_000);
  await settle();
  t.deepEqual(events, ['offered one', 'one lost']);
  calls.close();
});

test.serial('keeps calls whose connection returns while they are offered', async (t) => {
  const { calls, events, clock, offered, isLost, settle } = cutOffCalls(['one']);
  calls.lost();
  clock.advance(1_000);
  calls.connected();
  t.false(isLost());
  offered.resolve();
  await settle();
  clock.advance(60_000);
  await settle();
  t.deepEqual(events, ['offered one']);
  calls.close();
});

test.serial('cancels a ringing telephone after a lost connection', async (t) => {
  const edge = await startSipEdge(t);
  const { line, farCall } = await ringing(edge);
  edge.drachtio.cutConnections();
  await edge.said([line], 'line.unanswered');
  await untilReady(edge);
  await t.notThrowsAsync(farCall.receives('CANCEL'));
});

test.serial('reconnects to a drachtio-server that no longer accepts data', async (t) => {
  const edge = await startSipEdge(t, { controlProbe });
  edge.drachtio.freeze();
  await until('it is found out', () => {
    if (!edge.lines.health().ready) return true;
    edge.clock.advance(controlProbe.everyMs);
    return undefined;
  });
  const health = edge.lines.health();
  t.regex(health.ready ? '' : health.detail, /drachtio-server at .*: it was lost/);
  edge.drachtio.goOn();
  await untilReady(edge);
  await dialled(edge);
});

test.serial('names the rejected drachtio-server secret in the error', async (t) => {
  const edge = await startSipEdge(t, { spoil: ({ drachtio }) => drachtio.changeSecret() });
  const health = edge.lines.health();
  t.regex(health.ready ? '' : health.detail, /it refused the secret \(GW_DRACHTIO_SECRET\)/);
});

test.serial('ends dialogs and ringing calls of a dead gateway from the next gateway', async (t) => {
  const legs = keepLegs();
  const dead = await startSipEdge(t, { storeLegs: legs.store });
  const [one, other, rings] = [await dialled(dead), await taken(dead), await ringing(dead)];
  const orphans = legs.orphans();
  t.deepEqual(orphans.map(({ leg }) => leg.state).toSorted(), ['inviting', 'standing', 'standing']);
  // The clock of the dead gateway stopped: it does not return.
  dead.drachtio.cutConnections();

  const next = await startSipEdgeOn(t, dead, { storeLegs: legs.store, readOrphans: async () => orphans });
  for (const { farCall } of [one, other]) {
    await farCall.receives('BYE');
    farCall.answers(200);
  }
  await rings.farCall.receives('CANCEL');
  rings.farCall.answers(200, { to: 'CANCEL' });
  rings.farCall.answers(487, { to: 'INVITE' });
  await until('nothing is kept of them', () => {
    next.clock.advance(500);
    return legs.kept().length === 0 || undefined;
  });
  await next.freeSwitches[0]?.untilChannels(0);
  t.pass();
});

test.serial('acknowledges and hangs up an answer that a dead gateway did not acknowledge', async (t) => {
  const legs = keepLegs();
  const dead = await startSipEdge(t, { storeLegs: legs.store });
  const { farCall } = await ringing(dead);
  const orphans = legs.orphans();
  dead.drachtio.cutConnections();
  farCall.answers(200, { sdp });
  await startSipEdgeOn(t, dead, { storeLegs: legs.store, readOrphans: async () => orphans });
  await farCall.receives('ACK');
  await t.notThrowsAsync(farCall.receives('BYE'));
});

test.serial('rejects callers from the next gateway who waited for a dead gateway', async (t) => {
  const legs = keepLegs();
  const dead = await startSipEdge(t, { storeLegs: legs.store, opensNothing: true });
  const farCall = dead.trunk.calls(ownNumber, { sdp });
  await dead.until(() => dead.arrivals.length === 1);
  const orphans = legs.orphans();
  dead.drachtio.cutConnections();
  await startSipEdgeOn(t, dead, { storeLegs: legs.store, readOrphans: async () => orphans });
  await t.notThrowsAsync(farCall.receives(480));
});

test.serial('ends the legs of a dead node from a live node', async (t) => {
  const legs = keepLegs();
  const dead = await startSipEdge(t, { storeLegs: legs.store });
  const { farCall } = await dialled(dead);
  const asked: (string | undefined)[] = [];
  const living = await startSipEdgeOn(t, dead, {
    async readOrphans(node) {
      asked.push(node);
      return node === 'dead' ? legs.orphans() : [];
    },
  });
  await living.lines.endLegsOf('dead');
  await farCall.receives('BYE');
  t.deepEqual(asked, [undefined, 'dead']);
  await living.freeSwitches[0]?.untilChannels(0);
});

test.serial('ends the legs of a call that was taken over and cannot continue', async (t) => {
  const legs = keepLegs();
  const dead = await startSipEdge(t, { storeLegs: legs.store });
  const { farCall } = await dialled(dead);
  const orphans = legs.orphans();
  dead.drachtio.cutConnections();
  const living = await startSipEdgeOn(t, dead, { storeLegs: legs.store });
  living.lines.endLegs(orphans);
  await farCall.receives('BYE');
  farCall.answers(200);
  await living.freeSwitches[0]?.untilChannels(0);
  await until('nothing is kept of them', () => {
    living.clock.advance(500);
    return legs.kept().length === 0 || undefined;
  });
  t.pass();
});

// Reconnect

type Attempt = {
  connect: (name: string) => Promise<void>;
  fail: (because: string) => Promise<void>;
  lose: () => void;
};

/** A server whose connections succeed or fail as the test decides. */
const reconnectWorld = () => {
  const clock = createOrderedClock();
  const attempts: Attempt[] = [];
  const story: string[] = [];
  const kept = keepConnected<string>({
    to: 'the server',
    connect(onLost) {
      const { promise, resolve, reject } = Promise.withResolvers<string>();
      attempts.push({
        async connect(name) {
          resolve(name);
          await turn();
        },
        async fail(because) {
          reject(new Error(because));
          await turn();
        },
        lose: onLost,
      });
      return promise;
    },
    disconnect: (name) => story.push(`disconnect ${name}`),
    onConnected: () => story.push('connected'),
    onLost: () => story.push(`lost, with ${kept.current() ?? 'none'} left`),
    clock,
    logger: pino({ level: 'silent' }),
  });
  const last = (): Attempt => {
    const attempt = attempts.at(-1);
    if (attempt === undefined) throw new Error('Nobody has tried to connect');
    return attempt;
  };
  return { clock, kept, story, last, tried: () => attempts.length };
};

test.serial('clears the reported problem once connected', async (t) => {
  const { kept, story, last, clock } = reconnectWorld();
  t.is(kept.problem(), 'Not connected to the server yet.');
  const opening = kept.open();
  await last().connect('first');
  await opening;
  t.is(kept.current(), 'first');
  t.is(kept.problem(), null);
  t.deepEqual(story, ['connected']);
  t.is(clock.pending(), 0);
});

test.serial('retries failed connections with growing delays', async (t) => {
  const { kept, last, clock, tried } = reconnectWorld();
  void kept.open();
  for (const waitMs of [250, 500, 1_000, 2_000, 4_000, 5_000, 5_000]) {
    const before = tried();
    await last().fail('it is away.');
    t.is(kept.problem(), 'No connection to the server: it is away.');
    clock.advance(waitMs - 1);
    t.is(tried(), before);
    clock.advance(1);
    t.is(tried(), before + 1);
  }
});

test.serial('releases and reports a lost connection once, and replaces it soon', async (t) => {
  const { kept, story, last, clock } = reconnectWorld();
  void kept.open();
  await last().fail('it is away.');
  clock.advance(250);
  const first = last();
  await first.connect('first');
  first.lose();
  first.lose();
  t.is(kept.problem(), 'No connection to the server: it was lost.');
  t.deepEqual(story, ['connected', 'disconnect first', 'lost, with none left']);
  clock.advance(250);
  await last().connect('second');
  first.lose();
  t.is(kept.current(), 'second');
});

test.serial('ignores a loss of a connection before it was handed over', async (t) => {
  const { kept, story, last, clock, tried } = reconnectWorld();
  void kept.open();
  last().lose();
  await last().connect('first');
  t.is(kept.current(), null);
  t.deepEqual(story, ['disconnect first']);
  clock.advance(250);
  t.is(tried(), 2);
});

test.serial('releases the connection on close and does not reconnect', async (t) => {
  const { kept, story, last, clock } = reconnectWorld();
  void kept.open();
  await last().connect('first');
  kept.close();
  last().lose();
  t.deepEqual(story, ['connected', 'disconnect first']);
  t.is(kept.current(), null);
  t.is(kept.problem(), 'The connection to the server is closed.');
  t.is(clock.pending(), 0);
});

test.serial('releases a connection established after close', async (t) => {
  const { kept, story, last, clock } = reconnectWorld();
  void kept.open();
  kept.close();
  await last().connect('first');
  t.deepEqual(story, ['disconnect first']);
  t.is(kept.current(), null);
  t.is(clock.pending(), 0);

  const failing = reconnectWorld();
  void failing.kept.open();
  failing.kept.close();
  await failing.last().fail('it is away.');
  t.is(failing.clock.pending(), 0);
});

// Heartbeat

const watching = (outcomes: readonly (Error | null)[]) => {
  const clock = createOrderedClock();
  const world = { asked: 0, silent: 0 };
  const end = startHeartbeat({
    async probe() {
      const outcome = outcomes[world.asked] ?? null;
      world.asked += 1;
      if (outcome !== null) throw outcome;
    },
    everyMs: 5_000,
    clock,
    onSilent: () => (world.silent += 1),
  });
  const pass = async (times: number): Promise<void> => {
    for (let time = 1; time <= times; time += 1) {
      clock.advance(5_000);
      await turn();
    }
  };
  return { clock, world, end, pass };
};

const silence = new Error('it does not answer.');

test.serial('reports two consecutive missing responses once as an unresponsive server', async (t) => {
  const { clock, world, pass } = watching([null, silence, null, silence, silence]);
  await pass(4);
  t.is(world.silent, 0);
  await pass(3);
  t.deepEqual(world, { asked: 5, silent: 1 });
  t.is(clock.pending(), 0);
});

test.serial('treats a server that responds with an error as reachable', async (t) => {
  const no = new ServerRefusal('it refused the secret.');
  const { world, pass } = watching([silence, no, silence, no, silence]);
  await pass(6);
  t.is(world.silent, 0);
});

test.serial('a stopped watch sends no more requests and ignores a pending response', async (t) => {
  const { clock, world, end, pass } = watching([silence, silence]);
  await pass(1);
  clock.advance(5_000);
  end();
  await pass(2);
  t.deepEqual(world, { asked: 2, silent: 0 });
  t.is(clock.pending(), 0);
});
