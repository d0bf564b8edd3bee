/** Output of `npm run call` in a terminal, in a pipe, and as JSON lines. */
import test from 'ava';
import type { CallEvent } from '#src/client/schema.ts';
import type { CallView } from '#src/commands/call/call-view.ts';
import { createJsonView } from '#src/commands/call/json-view.ts';
import { settleMs } from '#src/commands/call/log-rows.ts';
import { createTerminalView } from '#src/commands/call/terminal-view.ts';
import { wordsFor } from '#src/commands/call/words.ts';
import { createOrderedClock } from '#test/contract/ordered-clock.ts';

test('does not attribute a call that the user hung up to the agent', (t) => {
  const { view, written } = viewing(null);
  tell(view, 'call.hangup_requested', { immediate: true });
  written();
  view.ends({ call_id: 'one', status: 'completed', end_reason: 'agent_hangup', duration_sec: 4 });
  t.regex(written(), /The call was hung up immediately, as requested\. It lasted 4\.0 s\./);
});

const escape = '\u001B';

const viewing = (columns: number | null, environment: NodeJS.ProcessEnv = {}) => {
  const clock = createOrderedClock();
  let written = '';
  const view = createTerminalView({
    write: (text) => (written += text),
    size: () => (columns === null ? null : { columns, rows: 24 }),
    style: (_style, text) => text,
    words: wordsFor(environment),
    linkOf: (callId) => `http://here/#/calls/${callId}`,
    isPassing: false,
    clock,
  });
  view.begins({ callId: 'one', to: '01000000001', from: '07000000000' });
  return {
    view,
    clock,
    output: () => written,
    /** Output since the last call of this function; a pipe has it after a moment. */
    written: () => {
      if (columns === null) clock.advance(settleMs);
      const all = written;
      written = '';
      return all;
    },
  };
};

const event = (type: string, data: CallEvent['data'] = {}, offset: number | null = 0): CallEvent => ({
  sequence: 1,
  type,
  at: '2026-11-21T12:00:00.000+09:00',
  t_offset_sec: offset,
  data,
});

const tell = (view: CallView, ...parameters: Parameters<typeof event>): void =>
  view.news({ type: 'fact', event: event(...parameters) });

const said = (text: string, more: object = {}) => ({ role: 'assistant', text, whole: true, ...more });

test('prints words beside their speaker and wraps long lines', (t) => {
  const { view, written } = viewing(null);
  written();
  const many = Array.from({ length: 40 }, (_, index) => `word${index}`).join(' ');
  tell(view, 'turn.spoken', said(many), 65.4);
  const [first = '', ...others] = written().trimEnd().split('\n');
  t.regex(first, /^ {2}1:05 {2}Agent {8}word0 word1 /);
  t.true(others.length > 2);
  for (const line of [first, ...others]) {
    t.true(line.length <= 100);
    t.regex(line, /^.{21}word/);
  }
});

test('prints the latency of a reply after the reply only', (t) => {
  const { view, written } = viewing(null);
  tell(view, 'turn.spoken', said('Good morning.', { latency: { first_audio_ms: 40 } }));
  t.true(written().endsWith('Good morning.\n'));
  tell(view, 'turn.spoken', said('Yes.', { latency: { endpointing_ms: 260, first_audio_ms: 40 } }));
  t.true(written().endsWith('Yes. (0.3 s)\n'));
});

test('prints a mark where words were interrupted', (t) => {
  const { view, written } = viewing(null);
  tell(view, 'turn.spoken', { ...said('Good mor'), whole: false });
  t.true(written().endsWith('Good mor –\n'));
});

test("prints a transfer's target and the reason of its failure, in the reader's language", (t) => {
  for (const [environment, requested, failed] of [
    [{}, 'Transfer requested: 01000000012', 'Transfer failed: busy'],
    [{ LC_ALL: 'ko_KR.UTF-8' }, '담당자에게 전화를 거는 중: 01000000012', '담당자와 연결하지 못함: 통화 중'],
  ] as const) {
    const { view, written } = viewing(null, environment);
    tell(view, 'call.transfer_requested', { transfer_id: 'one', to: '01000000012', mode: 'cold' });
    t.true(written().endsWith(`${requested}\n`));
    tell(view, 'call.transfer_failed', { transfer_id: 'one', reason: 'busy', sip: { status: 486 } });
    t.true(written().endsWith(`${failed}\n`));
    tell(view, 'call.transfer_failed', { transfer_id: 'one', reason: 'something_new' });
    t.true(written().endsWith(': something_new\n'));
  }
});

