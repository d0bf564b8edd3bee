import test from 'ava';
import type { Message } from '#machines/reply.ts';
import { createSecretKeys } from '#src/calls/live/secret-keys.ts';

const masked: Message = { role: 'user', content: '[keys] ••••' };
const words: Message = { role: 'user', content: 'Hello.' };
const user = (content: string): Message => ({ role: 'user', content });

type Keys = ReturnType<typeof createSecretKeys>;

const press = (keys: Keys, digits: string, callId = 'a'): string =>
  Array.from(digits, (digit) => keys.press(callId, digit)).join('');

test('keys are what they are, until they are secret', (t) => {
  const keys = createSecretKeys();
  t.is(press(keys, '1'), '1');
  keys.hide('a', '#');
  t.is(press(keys, '12#'), '••#');
  t.is(press(keys, '1', 'b'), '1', 'those of another call are not');
  keys.keep('a');
  t.is(press(keys, '3'), '3');
  t.deepEqual(keys.reveal('a', [words, masked]), [words, user('[keys] 12')]);
});

test('the agent gets each of them in its place, also while they are hidden still', (t) => {
  const keys = createSecretKeys();
  for (const [digits, isOver] of [
    ['11', true],
    ['', true],
    ['22', false],
  ] as const) {
    keys.hide('a', null);
    press(keys, digits);
    if (isOver) keys.keep('a');
  }
  const history = [masked, user('[keys]'), words, masked];
  t.deepEqual(keys.reveal('a', history), [user('[keys] 11'), user('[keys]'), words, user('[keys] 22')]);
  t.deepEqual(keys.reveal('a', history.slice(0, 3)), [user('[keys] 11'), user('[keys]'), words]);
  t.deepEqual(keys.reveal('b', history), history);
});

test('those that are asked for anew, or that nobody waits for any more, are no turn', (t) => {
  const keys = createSecretKeys();
  keys.hide('a', null);
  press(keys, '11');
  keys.hide('a', null);
  press(keys, '22');
  keys.forget('a');
  t.is(press(keys, '3'), '3');
  keys.hide('a', null);
  press(keys, '44');
  keys.keep('a');
  t.deepEqual(keys.reveal('a', [masked]), [user('[keys] 44')]);
});

test('those that another process heard stay unknown, and none takes their place', (t) => {
  const keys = createSecretKeys();
  keys.begin('a', [words, masked, masked]);
  t.deepEqual(keys.reveal('a', [words, masked, masked]), [words, masked, masked]);
  keys.hide('a', null);
  press(keys, '33');
  t.deepEqual(keys.reveal('a', [masked, masked, masked]), [masked, masked, user('[keys] 33')]);
  keys.keep('a');
  t.deepEqual(keys.reveal('a', [masked, masked, masked]), [masked, masked, user('[keys] 33')]);
});

test('those of a call that is over are known to nobody', (t) => {
  const keys = createSecretKeys();
  keys.hide('a', null);
  press(keys, '1');
  keys.release('a');
  t.deepEqual(keys.reveal('a', [masked]), [masked]);
  t.is(press(keys, '2'), '2');
});
