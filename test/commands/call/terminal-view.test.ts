import test from 'ava';
import type { CallEvent } from '#src/client/schema.ts';
import type { CallView } from '#src/commands/call/call-view.ts';
import { createTerminalView } from '#src/commands/call/terminal-view.ts';
import { wordsFor } from '#src/commands/call/words.ts';
import { createOrderedClock } from '#test/contract/ordered-clock.ts';

const escape = '\u001B';

const viewing = (columns: number | null, environment: NodeJS.ProcessEnv = {}) => {
  const clock = createOrderedClock();
  let written = '';
  const view = createTerminalView({
    write: (text) => (written += text),
    columns: () => columns,
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
    /** What was written since this was asked last. */
    written: () => {
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

test('words stand beside their speaker, and go on below where they are many', (t) => {
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

test('the wait for a reply stands behind it, and nothing behind what answers no words', (t) => {
  const { view, written } = viewing(null);
  tell(view, 'turn.spoken', said('Good morning.', { latency: { first_audio_ms: 40 } }));
  t.true(written().endsWith('Good morning.\n'));
  tell(view, 'turn.spoken', said('Yes.', { latency: { endpointing_ms: 260, first_audio_ms: 40 } }));
  t.true(written().endsWith('Yes. (0.3 s)\n'));
});

test('words that were cut off show where', (t) => {
  const { view, written } = viewing(null);
  tell(view, 'turn.spoken', { ...said('Good mor'), whole: false });
  t.true(written().endsWith('Good mor –\n'));
});

test('what others say moves no cursor and rings no bell', (t) => {
  const { view, written } = viewing(null);
  written();
  tell(
    view,
    'turn.spoken',
    said(`${escape}[2J${escape}]0;title\u0007Hello\r\n\u0007${escape}[1Athere\u009B3m`),
  );
  tell(view, 'call.summarized', { summary: `${escape}[31mred` });
  tell(view, `${escape}[31mnew.fact`);
  const text = written();
  t.notRegex(text, /[^\P{Cc}\n]/u);
  t.true(text.includes('Hello'));
});

test('the last line is the state of the call, and the time that it has lasted', (t) => {
  const { view, written, clock } = viewing(60);
  t.true(written().endsWith(`\r${escape}[K  0:00  Ringing`));
  clock.advance(2_000);
  t.true(written().endsWith(`\r${escape}[K  0:02  Ringing`));
  tell(view, 'call.answered');
  const state = { call: 'active.talking.conversing', conversation: 'replying.speaking', voicemail: null };
  view.news({ type: 'state', state });
  t.true(written().endsWith(`\r${escape}[K  0:00  active.talking.conversing  replying.speaking`));
  tell(view, 'call.held');
  t.regex(written().replace(`\r${escape}[K`, '> '), /^> {3}0:00 +Put on hold by the other party\n/);
  view.close();
  t.is(written(), `\r${escape}[K`);
  clock.advance(5_000);
  t.is(written(), '');
});

test('the state is never wider than the terminal', (t) => {
  const { view, written } = viewing(30);
  written();
  const state = { call: 'active.talking.conversing', conversation: 'replying.speaking', voicemail: null };
  view.news({ type: 'state', state });
  t.true(written().replace(`\r${escape}[K`, '').length < 30);
});

test('a file gets no line of the state', (t) => {
  const { view, written, clock } = viewing(null);
  view.news({ type: 'state', state: { call: 'ringing.alerting', conversation: null, voicemail: null } });
  clock.advance(10_000);
  t.false(written().includes(escape));
});

test('who reads Korean gets Korean', (t) => {
  for (const environment of [{ LC_ALL: 'ko_KR.UTF-8', LANG: 'en_US' }, { LANG: 'ko' }])
    t.regex(viewing(null, environment).written(), /전화를 겁니다/);
  for (const environment of [{}, { LC_ALL: 'en_US', LANG: 'ko_KR' }, { LANG: 'ja_JP' }])
    t.regex(viewing(null, environment).written(), /^Calling/);
});