test('escapes control characters in received words', (t) => {
  const { view, written } = viewing(null);
  written();
  tell(
    view,
    'turn.spoken',
    said(`${escape}[2J${escape}]0;title\u0007Hello\r\n\u0007${escape}[1Athere\u009B3m`),
  );
  tell(view, 'call.summarized', { summary: `${escape}[31mred` });
  tell(view, `${escape}[31mnew.fact`);
  tell(view, 'turn.spoken', said('\u202Eignored\u202C \u2067in\u2069 \u200Fthis\u061C\u2028order'));
  view.say('The gateway says: \u202E...\u0007');
  const text = written();
  t.notRegex(text, /[^\P{Cc}\n]|[\p{Bidi_Control}\u2028\u2029]/u);
  t.true(text.includes('Hello'));
  t.true(text.includes('ignored in this order'));
});

test('escapes cursor and direction controls in JSON lines, and keeps other text', (t) => {
  let output = '';
  const view = createJsonView({ write: (text) => (output += text), tell: () => undefined });
  const text = '\u202Ethis\u202C \u2028 \u009B2J \u001B[31m';
  tell(view, 'turn.spoken', said(text));
  t.notRegex(output, /[^\P{Cc}\n]|[\p{Bidi_Control}\u2028\u2029]/u);
  t.like(JSON.parse(output), { event: { data: { text } } });
});

test('prints the state of the call and its duration in the last line', (t) => {
  const { view, written, clock } = viewing(60);
  t.true(written().endsWith(`\r${escape}[K  0:00  Ringing`));
  clock.advance(2_000);
  t.true(written().endsWith(`\r${escape}[K  0:02  Ringing`));
  tell(view, 'call.answered');
  const state = { call: 'active.talking.conversing', conversation: 'replying.speaking', voicemail: null };
  view.news({ type: 'state', state });
  t.true(written().endsWith(`\r${escape}[K  0:00  active.talking.conversing  replying.speaking`));
  tell(view, 'call.held');
  t.regex(written(), / {2}0:00 +Put on hold by the other party\n/);
  view.close();
  t.is(written(), `\r${escape}[K`);
  clock.advance(5_000);
  t.is(written(), '');
});

/** Reports the states of the charts, and the words that the agent is saying. */
const at = (view: CallView, conversation: string, saying: string | null = null): void =>
  view.news({
    type: 'state',
    state: { call: 'active.talking.conversing', conversation, voicemail: null, saying },
  });

