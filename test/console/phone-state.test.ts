import test from 'ava';
import { mayInterrupt } from '#src/console/phone/ear.ts';
import { idlePhone, phoneAfter, type PhoneChange, type PhoneState } from '#src/console/phone/phone-state.ts';
import type { FromPhone, ToPhone } from '#src/domain/web-phone.ts';

const details = {
  call_id: 'one',
  direction: 'outbound',
  from: '0212345678',
  to: '01055551234',
  language: 'ko',
} as const;

const told = (message: ToPhone): PhoneChange => ({ type: 'told', message, at: 1_000 });
const sent = (message: FromPhone): PhoneChange => ({ type: 'sent', message });
const online = (on: boolean): PhoneChange => ({ type: 'online', on, at: 9_000 });
const after = (...changes: PhoneChange[]): PhoneState => changes.reduce(phoneAfter, idlePhone);

const ring = told({ type: 'ring', ...details });
const answered = told({ type: 'answered', sound: false, ...details });
const says = (utterance: number, text: string): PhoneChange =>
  told({ type: 'agent_says', call_id: 'one', utterance, text, duration_ms: 500 });

test('a call rings once, and no longer when it is over somewhere else', (t) => {
  t.is(after(ring, ring).ringing.length, 1);
  const over = after(ring, told({ type: 'ended', call_id: 'one', reason: 'answered_elsewhere' }));
  t.deepEqual([over.ringing, over.talk], [[], null]);
});

test('what is said is put down in lines, and what was cut is marked', (t) => {
  const { talk, ringing } = after(
    ring,
    answered,
    says(1, 'Hello.'),
    says(2, 'This is a call.'),
    told({ type: 'agent_stops', call_id: 'one' }),
    sent({ type: 'say', text: 'Wait.' }),
    says(3, 'Yes?'),
    sent({ type: 'digit', digit: '1' }),
    sent({ type: 'digit', digit: '#' }),
    told({ type: 'keys', call_id: 'one', keys: '9' }),
  );
  t.deepEqual(ringing, []);
  t.is(talk?.sounding, 3);
  const parts = (...texts: [number, string][]) => texts.map(([utterance, text]) => ({ utterance, text }));
  t.deepEqual(talk?.lines, [
    { who: 'agent', parts: parts([1, 'Hello.'], [2, 'This is a call.']), isCut: true },
    { who: 'me', text: 'Wait.' },
    { who: 'agent', parts: parts([3, 'Yes?']), isCut: false },
    { who: 'my-keys', keys: '1#' },
    { who: 'agent-keys', keys: '9' },
  ]);
});

test('an agent that pauses is in the midst of what it says', (t) => {
  const paused = [answered, says(1, 'Hello.'), told({ type: 'agent_pauses', call_id: 'one' })];
  t.like(after(...paused).talk, { sounding: 1, isPaused: true });
  t.like(after(...paused, told({ type: 'agent_goes_on', call_id: 'one' })).talk, {
    sounding: 1,
    isPaused: false,
  });
  t.like(after(...paused, told({ type: 'agent_stops', call_id: 'one' })).talk, {
    sounding: null,
    isPaused: false,
  });
});

test('a call is kept through a lost connection when it still stands, and has ended when it does not', (t) => {
  const lost = [online(true), answered, says(1, 'Hello.'), online(false)];
  t.is(after(...lost).talk?.end, null);
  t.like(after(...lost, online(true)).talk, { end: { reason: 'hung_up' } });
  const back = after(...lost, online(true), answered, says(1, 'Hello.'));
  t.is(back.talk?.end, null);
  t.is(back.talk?.lines.length, 1);
  t.deepEqual(after(ring, online(false)).ringing, []);
});

test('a phone that was online once is there also while its connection is lost', (t) => {
  t.is(after(online(false)).online, 'never');
  t.is(after(online(true)).online, 'now');
  t.is(after(online(true), online(false)).online, 'before');
  t.is(after(online(true), online(false), online(false)).online, 'before');
});

test('dialling ends with a call, a refusal, or by hanging up', (t) => {
  const dial = sent({ type: 'dial', to: '0212345678' });
  t.is(after(dial).dialling, '0212345678');
  t.is(after(dial, answered).dialling, null);
  t.like(after(dial, told({ type: 'refused', code: 'draining' })), { dialling: null, refusal: 'draining' });
  t.is(after(dial, sent({ type: 'hang_up' })).dialling, null);
});

test('what is more than a murmur interrupts', (t) => {
  for (const words of ['잠깐만요', '네 그런데', 'wait a moment']) t.true(mayInterrupt(words, 'ko'), words);
  for (const words of ['', '네', '네네네네', 'ㄴ', ' 잠 ']) t.false(mayInterrupt(words, 'ko'), words);
});
