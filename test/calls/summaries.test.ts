/** Summaries of calls. */
import test from 'ava';
import pino from 'pino';
import { SimulatedClock } from 'xstate';
import { createSummaries } from '#src/calls/summaries/summaries.ts';
import { summarize } from '#src/calls/summaries/summarize.ts';
import { createSummaryWithEnd } from '#src/calls/summaries/summary-with-end.ts';
import type { CallToSummarize, SummarizeByModel } from '#src/domain/call-summary.ts';
import { endReasons } from '#src/domain/end-reasons.ts';
import { scriptedDatabase } from '#test/helpers/scripted-database.ts';

// Summarize

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

test('summarizes a Korean call in Korean', (t) => {
  const expected =
    '13초 통화, AI 2번, 상대방 1번 발화. 이쪽에서 통화를 마쳤습니다. 상대방의 마지막 말: "네, 좋아요."';
  t.is(summarize(source()), expected);
  t.is(summarize(source({ language: 'ko-KR' })), expected);
});

test('summarizes a Japanese call in Japanese', (t) => {
  t.is(
    summarize(source({ language: 'ja', turns: [{ role: 'user', text: 'はい。' }] })),
    '13秒の通話、AI 0回、相手 1回の発話。こちら側から通話を終了しました。相手の最後の言葉:「はい。」',
  );
});

test('summarizes calls in other languages in English', (t) => {
  t.is(
    summarize(source({ language: 'fr', turns: [...turns, { role: 'user', text: 'はい。' }] })),
    '13 s connected. The AI spoke 2 times, the other party 2 times. Our side ended the call. ' +
      'Last words of the other party: "はい。"',
  );
  t.regex(summarize(source({ language: 'en' })), /The AI spoke 2 times, the other party once\./);
});

test('reports a call without words as such instead of counting turns', (t) => {
  const unanswered = { durationSec: 0, endReason: 'busy', turns: [] } as const;
  t.is(summarize(source(unanswered)), '대화는 없었습니다. 상대방이 통화 중이었습니다.');
  t.is(summarize(source({ ...unanswered, language: 'en' })), 'Nothing was said. The line was busy.');
  t.is(
    summarize(source({ ...unanswered, language: 'en', turns: [{ role: 'assistant', text: '' }] })),
    'Nothing was said. The line was busy.',
    'what was never heard does not count',
  );
});

test('omits the last words if only the agent spoke', (t) => {
  t.is(
    summarize(source({ turns: turns.slice(0, 1) })),
    '13초 통화, AI 1번, 상대방 0번 발화. 이쪽에서 통화를 마쳤습니다.',
  );
});

test('omits an unknown duration from the summary', (t) => {
  t.is(
    summarize(source({ durationSec: null, endReason: 'system_error', language: 'en' })),
    'The AI spoke 2 times, the other party once. The call ended because of an error in the gateway. ' +
      'Last words of the other party: "네, 좋아요."',
  );
  t.regex(summarize(source({ durationSec: null })), /^AI 2번, 상대방 1번 발화\./);
});

test('cuts long last words between two characters', (t) => {
  const summary = (text: string): string => summarize(source({ turns: [{ role: 'user', text }] }));
  t.true(summary('가'.repeat(120)).endsWith(`"${'가'.repeat(120)}"`));
  t.true(summary('가'.repeat(121)).endsWith(`"${'가'.repeat(119)}…"`));
  t.true(summary(`${'가'.repeat(118)}😀😀😀`).endsWith('가😀…"'));
});

test('has a text for every end reason in each language', (t) => {
  for (const language of ['ko', 'en', 'ja']) {
    const summaries = endReasons.map((endReason) => summarize(source({ language, endReason, turns: [] })));
    t.is(new Set(summaries).size, endReasons.length);
    for (const summary of summaries) t.notRegex(summary, /undefined|_/);
  }
});

// With the end

const end = { type: 'call.ended', reason: 'agent_hangup', status: 'completed' } as const;

