import test from 'ava';
import { masked } from '#src/inspector/masked.ts';

test('words, numbers of telephones and unknown fields are hidden; states, names and figures are shown', (t) => {
  t.deepEqual(
    masked({
      type: 'line.heard',
      at: 17,
      text: 'My card is 1234.',
      from: '01012345678',
      backchannel: false,
      sip: { status: 200, reason: 'OK', callId: 'abc' },
      messages: [{ role: 'user', content: 'Hello.' }],
      token: 'secret',
      failure: null,
    }),
    {
      type: 'line.heard',
      at: 17,
      text: '(16 characters)',
      from: '010•••••678',
      backchannel: false,
      sip: { status: 200, reason: 'OK', callId: 'abc' },
      messages: [{ role: 'user', content: '(6 characters)' }],
      token: '(6 characters)',
      failure: null,
    },
  );
});

test('an error is its name; what is deep, or no data, is left out', (t) => {
  const deep = { a: { b: { c: { d: { e: { f: { g: 1 } } } } } } };
  t.deepEqual(masked({ error: new TypeError('said: Hello.'), tell: () => {}, deep }), {
    error: { name: 'TypeError' },
    tell: undefined,
    deep: { a: { b: { c: { d: { e: { f: undefined } } } } } },
  });
});