/** A terminal of 24 lines: what a reader sees after these escape sequences, with its status line last. */
const screenOf = (output: string): string[] => {
  const lines = [''];
  let row = 0;
  // oxlint-disable-next-line no-control-regex -- escape sequences begin with a control character
  for (const [part] of output.matchAll(/\u001B\[(\d*)[AJK]|[\r\n]|[^\u001B\r\n]+/g)) {
    if (part === '\n') {
      row += 1;
      lines[row] ??= '';
    } else if (part === `${escape}[K`) lines[row] = '';
    else if (part === `${escape}[J`) lines.splice(row, lines.length, '');
    else if (part.startsWith(escape)) row -= Number(part.slice(2, -1));
    else if (part !== '\r') lines[row] += part;
  }
  return lines;
};

const greeting = 'Good morning.';
const question = 'Is the table free?';

test('shows words of the agent while they are spoken, and then what was heard of them', (t) => {
  const { view, written } = viewing(60);
  tell(view, 'call.answered');
  let all = written();
  const screen = (): string =>
    screenOf((all += written()))
      .slice(-3)
      .join('\n');
  at(view, 'replying.speaking', greeting);
  t.regex(screen(), /Answered\n {2}0:00 {2}Agent {8}Good morning\. …\n {2}0:00 {2}active/);
  at(view, 'replying.speaking', `${greeting} ${question}`);
  t.regex(
    screen(),
    /Answered\n {2}0:00 {2}Agent {8}Good morning\. Is the table free\? …\n {2}0:00 {2}active/,
  );
  at(view, 'listening.hearing');
  tell(view, 'turn.spoken', { ...said(`${greeting} Is the`), whole: false });
  t.regex(screen(), /Answered\n {2}0:00 {2}Agent {8}Good morning\. Is the –\n {2}0:00 {2}active/);
});

test('shows preliminary words of the other party until its final ones', (t) => {
  const { view, written } = viewing(60);
  tell(view, 'call.answered');
  let all = written();
  const screen = (): string => screenOf((all += written())).join('\n');
  const hears = (hearing: string | null): void =>
    view.news({
      type: 'state',
      state: {
        call: 'active.talking.conversing',
        conversation: hearing === null ? 'replying.thinking' : 'listening.hearing',
        voicemail: null,
        saying: null,
        hearing,
      },
    });
  hears('Is the');
  hears('Is the table');
  t.regex(screen(), /Answered\n {2}0:00 {2}Other party {2}Is the table …\n {2}0:00 {2}active/);
  hears(null);
  t.regex(screen(), /Is the table …/);
  tell(view, 'turn.spoken', said('Is the table free?', { role: 'user' }));
  t.regex(screen(), /Answered\n {2}0:00 {2}Other party {2}Is the table free\?\n {2}0:00 {2}active/);
  hears('Well');
  view.close();
  t.notRegex(screen(), /Well/);
});

test('takes words back from the terminal of which nothing was heard', (t) => {
  const { view, written, clock } = viewing(60);
  at(view, 'replying.speaking', greeting);
  at(view, 'listening.hearing');
  let all = written();
  t.true(screenOf(all).some((line) => line.includes(greeting)));
  clock.advance(10_000);
  all += written();
  t.false(screenOf(all).some((line) => line.includes(greeting)));
});

test('prints each sentence in a pipe when it begins, and nothing of it again', (t) => {
  const { view, written, clock } = viewing(null);
  tell(view, 'call.answered');
  written();
  at(view, 'replying.speaking', greeting);
  t.is(written(), `  0:00  Agent        ${greeting}\n`);
  clock.advance(3_000);
  at(view, 'replying.speaking', `${greeting} ${question}`);
  t.is(written(), `                     ${question}\n`);
  at(view, 'listening.silent');
  tell(view, 'turn.spoken', said(`${greeting} ${question}`));
  clock.advance(10_000);
  t.is(written(), '');
});

test('prints the answer at once in a pipe, before words that arrived before it', (t) => {
  const { view, written, output } = viewing(null);
  written();
  at(view, 'replying.speaking', greeting);
  tell(view, 'call.answered');
  t.is(output(), '  0:00               Answered\n');
  t.is(written(), `  0:00               Answered\n  0:00  Agent        ${greeting}\n`);
});

test('says in a pipe what was heard of words that it has printed', (t) => {
  const { view, written, clock } = viewing(null);
  tell(view, 'call.answered');
  at(view, 'replying.speaking', greeting);
  written();
  at(view, 'listening.silent');
  tell(view, 'turn.spoken', { ...said('Good mor'), whole: false });
  t.is(written(), '                     (heard only: Good mor –)\n');
  at(view, 'replying.speaking', question);
  written();
  at(view, 'listening.silent');
  clock.advance(10_000);
  t.is(written(), '                     (not heard)\n');
});

test('prints rows in the order of their times, though a turn is known at its end', (t) => {
  for (const columns of [null, 60]) {
    const { view, written, clock } = viewing(columns);
    tell(view, 'call.answered');
    clock.advance(3_000);
    at(view, 'replying.speaking', greeting);
    clock.advance(4_000);
    at(view, 'listening.hearing');
    tell(view, 'turn.spoken', said(greeting), 3);
    clock.advance(5_000);
    tell(view, 'call.hangup_requested', {}, 11);
    clock.advance(5_000);
    at(view, 'replying.thinking');
    tell(view, 'turn.spoken', said('Yes, it is.', { role: 'user' }), 7);
    clock.advance(5_000);
    const times = screenOf(written()).flatMap((line) => /^ {2}(0:\d\d) {2}(?!active)/.exec(line)?.[1] ?? []);
    t.deepEqual(times, ['0:00', '0:03', '0:07', '0:11'], String(columns));
  }
});

test('limits the state line to the width of the terminal', (t) => {
  const { view, written } = viewing(30);
  written();
  const state = { call: 'active.talking.conversing', conversation: 'replying.speaking', voicemail: null };
  view.news({ type: 'state', state });
  t.true(written().replace(`\r${escape}[K`, '').length < 30);
});

test('prints no state line when the output is a file', (t) => {
  const { view, written, clock } = viewing(null);
  view.news({ type: 'state', state: { call: 'ringing.alerting', conversation: null, voicemail: null } });
  clock.advance(10_000);
  t.false(written().includes(escape));
});

test('prints Korean texts for a Korean locale', (t) => {
  for (const environment of [{ LC_ALL: 'ko_KR.UTF-8', LANG: 'en_US' }, { LANG: 'ko' }])
    t.regex(viewing(null, environment).written(), /전화를 겁니다/);
  for (const environment of [{}, { LC_ALL: 'en_US', LANG: 'ko_KR' }, { LANG: 'ja_JP' }])
    t.regex(viewing(null, environment).written(), /^Calling/);
});