const said = (role: 'assistant' | 'user', text: string) =>
  ({ type: 'turn.spoken', at: 2_000, endedAt: 3_000, role, text, whole: true }) as const;

test('adds the summary of a call that began here to its end', (t) => {
  const withEnd = createSummaryWithEnd();
  withEnd.begin('a', 'en');
  withEnd.begin('b', 'en');
  for (const fact of [{ type: 'call.answered', at: 1_000 } as const, said('assistant', 'Hello.')])
    t.is(withEnd.complete('a', fact), fact);
  withEnd.complete('b', said('user', 'Good evening.'));
  withEnd.complete('a', said('user', 'Goodbye.'));
  const summary =
    '12 s connected. The AI spoke once, the other party once. Our side ended the call. Last words of the other party: "Goodbye."';
  t.deepEqual(withEnd.complete('a', { ...end, at: 13_400 }), { ...end, at: 13_400, summary });
});

test('adds no duration to the summary of an end that the gateway did not observe', (t) => {
  const withEnd = createSummaryWithEnd();
  withEnd.begin('a', 'en');
  withEnd.complete('a', { type: 'call.answered', at: 1_000 });
  withEnd.complete('a', said('assistant', 'Hello.'));
  t.like(withEnd.complete('a', { ...end, at: 9_000, durationIsKnown: false }), {
    summary: 'The AI spoke once, the other party 0 times. Our side ended the call.',
  });
});

test('adds no summary to the end of a call that began elsewhere or was released', (t) => {
  const withEnd = createSummaryWithEnd();
  withEnd.begin('a', 'en');
  withEnd.release('a');
  for (const callId of ['a', 'b'])
    t.deepEqual(withEnd.complete(callId, { ...end, at: 9_000 }), { ...end, at: 9_000 });
});

// Summaries

const call = { language: 'en', durationSec: 12, endReason: 'agent_hangup' };
const words = [
  { role: 'assistant', text: 'Is Friday fine?' },
  { role: 'user', text: 'A secret word.' },
];
const fromFacts = /^12 s connected\..*Our side ended the call\./;

const setUpSummaries = (summarizeByModel: SummarizeByModel | null, turns: readonly object[] = words) => {
  const database = scriptedDatabase(() => Promise.resolve([{ ...call, turns }]));
  const clock = new SimulatedClock();
  const published: string[] = [];
  const logged: string[] = [];
  const summaries = createSummaries({
    database,
    journal: {
      append(_callId, fact) {
        if (fact.type === 'call.summarized') published.push(fact.summary);
      },
    },
    summarizeByModel,
    modelMs: 20_000,
    clock,
    logger: pino({}, { write: (line: string) => void logged.push(line) }),
  });
  return { summaries, clock, published, logged };
};

/** A model that never answers; `asked` resolves when it is requested. */
const stuckModel = () => {
  const asked = Promise.withResolvers<void>();
  const summarize: SummarizeByModel = (_call, signal) =>
    new Promise((_resolve, reject) => {
      signal.addEventListener('abort', () => reject(new Error('aborted')));
      asked.resolve();
    });
  return { asked: asked.promise, summarize };
};

test.serial(
  'gives the model language and words of the call and uses its answer as the summary',
  async (t) => {
    const asked: unknown[] = [];
    const { summaries, published } = setUpSummaries((source) => {
      asked.push(source);
      return Promise.resolve('They agreed on Friday.');
    });
    summaries.write('call-1');
    await summaries.settled();
    t.deepEqual(asked, [{ language: 'en', turns: words }]);
    t.deepEqual(published, ['They agreed on Friday.']);
  },
);

test.serial('builds the summary from facts without a model or without words', async (t) => {
  const without = setUpSummaries(null);
  without.summaries.write('call-1');
  await without.summaries.settled();
  t.regex(without.published[0] ?? '', fromFacts);

  const silent = setUpSummaries(() => Promise.resolve('It was asked.'), [{ role: 'assistant', text: '' }]);
  silent.summaries.write('call-1');
  await silent.summaries.settled();
  t.deepEqual(silent.published, ['Nothing was said. Our side ended the call.']);
});

