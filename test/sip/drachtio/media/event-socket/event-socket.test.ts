import { once } from 'node:events';
import { createServer, type Socket } from 'node:net';
import test, { type ExecutionContext } from 'ava';
import { NoEventSocket, openEventSocket } from '#sip/drachtio/media/event-socket/event-socket.ts';

/** Something that is spoken to as if it were FreeSWITCH. */
const setUp = async (t: ExecutionContext) => {
  const server = createServer().listen(0, '127.0.0.1');
  t.teardown(() => server.close());
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('No port');
  const connected = once(server, 'connection');
  const events: string[] = [];
  const closed: Error[] = [];
  const opening = openEventSocket(
    { host: '127.0.0.1', port: address.port, secret: 'open sesame' },
    { onEvent: (event) => void events.push(event), onClosed: (why) => void closed.push(why) },
  );
  const [there]: Socket[] = await connected;
  if (there === undefined) throw new Error('Nobody came');
  t.teardown(() => there.destroy());
  let said = '';
  there.setEncoding('utf8').on('data', (text: string) => (said += text));
  const until = async (text: string): Promise<void> => {
    while (!said.includes(text)) await once(there, 'data');
  };
  there.write('Content-Type: auth/request\n\n');
  await until('auth open sesame\n\n');
  there.write('Content-Type: command/reply\nReply-Text: +OK accepted\n\n');
  return { socket: await opening, there, until, events, closed };
};

const answer = (body: string): string =>
  `Content-Type: api/response\nContent-Length: ${body.length}\n\n${body}`;

test('answers come to those who asked, in the order of their commands, with events in between', async (t) => {
  const { socket, there, until, events } = await setUp(t);
  t.is(socket.remoteAddress, '127.0.0.1');
  const asked = [socket.command('api one'), socket.command('sendmsg x\ncall-command: y')];
  await until('api one\n\nsendmsg x\ncall-command: y\n\n');
  there.write(`${answer('1')}Content-Length: 4\nContent-Type: text/event-plain\n\nA: b`);
  there.write('Content-Type: command/reply\nReply-Text: +OK\n\n');
  t.deepEqual(await Promise.all(asked), ['1', '+OK']);
  t.deepEqual(events, ['A: b']);
  socket.close();
});

test('what waits for an answer learns that the connection is lost, and so does who holds it', async (t) => {
  const { socket, there, closed } = await setUp(t);
  const asked = socket.command('api one');
  there.destroy();
  await t.throwsAsync(asked, { instanceOf: NoEventSocket });
  t.is(closed.length, 1);
  await t.throwsAsync(socket.command('api two'), { instanceOf: NoEventSocket });
});

test('who closes it is not told', async (t) => {
  const { socket, there, closed } = await setUp(t);
  const asked = t.throwsAsync(socket.command('api one'), { instanceOf: NoEventSocket });
  socket.close();
  await asked;
  if (!there.closed) await once(there, 'close');
  t.deepEqual(closed, []);
});

test('what cannot be read ends the connection, and says why', async (t) => {
  const { socket, there, closed } = await setUp(t);
  const asked = t.throwsAsync(socket.command('api one'));
  there.write('Content-Length: 999999999\n\n');
  await asked;
  t.regex(closed[0]?.message ?? '', /announces 999999999 bytes/);
});

test('a command is one command', async (t) => {
  const { socket } = await setUp(t);
  for (const text of ['api x\n\napi y', 'api x\n', 'api x\r\n'])
    await t.throwsAsync(socket.command(text), { message: /more than one command/ });
  socket.close();
});

test('a server that leaves thousands unanswered is asked no more', async (t) => {
  const { socket } = await setUp(t);
  const asked = Array.from({ length: 2_000 }, async () => socket.command('api one'));
  await t.throwsAsync(socket.command('api one more'), { message: /too much to answer/ });
  socket.close();
  t.true((await Promise.allSettled(asked)).every(({ status }) => status === 'rejected'));
});
