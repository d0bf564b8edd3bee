import { EventEmitter } from 'node:events';
import { createRequire } from 'node:module';
import test from 'ava';
import * as fc from 'fast-check';
import { pino } from 'pino';
import { z } from 'zod';
import { guardEventSockets } from '#sip/drachtio/media/event-socket-guard.ts';

const logged: string[] = [];
guardEventSockets(pino({ level: 'error' }, { write: (line: string) => void logged.push(line) }));

const fsmrf = createRequire(createRequire(import.meta.url).resolve('drachtio-fsmrf'));
const Parser = z
  .custom<new (socket: EventEmitter) => EventEmitter>((value) => typeof value === 'function')
  .parse(fsmrf('drachtio-modesl/lib/esl/Parser'));

/** A connection to FreeSWITCH, and the names of the events that it told of. */
const listen = (onEvent: (name: string) => void = () => {}) => {
  const socket = new EventEmitter();
  const told: string[] = [];
  new Parser(socket).on('esl::event', (event: { getHeader(name: string): string | null }) => {
    const name = event.getHeader('Name') ?? '';
    told.push(name);
    onEvent(name);
  });
  return { told, send: (bytes: string | Buffer) => socket.emit('data', Buffer.from(bytes)) };
};

const good = (name: string): string => {
  const body = `Name: ${name}\n\n`;
  return `Content-Type: text/event-plain\nContent-Length: ${body.length}\n\n${body}`;
};

const survived = test.macro<[string]>({
  exec(t, bytes) {
    const { told, send } = listen();
    t.notThrows(() => send(bytes));
    t.notThrows(() => send(good('next')));
    t.is(told.at(-1), 'next');
  },
  title: (_, bytes) => `the event after ${JSON.stringify(bytes.slice(0, 60))} is read`,
});

test(survived, 'Name: 100%\n\n');
test(survived, 'Name: %E0%A4%A\nOther: %\n\n');
test(survived, good('100%25 %zz'));
test(survived, 'Content-Type: text/event-json\nContent-Length: 1\n\n{');
test(survived, 'Content-Type: text/event-json\nContent-Length: 4\n\nnull');
test(survived, 'Content-Type: text/event-xml\nContent-Length: 3\n\n<a>');
test(survived, 'Content-Length: -5\n\n');
test(survived, 'Content-Length: many\n\n');
test(survived, '__proto__: x\nconstructor: y\n\n');
test(survived, `${'\n\n'.repeat(20_000)}Name: many\n\n`);

test('what cannot be decoded stays as it was sent', (t) => {
  const { told, send } = listen();
  send('Name: 100%\n\nName: 100%25\n\n');
  t.deepEqual(told, ['100%', '100%']);
});

test('a listener that throws keeps nobody from the events that came with it, and stands in the log', (t) => {
  const { told, send } = listen((name) => {
    if (name === 'bad') throw new Error('a mistake of whoever listens');
  });
  logged.length = 0;
  t.notThrows(() => send(good('one') + good('bad') + good('bad') + good('two')));
  t.deepEqual(told, ['one', 'bad', 'bad', 'two']);
  t.is(logged.filter((line) => line.includes('a mistake of whoever listens')).length, 2);
});

test('no bytes at all are thrown at the process', (t) => {
  const bytes = fc.array(
    fc.oneof(
      fc.constantFrom(
        'Content-Type: text/event-json\n',
        'Content-Length: 3\n',
        'Reply-Text: -ERR\n',
        '\n',
        '%',
      ),
      fc.string({ unit: 'binary' }),
    ),
  );
  fc.assert(
    fc.property(bytes, (parts) => {
      const { send } = listen();
      for (const part of parts) t.notThrows(() => send(part));
    }),
  );
});
