import test from 'ava';
import pino from 'pino';
import { SimulatedClock } from 'xstate';
import { createSummaries } from '#src/calls/summaries/summaries.ts';
import type { SummarizeByModel } from '#src/domain/call-summary.ts';
import { scriptedDatabase } from '#test/helpers/scripted-database.ts';

const call = { language: 'en', durationSec: 12, endReason: 'agent_hangup' };
const words = [
  { role: 'assistant', text: 'Is Friday fine?' },
  { role: 'user', text: 'A secret word.' },
];
const fromFacts = /^12 s connected\..*The AI ended the call\./;

const setUp = (summarizeByModel: SummarizeByModel | null, turns: readonly object[] = words) => {
  const database = scriptedDatabase(() => Promise.resolve([{ ...call, turns }]));
  const clock = new SimulatedClock();
  const published: string[] = [];
  const logged: string[] = [];
  const summaries = createSummaries({
    database,
    journal: {
      publish(_callId, fact) {
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

/** A model that never answers; `asked` resolves when it is asked. */
const stuckModel = () => {
  const asked = Promise.withResolvers<void>();
  const summarize: SummarizeByModel = (_call, signal) =>
    new Promise((_resolve, reject) => {
      signal.addEventListener('abort', () => reject(new Error('aborted')));
      asked.resolve();
    });
  return { asked: asked.promise, summarize };
};

test('the model is given the language and the words, and what it says is the summary', async (t) => {
  const asked: unknown[] = [];
  const { summaries, published } = setUp((source) => {
    asked.push(source);
    return Promise.resolve('They agreed on Friday.');
  });
  summaries.write('call-1');
  await summaries.settled();
  t.deepEqual(asked, [{ language: 'en', turns: words }]);
  t.deepEqual(published, ['They agreed on Friday.']);
});

test('without a model, and without a word that was heard, the facts alone make the summary', async (t) => {
  const without = setUp(null);
  without.summaries.write('call-1');
  await without.summaries.settled();
  t.regex(without.published[0] ?? '', fromFacts);

  const silent = setUp(() => Promise.resolve('It was asked.'), [{ role: 'assistant', text: '' }]);
  silent.summaries.write('call-1');
  await silent.summaries.settled();
  t.deepEqual(silent.published, ['Nothing was said. The AI ended the call.']);
});

test('what is known with the end is not looked up again', async (t) => {
  const { summaries, published } = setUp(null, []);
  summaries.write('call-1', { language: 'en', durationSec: 3, endReason: 'counterparty_hangup', turns: [] });
  summaries.write('call-2', null);
  await summaries.settled();
  t.deepEqual(published.toSorted(), [
    'Nothing was said. The AI ended the call.',
    'Nothing was said. The other party hung up.',
  ]);
});

test('a model that fails is replaced, and the log says why without a word of the call', async (t) => {
  const failures = [
    Object.assign(new Error('HTTP 500'), { failure: 'http_error', serverSays: 'A secret word.' }),
    new SyntaxError('unexpected "A secret word."'),
  ];
  for (const error of failures) {
    const { summaries, published, logged } = setUp(() => Promise.reject(error));
    summaries.write('call-1');
    await summaries.settled();
    t.regex(published[0] ?? '', fromFacts);
    t.is(logged.length, 1);
    t.regex(logged[0] ?? '', /"level":40.*"call_id":"call-1"/);
    t.notRegex(logged[0] ?? '', /secret/);
  }
});

test('a model that takes too long is given up', async (t) => {
  const { asked, summarize } = stuckModel();
  const { summaries, clock, published } = setUp(summarize);
  summaries.write('call-1');
  await asked;
  clock.increment(19_999);
  t.deepEqual(published, []);
  clock.increment(1);
  await summaries.settled();
  t.regex(published[0] ?? '', fromFacts);
});

test('the end of the gateway waits for the model a little, and then asks it no more', async (t) => {
  const { asked, summarize } = stuckModel();
  const { summaries, clock, published } = setUp(summarize);
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
