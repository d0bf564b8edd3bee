/** Advice about servers of Mastra. */
import test from 'ava';
import { advises, recorded } from './advised.ts';

const mastra = { type: 'mastra', url: 'http://127.0.0.1:4111' } as const;

test(
  'mastra: an agent ID in the wrong case, outbound',
  advises,
  {
    ...mastra,
    binding: { direction: 'outbound', agentId: 'voiceassistant' },
    answers: [recorded('mastra', '07b-agent-name-wrong-case')],
  },
  /no agent "voiceassistant".*same case/,
);

test(
  'mastra: no voiceAssistant, inbound',
  advises,
  { ...mastra, answers: [recorded('mastra', 'old-v0.24.9-08-unknown-agent')] },
  /no agent "nope".*go to voiceAssistant/,
);

test(
  'mastra: another path',
  advises,
  { type: 'mastra', url: 'http://127.0.0.1:4111/x', answers: [recorded('mastra', '08e-unknown-path')] },
  /no Mastra server at this path/,
);

for (const name of [
  '13f-stream-with-v1-model',
  'old-v0.24.9-06-stream-v1-model',
  'old-v0.18.0-newModel-stream',
]) {
  test(
    `mastra: model and version do not go together (${name})`,
    advises,
    { ...mastra, answers: [recorded('mastra', name)] },
    /AI SDK 5/,
  );
}

for (const name of ['old-v0.18.0-voiceAssistant-stream', 'old-v0.24.9-03-stream-vnext']) {
  test(
    `mastra: an old version that spoke (${name})`,
    advises,
    { ...mastra, failure: null, spoken: '네', answers: [recorded('mastra', name)] },
    /runtimeContext.*Update Mastra/,
  );
}

test(
  'mastra: a guardrail',
  advises,
  { ...mastra, failure: 'agent_reported_error', answers: [recorded('mastra', '16b-tripwire')] },
  /guardrail/,
);

test(
  'mastra: a failed model',
  advises,
  {
    ...mastra,
    failure: 'agent_reported_error',
    answers: [recorded('mastra', '06c-model-throws-before-token')],
  },
  /model/,
);

test(
  'mastra: a token is missing',
  advises,
  { ...mastra, answers: [recorded('mastra', '15c-auth-no-header')] },
  /wants to be shown a token.*handshake/,
);

test(
  'mastra: a token is wrong',
  advises,
  {
    ...mastra,
    token: 'x',
    binding: { direction: 'outbound' },
    answers: [recorded('mastra', '15b-auth-bad-token')],
  },
  /does not take this bearer token.*outbound agent/,
);
