/** The connection to drachtio-server, against a server that speaks its protocol and can do what it does when it fails. */
import { once } from 'node:events';
import { createServer, type Socket } from 'node:net';
import test, { type ExecutionContext } from 'ava';
import { pino } from 'pino';
import {
  createSignallingConnection,
  type SignallingConnection,
} from '#sip/drachtio/signalling/signalling-connection.ts';
import type { OrderedClock } from '#test/contract/ordered-clock.ts';
import { createTurnedClock } from '#test/doubles/turned-clock.ts';
import { until } from '#test/helpers/until.ts';

type Message = { id: string; text: string };

/** Answers `OK` to everything while `answers` says so. */
const startDrachtio = async (t: ExecutionContext) => {
  const received: Message[] = [];
  const sockets: Socket[] = [];
  const state = { answers: (_message: Message): boolean => true, connections: 0 };
  const write = (socket: Socket, text: string): void =>
    void socket.write(`${Buffer.byteLength(text)}#${text}`);
  const server = createServer((socket) => {
    sockets.push(socket);
    state.connections += 1;
    let buffer = Buffer.alloc(0);
    socket.on('error', () => {});
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
    state,
    answer,
    bytes,
    write: (text: string) => bytes(`${Buffer.byteLength(text)}#${text}`),
  };
};

/** Longer than any test advances its clock. */
const noProbe = { everyMs: 3_600_000, answerMs: 3_600_000 };

type Options = { isIgnored?: () => boolean; probe?: typeof noProbe };

const connectTo = async (
  t: ExecutionContext,
  port: number,
  { isIgnored = () => false, probe = noProbe }: Options = {},
) => {
  const logged: string[] = [];
  const taken: string[] = [];
  let losses = 0;
  const clock = createTurnedClock();
  const signalling = createSignallingConnection({
    server: { host: '127.0.0.1', port, secret: 'x' },
    probe,
    overhear() {},
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

test('a connection that takes in nothing any more is made anew, and is not ready meanwhile', async (t) => {
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

test('a message that is too long is not sent, and whoever sent it is told', async (t) => {
  const drachtio = await startDrachtio(t);
  const { signalling } = await connectTo(t, drachtio.port);
  await t.throwsAsync(signalling.send({ sip: sip(13_000) }), { message: /too long/ });
  t.deepEqual(drachtio.received.filter(isSip), []);
  await t.notThrowsAsync(signalling.send({ sip: sip(11_000) }));
});

test('nothing is sent behind a long message until it was answered', async (t) => {
  const drachtio = await startDrachtio(t);
  const { signalling, taken } = await connectTo(t, drachtio.port);
  drachtio.state.answers = (message) => !isSip(message) || message.text.length < 4_000;
  const long = signalling.send({ sip: sip(6_000) });
  const next = signalling.send({ sip: sip(10) });
  await until('the first is there', async () => drachtio.received.some(isSip) || undefined);
  // The client has sent what it can by the time it takes another message.
  drachtio.write(invite('sip:meanwhile@d'));
  await until('the client takes a message', async () => taken.length > 0 || undefined);
  t.is(drachtio.received.filter(isSip).length, 1);
  const [first] = drachtio.received.filter(isSip);
  if (first !== undefined) drachtio.answer(first, 'OK');
  await t.notThrowsAsync(Promise.all([long, next]));
  t.is(drachtio.received.filter(isSip).length, 2);
});

test('a no of drachtio-server is an error with its reason', async (t) => {
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

test('a message that cannot be taken ends nothing, and the next one is taken', async (t) => {
  const drachtio = await startDrachtio(t);
  const { taken, logged, losses } = await connectTo(t, drachtio.port);
  for (const text of [
    'no message at all',
    'a|unknown|b',
    'a|sip|network',
    'a|response|nobody',
    `x|sip|${'|'.repeat(20)}\r\n`,
  ])
    drachtio.write(text);
  drachtio.write(invite('sip:throw@d'));
  drachtio.write(invite('sip:next@d'));
  await until('the next is taken', async () => taken.includes('sip:next@d') || undefined);
  t.true(logged.some((line) => line.includes('could not be taken')));
  t.is(losses(), 0);
});

test('bytes that are no message at all end the connection, not the process', async (t) => {
  const drachtio = await startDrachtio(t);
  const { signalling, clock, losses } = await connectTo(t, drachtio.port);
  drachtio.bytes('x#y');
  await until('it is lost', async () => losses() === 1 || undefined);
  await untilBack(signalling, clock);
  t.pass();
});

test('a request that is ignored gets no answer', async (t) => {
  const drachtio = await startDrachtio(t);
  let requests = 0;
  const { taken } = await connectTo(t, drachtio.port, { isIgnored: () => (requests += 1) === 1 });
  drachtio.write(invite('sip:ignored@d'));
  drachtio.write(invite('sip:taken@d'));
  await until('the one behind it is taken', async () => taken.length > 0 || undefined);
  t.deepEqual(taken, ['sip:taken@d']);
  t.deepEqual(drachtio.received.filter(isSip), []);
});
