/** Values of a conversation: bindings, contexts, backchannels, kickoff, phrases, refusals and end reasons. */
import test from 'ava';
import * as fc from 'fast-check';
import type { Direction } from '#machines/line.ts';
import { type EndReason, outcomeOf } from '#machines/outcome.ts';
import {
  type AgentBinding,
  type AgentType,
  agentTypes,
  canTakeCalls,
  keepWhatTypeStores,
} from '#src/domain/agent-binding.ts';
import { agentContext, partiesOf } from '#src/domain/agent-context.ts';
import { isBackchannel } from '#src/domain/backchannels.ts';
import { callStatuses, endReasons } from '#src/domain/end-reasons.ts';
import { introductionFor } from '#src/domain/introduction.ts';
import { kickoffFor } from '#src/domain/kickoff.ts';
import { type Language, languages } from '#src/domain/language.ts';
import { builtInGreeting, phrases } from '#src/domain/phrases.ts';
import { Refusal, refusalCatalogue, type RefusalCode } from '#src/domain/refusal.ts';

// Agent binding

const full: AgentBinding = {
  direction: 'outbound',
  agent: 'endpoint',
  agentType: 'webhook',
  chatUrl: 'https://agent.example/chat',
  assistantId: 'an-assistant',
  agentId: 'an-agent',
  controls: 'off',
  model: null,
  prompt: null,
  tools: null,
};

const stored = test.macro<[AgentType | null, Direction, ('assistantId' | 'agentId')[]]>({
  exec(t, agentType, direction, kept) {
    const binding = { ...full, agentType, direction };
    t.deepEqual(keepWhatTypeStores(binding), {
      ...binding,
      assistantId: kept.includes('assistantId') ? 'an-assistant' : null,
      agentId: kept.includes('agentId') ? 'an-agent' : null,
    });
  },
  title: (_, agentType, direction, kept) =>
    `${agentType ?? 'no type'} ${direction} stores the chat URL${kept.map((name) => ` and ${name}`).join('')}`,
});

test(stored, 'webhook', 'inbound', []);
test(stored, 'webhook', 'outbound', []);
test(stored, 'openai_compatible', 'inbound', []);
test(stored, 'openai_compatible', 'outbound', []);
test(stored, 'n8n', 'inbound', []);
test(stored, 'n8n', 'outbound', []);
test(stored, 'langgraph', 'inbound', ['assistantId']);
test(stored, 'langgraph', 'outbound', ['assistantId']);
test(stored, 'mastra', 'inbound', []);
test(stored, 'mastra', 'outbound', ['agentId']);
test(stored, null, 'inbound', []);
test(stored, null, 'outbound', []);

test('the built-in agent stores its model, instructions and tools, and an endpoint none of them', (t) => {
  const own = { model: 'large', prompt: 'Be brief.', tools: ['hang_up' as const] };
  t.like(keepWhatTypeStores({ ...full, ...own, agent: 'builtin' }), own);
  t.like(keepWhatTypeStores({ ...full, ...own }), { model: null, prompt: null, tools: null });
});

test('the built-in agent accepts calls without settings', (t) => {
  t.true(canTakeCalls({ ...full, agent: 'builtin', agentType: null, chatUrl: null }));
});

test('an agent endpoint accepts calls if it has a type and a chat URL', (t) => {
  for (const agentType of agentTypes) t.true(canTakeCalls({ ...full, agentType }));
  t.false(canTakeCalls({ ...full, agentType: null }));
  t.false(canTakeCalls({ ...full, chatUrl: null }));
  t.false(canTakeCalls({ ...full, chatUrl: '' }));
});

// Agent context

test('the context for an agent has caller and callee', (t) => {
  const call = { direction: 'outbound', from: '0212345678', to: '01000000001', language: 'ko' } as const;
  t.deepEqual(agentContext({ id: 'a-call', ...call }), { call_id: 'a-call', ...call });
});

test('stores an outbound call as from the own number, and an inbound call as to it', (t) => {
  const numbers = { ownNumber: '0212345678', counterparty: '01000000001' };
  t.deepEqual(partiesOf({ ...numbers, direction: 'outbound' }), { from: '0212345678', to: '01000000001' });
  t.deepEqual(partiesOf({ ...numbers, direction: 'inbound' }), { from: '01000000001', to: '0212345678' });
});

// Backchannels

const murmurs = test.macro<[language: string, text: string]>({
  exec(t, language, text) {
    t.true(isBackchannel(text, language));
  },
  title: (_, language, text) => `"${text}" is a backchannel (${language})`,
});

