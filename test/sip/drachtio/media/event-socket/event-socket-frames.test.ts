import test from 'ava';
import * as fc from 'fast-check';
import {
  createFrameReader,
  fieldIn,
  UnreadableFrame,
  type SocketFrame,
} from '#sip/drachtio/media/event-socket/event-socket-frames.ts';

const listen = () => {
  const frames: SocketFrame[] = [];
  const read = createFrameReader((frame) => frames.push(frame));
  return { frames, send: (bytes: string | Buffer) => read(Buffer.from(bytes)) };
};

const event = (text: string): string => {
  const body = `${text}\n\n`;
  return `Content-Length: ${Buffer.byteLength(body)}\nContent-Type: text/event-plain\n\n${body}`;
};

test('answers and events are told apart, in their order, however the bytes come', (t) => {
  const bytes = [
    'Content-Type: auth/request\n\n',
    'Content-Type: command/reply\nReply-Text: +OK accepted\n\n',
    'Content-Type: api/response\nContent-Length: 9\n\ntwo\n\nlines'.replace('lines', 'line'),
    event('Event-Name: DTMF\nCaller: 전화'),
  ].join('');
  const whole = listen();
  whole.send(bytes);
  t.deepEqual(
    whole.frames.map(({ type, reply }) => [type, reply]),
    [
      ['auth/request', ''],
      ['command/reply', '+OK accepted'],
      ['api/response', ''],
      ['text/event-plain', ''],
    ],
  );
  t.is(whole.frames[2]?.body, 'two\n\nline');
  const single = listen();
  for (const byte of Buffer.from(bytes)) single.send(Buffer.of(byte));
  t.deepEqual(single.frames, whole.frames);
});

const survived = test.macro<[string]>({
  exec(t, bytes) {
    const { frames, send } = listen();
    t.notThrows(() => send(bytes));
    t.notThrows(() => send(event('Event-Name: next')));
    t.is(fieldIn(frames.at(-1)?.body ?? '', 'Event-Name'), 'next');
  },
  title: (_, bytes) => `the event after ${JSON.stringify(bytes.slice(0, 60))} is read`,
});

test(survived, 'Name: 100%\n\n');
test(survived, 'Name: %E0%A4%A\nOther: %\n\n');
test(survived, event('100%25 %zz'));
test(survived, 'Content-Type: text/event-json\nContent-Length: 1\n\n{');
test(survived, 'Content-Length: -5\n\n');
test(survived, 'Content-Length: many\n\n');
test(survived, 'Content-Length: 9999999999999999999999\n\n');
test(survived, '__proto__: x\nconstructor: y\n\n');
test(survived, `${'\n\n'.repeat(20_000)}Name: many\n\n`);

test('a field is decoded, and what cannot be decoded stays as it was sent', (t) => {
  const body = 'Event-Name: DTMF\nDTMF-Digit: %23\nOdd: 100%\nName: %23\n';
  t.is(fieldIn(body, 'DTMF-Digit'), '#');
  t.is(fieldIn(body, 'Odd'), '100%');
  t.is(fieldIn(body, 'Event-Name'), 'DTMF');
  t.is(fieldIn(body, 'Digit'), '');
});

test('what has no end, or names a body without measure, is not waited for', (t) => {
  t.throws(() => listen().send('x'.repeat(70_000)), { instanceOf: UnreadableFrame });
  t.throws(() => listen().send('Content-Length: 2000000\n\n'), { instanceOf: UnreadableFrame });
});

test('no bytes throw anything else', (t) => {
  const bytes = fc.array(
    fc.oneof(
      fc.constantFrom(
        'Content-Type: text/event-plain\n',
        'Content-Length: 3\n',
        'Content-Length: 3000000\n',
        'Reply-Text: -ERR\n',
        '\n',
        '%',
      ),
      fc.string({ unit: 'binary' }),
    ),
  );
  fc.assert(
    fc.property(bytes, (parts) => {
      const { frames, send } = listen();
      try {
        for (const part of parts) send(part);
      } catch (error) {
        t.true(error instanceof UnreadableFrame);
      }
      for (const { body } of frames) t.notThrows(() => fieldIn(body, 'Event-Name'));
    }),
  );
});
