import { createServer } from 'node:net';
import { once } from 'node:events';
import test from 'ava';
import { probeMediaServer } from '#sip/drachtio/media/event-socket/kept-event-socket.ts';
import { ServerRefusal } from '#sip/drachtio/heartbeat.ts';

for (const [what, answer, message] of [
  [
    'a wrong secret',
    'Content-Type: auth/request\n\nContent-Type: command/reply\nReply-Text: -ERR invalid\n\n',
    /secret/,
  ],
  ['a stranger', 'Content-Type: text/rude-rejection\n\n', /access list/],
] as const)
  test(`the refusal of ${what} is told from silence`, async (t) => {
    const server = createServer((socket) => socket.end(answer)).listen(0, '127.0.0.1');
    t.teardown(() => server.close());
    await once(server, 'listening');
    const address = server.address();
    if (address === null || typeof address === 'string') throw new Error('No port');
    const probing = probeMediaServer({ host: '127.0.0.1', port: address.port, secret: 'x' });
    await t.throwsAsync(probing, { instanceOf: ServerRefusal, message });
  });