const speaks = test.macro<[language: string, text: string]>({
  exec(t, language, text) {
    t.false(isBackchannel(text, language));
  },
  title: (_, language, text) => `"${text}" is more than a backchannel (${language})`,
});

for (const text of [
  '네',
  '네.',
  '네, 네.',
  '네네네',
  '음...',
  '음~',
  '아, 예',
  '그렇죠',
  '응',
  '어어',
  '네에',
  '네네에넵예예',
  '으음음음응응',
  '아하아아하',
  '맞아요그렇죠그래요',
])
  test(murmurs, 'ko', text);
for (const text of [
  'uh-huh',
  'Uh-huh.',
  'Mm-hmm',
  'mhm',
  'mmm',
  'Right.',
  'okay',
  'OK, OK',
  'Yeah, right',
  'hmm',
])
  test(murmurs, 'en', text);
for (const text of ['はい', 'はい、はい。', 'うん', 'うーん', 'ええ', 'はいはい', 'なるほど'])
  test(murmurs, 'ja', text);
test(murmurs, 'ko-KR', '네');
test(murmurs, 'EN-us', 'Uh-huh');

for (const text of [
  `${'아'.repeat(40)}악`,
  `${'네'.repeat(40)}에에`,
  '으으음',
  '아니요',
  '네, 잠깐만요',
  '여보세요',
  '어디세요?',
  '',
  '...',
  'uh-huh',
])
  test(speaks, 'ko', text);
for (const text of ['No', 'Okay, but wait', 'right now', 'hum', 'mum', '', '?', '네'])
  test(speaks, 'en', text);
for (const text of ['いいえ', 'はい、でも', 'ちょっと', 'うんめい']) test(speaks, 'ja', text);
test(speaks, 'fr', 'oui');
test(speaks, '', 'okay');

// Kickoff

const firstLine = '[outbound call connected] You speak first. The other party has not said anything yet.';

test('the kickoff has one line for the outbound call and one for the task', (t) => {
  t.is(kickoffFor('Ask about the opening hours.'), `${firstLine}\n[task] Ask about the opening hours.`);
});

const withoutTask = test.macro<[string | null]>({
  exec: (t, instruction) => t.is(kickoffFor(instruction), firstLine),
  title: (_, instruction) =>
    `the kickoff has only its first line without a task: ${JSON.stringify(instruction)}`,
});

test(withoutTask, null);
test(withoutTask, '');
test(withoutTask, ' \n \t ');

const folded = test.macro<[string, string]>({
  exec: (t, instruction, task) => t.is(kickoffFor(instruction), `${firstLine}\n[task] ${task}`),
  title: (_, instruction) => `folds line breaks of the task into spaces: ${JSON.stringify(instruction)}`,
});

test(folded, 'One.\nTwo.', 'One. Two.');
test(folded, 'One.\r\nTwo.\r\nThree.', 'One. Two. Three.');
test(folded, 'One.\n\n\nTwo.', 'One. Two.');
test(folded, 'One.  \n  Two.', 'One. Two.');
test(folded, '\nOne.\n', 'One.');
test(folded, 'One.\rTwo.', 'One. Two.');
test(folded, 'One.\u2028Two.\u2029Three.', 'One. Two. Three.');
test(folded, 'One  two.', 'One  two.');

test("gives call screening the caller's name, if any, and the first sentence of the instruction", (t) => {
  const told = (language: Language, callerName: string | null, instruction: string | null) =>
    introductionFor(language, { callerName, instruction });
  t.is(
    told('en', 'Riverside', 'Confirm the appointment at 3.30 p.m. on Friday! The code is 1234.'),
    'Hello, this is Riverside. I am calling about this: Confirm the appointment at 3.30 p.m.',
  );
  t.is(told('en', null, null), 'Hello, this is an automated call.');
  t.is(told('en', 'Kim', ' … '), 'Hello, this is Kim.');
  t.is(
    told('en', 'Kim', 'Ask about the order\nThe code is 1234.'),
    'Hello, this is Kim. I am calling about this: Ask about the order.',
  );
  t.is(
    told('ko', '행복한 치과', '예약을 확인해 주세요. 비밀번호는 1234입니다.'),
    '안녕하세요, 행복한 치과입니다. 용건을 말씀드리겠습니다. 예약을 확인해 주세요.',
  );
  t.is(
    told('ja', '田中歯科', '予約の確認です。番号は1234です。'),
    'お電話しております、田中歯科です。ご用件を申し上げます。予約の確認です。',
  );
  t.true(told('en', null, 'x'.repeat(5_000)).length < 300);
});

