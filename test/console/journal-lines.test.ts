import test from 'ava';
import type { CallEvent } from '#src/console/api/records.ts';
import { journalLines } from '#src/console/phone/journal-lines.ts';
import { idlePhone, phoneAfter, type PhoneChange } from '#src/console/phone/phone-state.ts';
import type { ToPhone } from '#src/domain/web-phone.ts';

const fact = (
  sequence: number,
  second: number,
  type: CallEvent['type'],
  data: CallEvent['data'],
): CallEvent => ({
  sequence,
  type,
  at: `2026-01-02T03:04:0${second}.000+09:00`,
  t_offset_sec: second,
  data,
});

const journal = [
  fact(1, 0, 'call.answered', {}),
  fact(3, 2, 'turn.spoken', { role: 'user', text: 'Wait.', whole: true, turn: 2 }),
  fact(2, 1, 'turn.spoken', { role: 'assistant', text: 'Hello. This is', whole: false, turn: 1 }),
  fact(4, 3, 'turn.digit', { digit: '1' }),
  fact(5, 4, 'turn.digit', { digit: '#' }),
  fact(6, 5, 'keys.pressed', { keys: '9' }),
];

test('the journal tells what was said in the order in which it began', (t) => {
  t.deepEqual(journalLines(journal), [
    { who: 'agent', parts: [{ utterance: -2, text: 'Hello. This is' }], isCut: true },
    { who: 'me', text: 'Wait.' },
    { who: 'my-keys', keys: '1#' },
    { who: 'agent-keys', keys: '9' },
  ]);
});

const details = {
  call_id: 'one',
  direction: 'inbound',
  from: '01055559999',
  to: '0212345678',
  language: 'ko',
} as const;

const told = (message: ToPhone): PhoneChange => ({ type: 'told', message, at: 9_000 });
const says = (utterance: number, text: string): PhoneChange =>
  told({ type: 'agent_says', call_id: 'one', utterance, text, duration_ms: 500 });
const after = (...changes: PhoneChange[]) => changes.reduce(phoneAfter, idlePhone);

test('a page that was loaded in a call has its words and its clock again, and nothing twice', (t) => {
  const back = [
    told({ type: 'answered', sound: false, ...details }),
    says(3, 'How are you?'),
    says(4, 'And your family?'),
  ];
  t.like(after(...back).talk, { isBroken: true, since: 9_000 });
  const recalled = journalLines([
    fact(2, 1, 'turn.spoken', { role: 'user', text: 'Good evening.', whole: true, turn: 1 }),
    fact(3, 2, 'turn.spoken', { role: 'assistant', text: 'Hello. How are you?', whole: true, turn: 2 }),
  ]);
  const { talk } = after(...back, { type: 'recalled', since: 1_000, lines: recalled });
  t.like(talk, { isBroken: false, since: 1_000, sounding: 4 });
  t.deepEqual(talk?.lines, [
    { who: 'me', text: 'Good evening.' },
    { who: 'agent', parts: [{ utterance: -3, text: 'Hello. How are you?' }], isCut: false },
    { who: 'agent', parts: [{ utterance: 4, text: 'And your family?' }], isCut: false },
  ]);
});

test('what the agent has said of a turn that is not over stands there as well, once, and nothing of it sounds anew', (t) => {
  const said = [
    { utterance: 2, text: 'Hello.' },
    { utterance: 3, text: 'How are you?' },
    { utterance: 4, text: 'And your family?' },
  ];
  const back = [told({ type: 'answered', sound: false, said, ...details }), says(4, 'And your family?')];
  t.like(after(...back.slice(0, 1)).talk, { sounding: null });
  const recalled = journalLines([
    fact(2, 1, 'turn.spoken', { role: 'user', text: 'Good evening.', whole: true, turn: 1 }),
    fact(3, 2, 'turn.spoken', { role: 'assistant', text: 'Hello.', whole: true, turn: 2 }),
  ]);
  const { talk } = after(...back, { type: 'recalled', since: 1_000, lines: recalled });
  t.deepEqual(talk?.lines, [
    { who: 'me', text: 'Good evening.' },
    { who: 'agent', parts: [{ utterance: -3, text: 'Hello.' }], isCut: false },
    { who: 'agent', parts: said.slice(1), isCut: false },
  ]);
  t.is(after(...back, ...back).talk?.lines.length, 1, 'a phone that was away for a moment has nothing twice');
});

test('a call that was answered or dialled in this page needs no journal', (t) => {
  const rung = after(
    told({ type: 'ring', ...details }),
    told({ type: 'answered', sound: false, ...details }),
  );
  t.false(rung.talk?.isBroken);
  const dialled = after(
    { type: 'sent', message: { type: 'dial', to: '0212345678' } },
    told({ type: 'answered', sound: false, ...details }),
  );
  t.false(dialled.talk?.isBroken);
});
