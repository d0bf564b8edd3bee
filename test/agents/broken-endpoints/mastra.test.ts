/** Mastra servers. */
import { sendJson } from '#test/helpers/agent-server.ts';
import { recorded, sse, testEach, type Broken } from './try-broken.ts';

const mastra: Broken[] = [
  {
    type: 'mastra',
    title: 'no voiceAssistant',
    answer: recorded('mastra', '07-unknown-agent'),
    kind: 'http_error',
    advice: [/no agent/, /voiceAssistant.*key of the "agents"/],
  },
  {
    type: 'mastra',
    title: 'an agent ID in the wrong case',
    answer: recorded('mastra', '07b-agent-name-wrong-case'),
    request: { direction: 'outbound', agentId: 'voiceassistant' },
    kind: 'http_error',
    advice: [/no agent "voiceassistant"/, /same case/],
  },
  {
    type: 'mastra',
    title: 'another path',
    path: '/x',
    answer: recorded('mastra', '08e-unknown-path'),
    kind: 'http_error',
    advice: [/no Mastra server at this path/, /https:\/\/host:4111/],
  },
  {
    type: 'mastra',
    title: 'a model package that is too old',
    answer: recorded('mastra', '13f-stream-with-v1-model'),
    kind: 'http_error',
    advice: [/do not go together/, /Update the model package/],
  },
  {
    type: 'mastra',
    title: 'a guardrail',
    answer: recorded('mastra', '16b-tripwire'),
    kind: 'agent_reported_error',
    advice: [/guardrail/, /answer with words/],
  },
  {
    type: 'mastra',
    title: 'a model that failed',
    answer: recorded('mastra', '06c-model-throws-before-token'),
    kind: 'agent_reported_error',
    advice: [/model did/, /log/],
  },
  {
    type: 'mastra',
    title: 'an approval',
    answer: sse(
      { type: 'start', from: 'AGENT', payload: {} },
      { type: 'tool-call-approval', from: 'AGENT', payload: {} },
      '[DONE]',
    ),
    kind: 'no_reply',
    advice: [/waits for a tool call to be approved/, /Switch the approval off/],
  },
  {
    type: 'mastra',
    title: 'a tool that is left to the caller',
    answer: sse(
      { type: 'finish', from: 'AGENT', payload: { stepResult: { reason: 'tool-calls' } } },
      '[DONE]',
    ),
    kind: 'no_reply',
    advice: [/finished without words: .*tool/, /maxSteps|end its turn with words/],
  },
  {
    type: 'mastra',
    title: 'a token that is missing',
    answer: sendJson({ error: 'Invalid or expired token' }, 401),
    kind: 'http_error',
    advice: [/wants to be shown a token/, /handshake/],
  },
  {
    type: 'mastra',
    title: 'a body that it refuses',
    answer: recorded('mastra', '08b-messages-missing'),
    kind: 'http_error',
    advice: [/refuses|cannot read/, /answered|Let it/],
  },
  {
    type: 'mastra',
    title: 'a Mastra before 1.0',
    answer: recorded('mastra', 'old-v0.18.0-voiceAssistant-stream'),
    kind: null,
    advice: [/before 1\.0/, /Update Mastra/],
  },
];

testEach(mastra);