test('the kickoff has at most two lines, so that a task cannot imitate a marker', (t) => {
  const instruction = fc.string({ unit: fc.constantFrom('a', ' ', '\n', '\r', '\u2028', '\u2029', '[') });
  fc.assert(
    fc.property(instruction, (text) => {
      const lines = kickoffFor(text).split(/[\r\n\u2028\u2029]/);
      return lines[0] === firstLine && lines.length === (text.trim() === '' ? 1 : 2);
    }),
  );
  t.pass();
});

// Phrases

for (const language of languages)
  test(`has sentences for apology, reprompt and greeting in ${language}`, (t) => {
    const { voicemailMessage: _message, ...said } = phrases[language];
    const sentences = [...Object.values(said), builtInGreeting[language]];
    t.is(new Set(sentences).size, 7, 'each moment has words of its own');
    for (const sentence of sentences) t.regex(sentence, /^\S.+[.?。]$/s);
  });

// Refusal

/** See guides/design/wire.md, "Errors". */
const statuses: readonly (readonly [RefusalCode, number])[] = [
  ['no_agent_endpoint', 422],
  ['invalid_max_duration_sec', 400],
  ['max_duration_exceeds_policy', 400],
  ['range_not_satisfiable', 416],
  ['recording_not_available', 409],
  ['call_not_active', 409],
  ['room_unknown', 409],
  ['call_not_found', 404],
  ['hangup_failed', 502],
  ['hangup_unavailable', 503],
  ['outcome_unknown', 504],
  ['unauthorized', 401],
  ['number_mismatch', 403],
  ['destination_not_allowed', 403],
  ['invalid_request', 400],
  ['invalid_to', 400],
  ['rate_limited', 429],
  ['concurrency_limit', 429],
  ['draining', 503],
  ['over_capacity', 503],
  ['idempotency_in_progress', 409],
  ['idempotency_key_reused', 422],
  ['search_too_broad', 422],
];

for (const [code, status] of statuses)
  test(`the refusal ${code} has the status ${status}`, (t) => {
    t.is(new Refusal(code, 'A sentence.').status, status);
  });

test('passes details, headers and cause of a refusal to the API', (t) => {
  const cause = new Error('the inside');
  const refusal = new Refusal('max_duration_exceeds_policy', 'At most 600 seconds.', {
    extras: { maximum: 600 },
    headers: { 'Retry-After': '5' },
    cause,
  });
  t.true(refusal instanceof Error);
  t.is(refusal.message, 'At most 600 seconds.');
  t.deepEqual(refusal.extras, { maximum: 600 });
  t.deepEqual(refusal.headers, { 'Retry-After': '5' });
  t.is(refusal.cause, cause);
});

test('passes no details to the API for a refusal without details', (t) => {
  const refusal = new Refusal('call_not_found', 'There is no such call.');
  t.deepEqual(refusal.extras, {});
  t.deepEqual(refusal.headers, {});
  t.false('cause' in refusal);
});

test('every refusal has a wire name, an error status and a title without a full stop', (t) => {
  for (const [code, { status, title }] of Object.entries(refusalCatalogue)) {
    t.regex(code, /^[a-z]+(_[a-z]+)*$/);
    t.true(status >= 400 && status < 600);
    t.regex(title, /^\S.*[^.\s]$/);
  }
});

// End reasons

const nobodyPickedUp: ReadonlySet<EndReason> = new Set(['no_answer', 'busy', 'declined', 'cancelled']);
const somethingBroke: ReadonlySet<EndReason> = new Set(['agent_error', 'media_error', 'system_error']);

for (const reason of endReasons) {
  const unanswered = nobodyPickedUp.has(reason) ? 'no_answer' : 'failed';
  test(`the status of an unanswered call that ended with ${reason} is ${unanswered}`, (t) => {
    t.deepEqual(outcomeOf(reason, false), { reason, status: unanswered });
  });

  const answered = somethingBroke.has(reason) ? 'failed' : 'completed';
  test(`the status of an answered call that ended with ${reason} is ${answered}`, (t) => {
    t.deepEqual(outcomeOf(reason, true), { reason, status: answered });
  });
}

test('the list of end reasons is complete and without duplicates', (t) => {
  // The type says which reasons exist; a reason that the list lacks does not compile here.
  const missing: Exclude<EndReason, (typeof endReasons)[number]>[] = [];
  t.deepEqual(missing, []);
  t.is(new Set(endReasons).size, 18);
});

test('a call has five statuses', (t) => {
  t.deepEqual(callStatuses, ['ringing', 'active', 'completed', 'no_answer', 'failed']);
});
