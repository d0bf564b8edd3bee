/** The web phone without a page: its state, the lines of its journal, and its audio buffers. */
import test from 'ava';
import type { CallEvent } from '#src/console/api/records.ts';
import { mayInterrupt } from '#src/console/phone/ear.ts';
import { journalLines } from '#src/console/phone/journal-lines.ts';
import { createMicrophoneFrames } from '#src/console/phone/microphone-frames.ts';
import {
  idlePhone,
  phoneAfter,
  understandsLanguage,
  type PhoneChange,
  type PhoneState,
} from '#src/console/phone/phone-state.ts';
import { createPlayBuffer, type PlayBuffer } from '#src/console/phone/play-buffer.ts';
import type { FromPhone, ToPhone } from '#src/domain/web-phone.ts';

// State

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

test('rings once for a call, until the call ends elsewhere', (t) => {
  t.is(after(ring, ring).ringing.length, 1);
  const over = after(ring, told({ type: 'ended', call_id: 'one', reason: 'answered_elsewhere' }));
  t.deepEqual([over.ringing, over.talk], [[], null]);
});

test('stores in which languages speech recognition is available', (t) => {
  const all = after(told({ type: 'sound_offered' }));
  t.deepEqual([all.offersSound, understandsLanguage(all, 'ko')], [true, true]);
  const english = after(told({ type: 'sound_offered', languages: ['en'] }));
  t.deepEqual(
    ['en', 'en-US', 'ko'].map((language) => understandsLanguage(english, language)),
    [true, true, false],
  );
});