test.serial('reads no facts again that the end of the call already contained', async (t) => {
  const { summaries, published } = setUpSummaries(null, []);
  summaries.write('call-1', { language: 'en', durationSec: 3, endReason: 'counterparty_hangup', turns: [] });
  summaries.write('call-2', null);
  await summaries.settled();
  t.deepEqual(published.toSorted(), [
    'Nothing was said. Our side ended the call.',
    'Nothing was said. The other party hung up.',
  ]);
});

test.serial(
  'uses facts instead of a failing model and logs the reason without words of the call',
  async (t) => {
    const failures = [
      Object.assign(new Error('HTTP 500'), { failure: 'http_error', serverSays: 'A secret word.' }),
      new SyntaxError('unexpected "A secret word."'),
    ];
    for (const error of failures) {
      const { summaries, published, logged } = setUpSummaries(() => Promise.reject(error));
      summaries.write('call-1');
      await summaries.settled();
      t.regex(published[0] ?? '', fromFacts);
      t.is(logged.length, 1);
      t.regex(logged[0] ?? '', /"level":40.*"call_id":"call-1"/);
      t.notRegex(logged[0] ?? '', /secret/);
    }
  },
);

test.serial('cancels a model request that takes too long', async (t) => {
  const { asked, summarize } = stuckModel();
  const { summaries, clock, published } = setUpSummaries(summarize);
  summaries.write('call-1');
  await asked;
  clock.increment(19_999);
  t.deepEqual(published, []);
  clock.increment(1);
  await summaries.settled();
  t.regex(published[0] ?? '', fromFacts);
});

test.serial('on shutdown, waits briefly for the model, then stops requesting it', async (t) => {
  const { asked, summarize } = stuckModel();
  const { summaries, clock, published } = setUpSummaries(summarize);
  summaries.write('call-1');
  await asked;
  summaries.hurry();
  clock.increment(2_000);
  await summaries.settled();
  t.regex(published[0] ?? '', fromFacts);
  summaries.write('call-2');
  await summaries.settled();
  t.is(published.length, 2);
});

// Interim summaries of a call in progress

const soFar = { language: 'en', turns: [{ role: 'user', text: 'A secret word.' }] } as const;

test('returns no interim summary without a language model', (t) => {
  t.is(setUpSummaries(null).summaries.soFar, null);
});

test("returns an interim summary without writing to the call's journal", async (t) => {
  const { summaries, published } = setUpSummaries(({ turns: [turn] }) => Promise.resolve(`${turn?.text}`));
  const unwanted = new AbortController();
  t.is(await summaries.soFar?.('call', soFar, unwanted.signal), 'A secret word.');
  t.is(await summaries.soFar?.('call', { ...soFar, turns: [] }, unwanted.signal), undefined);
  t.deepEqual(published, []);
});

test('aborts the model request of an aborted summary without a log line', async (t) => {
  const { asked, summarize: stuck } = stuckModel();
  const { summaries, logged } = setUpSummaries(stuck);
  const unwanted = new AbortController();
  const summary = summaries.soFar?.('call', soFar, unwanted.signal);
  await asked;
  unwanted.abort();
  t.is(await summary, undefined);
  await summaries.settled();
  t.deepEqual(logged, []);
});

test('limits the length of an interim summary', async (t) => {
  const { asked, summarize: stuck } = stuckModel();
  const { summaries, clock, logged } = setUpSummaries(stuck);
  const summary = summaries.soFar?.('call', soFar, new AbortController().signal);
  await asked;
  clock.increment(20_000);
  t.is(await summary, undefined);
  t.is(logged.length, 1);
  t.false(logged.join('').includes('secret'));
});
