import test from 'ava';
import { summarize } from '#src/calls/summaries/summarize.ts';
import type { CallToSummarize } from '#src/domain/call-summary.ts';
import { endReasons } from '#src/domain/end-reasons.ts';

const turns: CallToSummarize['turns'] = [
  { role: 'assistant', text: '안녕하세요.' },
  { role: 'user', text: '네, 좋아요.' },
  { role: 'assistant', text: '감사합니다.' },
];

const source = (changes: Partial<CallToSummarize> = {}): CallToSummarize => ({
  language: 'ko',
  durationSec: 12.6,
  endReason: 'agent_hangup',
  turns,
  ...changes,
});

test('a Korean call is summarized in Korean', (t) => {
  const expected =
    '13초 통화, AI 2번, 상대방 1번 발화. AI가 통화를 마쳤습니다. 상대방의 마지막 말: "네, 좋아요."';
  t.is(summarize(source()), expected);
  t.is(summarize(source({ language: 'ko-KR' })), expected);
});

test('a Japanese call is summarized in Japanese', (t) => {
  t.is(
    summarize(source({ language: 'ja', turns: [{ role: 'user', text: 'はい。' }] })),
    '13秒の通話、AI 0回、相手 1回の発話。AIが通話を終了しました。相手の最後の言葉:「はい。」',
  );
});

test('any other call is summarized in English', (t) => {
  t.is(
    summarize(source({ language: 'fr', turns: [...turns, { role: 'user', text: 'はい。' }] })),
    '13 s connected. The AI spoke 2 times, the other party 2 times. The AI ended the call. ' +
      'Last words of the other party: "はい。"',
  );
  t.regex(summarize(source({ language: 'en' })), /The AI spoke 2 times, the other party once\./);
});

test('a call without a word says so, in place of numbers', (t) => {
  const unanswered = { durationSec: 0, endReason: 'busy', turns: [] } as const;
  t.is(summarize(source(unanswered)), '대화는 없었습니다. 상대방이 통화 중이었습니다.');
  t.is(summarize(source({ ...unanswered, language: 'en' })), 'Nothing was said. The line was busy.');
  t.is(
    summarize(source({ ...unanswered, language: 'en', turns: [{ role: 'assistant', text: '' }] })),
    'Nothing was said. The line was busy.',
    'what was never heard does not count',
  );
});

test('where only the agent spoke there are no last words', (t) => {
  t.is(
    summarize(source({ turns: turns.slice(0, 1) })),
    '13초 통화, AI 1번, 상대방 0번 발화. AI가 통화를 마쳤습니다.',
  );
});

test('an unknown duration is not told', (t) => {
  t.is(
    summarize(source({ durationSec: null, endReason: 'system_error', language: 'en' })),
    'The AI spoke 2 times, the other party once. The call ended because of an error in the gateway. ' +
      'Last words of the other party: "네, 좋아요."',
  );
  t.regex(summarize(source({ durationSec: null })), /^AI 2번, 상대방 1번 발화\./);
});

test('long last words are cut between two characters', (t) => {
  const summary = (text: string): string => summarize(source({ turns: [{ role: 'user', text }] }));
  t.true(summary('가'.repeat(120)).endsWith(`"${'가'.repeat(120)}"`));
  t.true(summary('가'.repeat(121)).endsWith(`"${'가'.repeat(119)}…"`));
  t.true(summary(`${'가'.repeat(118)}😀😀😀`).endsWith('가😀…"'));
});

test('every reason has its words in each language', (t) => {
  for (const language of ['ko', 'en', 'ja']) {
    const summaries = endReasons.map((endReason) => summarize(source({ language, endReason, turns: [] })));
    t.is(new Set(summaries).size, endReasons.length);
    for (const summary of summaries) t.notRegex(summary, /undefined|_/);
  }
});