test('stores spoken and typed words as lines, and marks interrupted ones', (t) => {
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

test('replaces preliminary words of the person by the final ones', (t) => {
  const you = (type: 'you_say' | 'you_said', text: string): PhoneChange =>
    told({ type, call_id: 'one', text });
  const during = [answered, you('you_say', 'Good'), you('you_say', 'Good morning')];
  t.like(after(...during).talk, { saying: 'Good morning', lines: [] });
  t.like(after(...during, you('you_said', 'Good morning.')).talk, {
    saying: '',
    lines: [{ who: 'me', text: 'Good morning.' }],
  });
  t.is(after(...during, told({ type: 'ended', call_id: 'one', reason: 'hung_up' })).talk?.saying, '');
});

test('cuts an interrupted line at what was heard of its last sentence', (t) => {
  const lines = (text: string) =>
    after(
      answered,
      says(1, 'Hello.'),
      says(2, 'This is a call.'),
      told({ type: 'agent_stops', call_id: 'one', heard: { utterance: 2, text } }),
    ).talk?.lines;
  const first = { utterance: 1, text: 'Hello.' };
  for (const text of ['This is', ''])
    t.deepEqual(lines(text), [{ who: 'agent', parts: [first, { utterance: 2, text }], isCut: true }]);
});

test('keeps the current utterance of a paused agent', (t) => {
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

test('after a lost connection, continues a call that still exists and ends any other', (t) => {
  const lost = [online(true), answered, says(1, 'Hello.'), online(false)];
  t.is(after(...lost).talk?.end, null);
  t.like(after(...lost, online(true)).talk, { end: { reason: 'hung_up' } });
  const back = after(...lost, online(true), answered, says(1, 'Hello.'));
  t.is(back.talk?.end, null);
  t.is(back.talk?.lines.length, 1);
  t.deepEqual(after(ring, online(false)).ringing, []);
});

test('stays visible during a lost connection if the phone was online before', (t) => {
  t.is(after(online(false)).online, 'never');
  t.is(after(online(true)).online, 'now');
  t.is(after(online(true), online(false)).online, 'before');
  t.is(after(online(true), online(false), online(false)).online, 'before');
});

test('ends dialling with a call, a rejection or a hang-up', (t) => {
  const dial = sent({ type: 'dial', to: '0212345678' });
  t.is(after(dial).dialling, '0212345678');
  t.is(after(dial, answered).dialling, null);
  t.like(after(dial, told({ type: 'refused', code: 'draining' })), { dialling: null, refusal: 'draining' });
  t.is(after(dial, sent({ type: 'hang_up' })).dialling, null);
});

test('treats only more than a backchannel as an interruption', (t) => {
  for (const words of ['잠깐만요', '네 그런데', 'wait a moment']) t.true(mayInterrupt(words, 'ko'), words);
  for (const words of ['', '네', '네네네네', 'ㄴ', ' 잠 ']) t.false(mayInterrupt(words, 'ko'), words);
});

// Lines of the journal

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

test('orders lines by the start of their turns', (t) => {
  t.deepEqual(journalLines(journal), [
    { who: 'agent', parts: [{ utterance: -2, text: 'Hello. This is' }], isCut: true },
    { who: 'me', text: 'Wait.' },
    { who: 'my-keys', keys: '1#' },
    { who: 'agent-keys', keys: '9' },
  ]);
});

const inbound = { ...details, direction: 'inbound', from: '01055559999', to: '0212345678' } as const;

test('restores lines and start time of a call without duplicates when the page loads during the call', (t) => {
  const back = [
    told({ type: 'answered', sound: false, ...inbound }),
    says(3, 'How are you?'),
    says(4, 'And your family?'),
  ];
  t.like(after(...back).talk, { isBroken: true, since: 1_000 });
  const recalled = journalLines([
    fact(2, 1, 'turn.spoken', { role: 'user', text: 'Good evening.', whole: true, turn: 1 }),
    fact(3, 2, 'turn.spoken', { role: 'assistant', text: 'Hello. How are you?', whole: true, turn: 2 }),
  ]);
  const { talk } = after(...back, { type: 'recalled', since: 500, lines: recalled });
  t.like(talk, { isBroken: false, since: 500, sounding: 4 });
  t.deepEqual(talk?.lines, [
    { who: 'me', text: 'Good evening.' },
    { who: 'agent', parts: [{ utterance: -3, text: 'Hello. How are you?' }], isCut: false },
    { who: 'agent', parts: [{ utterance: 4, text: 'And your family?' }], isCut: false },
  ]);
});

test('restores the spoken part of the current agent turn once, without playing it again', (t) => {
  const said = [
    { utterance: 2, text: 'Hello.' },
    { utterance: 3, text: 'How are you?' },
    { utterance: 4, text: 'And your family?' },
  ];
  const back = [told({ type: 'answered', sound: false, said, ...inbound }), says(4, 'And your family?')];
  t.like(after(...back.slice(0, 1)).talk, { sounding: null });
  const recalled = journalLines([
    fact(2, 1, 'turn.spoken', { role: 'user', text: 'Good evening.', whole: true, turn: 1 }),
    fact(3, 2, 'turn.spoken', { role: 'assistant', text: 'Hello.', whole: true, turn: 2 }),
  ]);
  const { talk } = after(...back, { type: 'recalled', since: 500, lines: recalled });
  t.deepEqual(talk?.lines, [
    { who: 'me', text: 'Good evening.' },
    { who: 'agent', parts: [{ utterance: -3, text: 'Hello.' }], isCut: false },
    { who: 'agent', parts: said.slice(1), isCut: false },
  ]);
  t.is(after(...back, ...back).talk?.lines.length, 1, 'a phone that was away for a moment has nothing twice');
});

test('reads no journal for a call answered or dialled in this page', (t) => {
  const rung = after(
    told({ type: 'ring', ...inbound }),
    told({ type: 'answered', sound: false, ...inbound }),
  );
  t.false(rung.talk?.isBroken);
  const dialled = after(
    { type: 'sent', message: { type: 'dial', to: '0212345678' } },
    told({ type: 'answered', sound: false, ...inbound }),
  );
  t.false(dialled.talk?.isBroken);
});

// Audio buffers

const quantum = 128;
const frame = (value: number): Int16Array => new Int16Array(320).fill(value);

/** Audio of this many steps of the speaker. */
const hear = (buffer: PlayBuffer, steps: number): number[] =>
  Array.from({ length: steps }, () => {
    const into = new Float32Array(quantum).fill(9);
    buffer.take(into);
    return [...into];
  }).flat();

const sounding = (heard: readonly number[]): number => heard.filter((sample) => sample !== 0).length;

test('starts to play when 60 ms are buffered, and plays all samples in order', (t) => {
  const buffer = createPlayBuffer();
  buffer.add(frame(16_384));
  buffer.add(frame(16_384));
  t.is(sounding(hear(buffer, 1)), 0);
  buffer.add(frame(-16_384));
  const heard = hear(buffer, 10).filter((sample) => sample !== 0);
  t.deepEqual(heard, [...Array<number>(640).fill(0.5), ...Array<number>(320).fill(-0.5)]);
  t.is(buffer.played(), 960);
});

test('plays audio shorter than 60 ms without waiting for more', (t) => {
  const buffer = createPlayBuffer();
  buffer.add(frame(100));
  t.is(sounding(hear(buffer, 7)), 0);
  t.is(sounding(hear(buffer, 4)), 320);
});

test('counts played and flushed samples, and does not play flushed ones', (t) => {
  const buffer = createPlayBuffer();
  for (let count = 0; count < 10; count += 1) buffer.add(frame(100));
  hear(buffer, 5);
  t.is(buffer.played(), 640);
  t.is(buffer.flush(), 2_560);
  t.is(sounding(hear(buffer, 5)), 0);
  t.is(buffer.played(), 640);
  t.is(buffer.flush(), 0);
});

test('plays the faded end of speech after a flush without buffering', (t) => {
  const buffer = createPlayBuffer();
  for (let count = 0; count < 5; count += 1) buffer.add(frame(100));
  hear(buffer, 2);
  buffer.flush();
  buffer.add(frame(100).subarray(0, 160));
  t.is(sounding(hear(buffer, 2)), 160);
});

test('buffers again after the buffer was empty for a while', (t) => {
  const buffer = createPlayBuffer();
  for (let count = 0; count < 3; count += 1) buffer.add(frame(100));
  hear(buffer, 20);
  buffer.add(frame(100));
  t.is(sounding(hear(buffer, 1)), 0);
});

test('emits microphone frames of 20 ms, each with the number of samples played before it', (t) => {
  const frames: ArrayBuffer[] = [];
  let played = 7;
  const { add } = createMicrophoneFrames(
    () => played,
    (one) => frames.push(one),
  );
  add(new Float32Array(quantum).fill(1));
  add(new Float32Array(quantum).fill(-3));
  t.is(frames.length, 0);
  played = 70_000;
  add(new Float32Array(quantum).fill(0.5));
  const [first] = frames;
  t.is(first?.byteLength, 644);
  const view = new DataView(first ?? new ArrayBuffer(644));
  t.is(view.getUint32(0, true), 70_000);
  const samples = Array.from({ length: 320 }, (_, index) => view.getInt16(4 + 2 * index, true));
  t.deepEqual(samples, [
    ...Array<number>(128).fill(32_767),
    ...Array<number>(128).fill(-32_767),
    ...Array<number>(64).fill(16_384),
  ]);
});
