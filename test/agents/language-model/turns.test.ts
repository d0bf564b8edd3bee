/** Whatever a model answers, a turn comes to an end: in words, in silence that it declared, or in a failure. */
import test from 'ava';
import * as fc from 'fast-check';
import pino from 'pino';
import { replyLimits } from '#config/policy.ts';
import { AgentFailure } from '#src/agents/agent.ts';
import { languageModelAgent } from '#src/agents/language-model.ts';
import { wordsFor } from '#src/agents/built-in/languages.ts';
import { kickoffFor } from '#src/domain/kickoff.ts';
import { Refusal } from '#src/domain/refusal.ts';
import type { Clock } from '#src/domain/clock.ts';
import { systemClock } from '#src/clocks.ts';
import { EndpointFailure } from '#src/outgoing/endpoint-failure.ts';
import type { EndpointClient } from '#src/outgoing/endpoint-client.ts';
import { hearReply } from '#test/helpers/heard-reply.ts';
import { bodyOf } from '#test/helpers/recorded-replies.ts';

/** One answer of the model: its words, the tools that it calls, and how it breaks off. */
type Round = { words: string; tools: string[]; breaks: 'no' | 'status' | 'stream' | 'connection' };

const event = (value: unknown): string => `data: ${JSON.stringify(value)}\n\n`;
const delta = (value: object, finish: string | null = null): string =>
  event({ choices: [{ index: 0, delta: value, finish_reason: finish }] });

const streamOf = ({ words, tools, breaks }: Round): string =>
  (words === '' ? '' : delta({ content: words })) +
  (breaks === 'stream'
    ? event({ error: 'overloaded' })
    : tools
        .map((name, index) =>
          delta({ tool_calls: [{ index, function: { name, arguments: '{"keys":"5"}' } }] }),
        )
        .join('') + delta({}, 'stop'));

const setUp = (rounds: readonly Round[], { isRefused = false, clock = systemClock, tookMs = 0 } = {}) => {
  const done: string[] = [];
  let asked = 0;
  let waited = 0;
  const client: EndpointClient = {
    post() {
      const round = rounds[asked % rounds.length];
      asked += 1;
      waited += tookMs;
      if (round === undefined || round.breaks === 'connection') {
        return Promise.reject(new EndpointFailure('connection_failed', 'ECONNREFUSED'));
      }
      return Promise.resolve({
        status: round.breaks === 'status' ? 503 : 200,
        headers: {},
        body: bodyOf([Buffer.from(streamOf(round))]),
        discard: () => undefined,
      });
    },
    close: () => Promise.resolve(),
  };
  const act = (what: string): Promise<void> => {
    if (isRefused) return Promise.reject(new Refusal('call_not_active', 'Not in progress.'));
    done.push(what);
    return Promise.resolve();
  };
  const limits: number[] = [];
  const observedClock: Clock = {
    now: () => clock.now() + waited,
    setTimeout(callback, milliseconds) {
      limits.push(milliseconds);
      return clock.setTimeout(callback, milliseconds);
    },
    clearTimeout: (timer) => clock.clearTimeout(timer),
  };
  const agent = languageModelAgent(
    {
      baseUrl: 'https://models.example/v1',
      model: 'small',
      apiKey: null,
      client,
      clock: observedClock,
      limits: replyLimits,
      firstTokenMs: 5_000,
    },
    {
      context: { call_id: 'call-1', direction: 'outbound', from: '021', to: '010', language: 'en' },
      binding: {
        direction: 'outbound',
        agent: 'builtin',
        agentType: null,
        chatUrl: null,
        assistantId: null,
        agentId: null,
        controls: 'off',
      },
      bearerToken: null,
      instruction: 'Confirm the booking',
    },
    {
      hangUp: () => act('hang up'),
      pressKeys: (_callId, keys) => act(`press ${keys}`),
      logger: pino({ level: 'silent' }),
    },
  );
  const messages = [{ role: 'user', content: kickoffFor('Confirm the booking') }] as const;
  const hear = () => hearReply(agent.reply({ turn: 1, messages }, new AbortController().signal));
  return { hear, done, limits, asked: () => asked };
};

const opening = wordsFor('en').opening;
const goodbye = wordsFor('en').goodbye;

const round: fc.Arbitrary<Round> = fc.record({
  words: fc.constantFrom('', 'Hello. ', 'Is Friday fine?'),
  tools: fc.array(fc.constantFrom('hang_up', 'press_keys', 'transfer'), { maxLength: 3 }),
  breaks: fc.constantFrom('no', 'no', 'status', 'stream', 'connection'),
});

test('a turn ends in words, in a declared silence or in a failure, asks three times at most, and hangs up once at most', async (t) => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(round, { minLength: 1, maxLength: 4 }),
      fc.boolean(),
      async (rounds, isRefused) => {
        const { hear, done, asked } = setUp(rounds, { isRefused });
        const { text, error } = await hear();
        t.true(error === undefined || error instanceof AgentFailure);
        t.true(asked() <= 3);
        const isSilent = text === '' && error === undefined;
        const last = rounds[(asked() - 1) % rounds.length];
        if (isSilent) t.like(last, { words: '', tools: [], breaks: 'no' });
        t.true(done.filter((what) => what === 'hang up').length <= 1);
        // Whoever is hung up on has heard something first.
        if (done.at(-1) === 'hang up') t.not(text, '');
        t.false(text.includes(opening), 'the agent without a model stays out of it');
        if (text === `${wordsFor('en').thanks} ${goodbye}`) t.is(done.at(-1), 'hang up');
      },
    ),
    { numRuns: 300 },
  );
});

test('a model that fails behind keys that it pressed has failed', async (t) => {
  const { hear, done } = setUp([
    { words: '', tools: ['press_keys'], breaks: 'no' },
    { words: '', tools: [], breaks: 'status' },
  ]);
  const { text, error } = await hear();
  t.is(text, '');
  t.deepEqual(done, ['press 5']);
  t.like(error, { failure: 'http_error', status: 503 });
});

test('keys that were pressed are an answer, and silence behind them is declared', async (t) => {
  const { hear, done } = setUp([
    { words: '', tools: ['press_keys'], breaks: 'no' },
    { words: '', tools: [], breaks: 'no' },
  ]);
  const { text, error } = await hear();
  t.deepEqual([text, error, done], ['', undefined, ['press 5']]);
});

test('the first word is waited for once, over all rounds together', async (t) => {
  // Time goes by in the model alone.
  const took = { clock: { ...systemClock, now: () => 0 }, tookMs: 2_000 };
  const silent = setUp([{ words: '', tools: ['transfer'], breaks: 'no' }], took);
  await silent.hear();
  t.deepEqual(silent.limits, [5_000, 3_000, 1_000]);

  const talking = setUp([{ words: 'Just a moment. ', tools: ['transfer'], breaks: 'no' }], took);
  await talking.hear();
  t.deepEqual(talking.limits.slice(1), [5_000, 5_000]);
});
