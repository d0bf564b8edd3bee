/** Servers that are none of the type that was chosen. */
import { agentTypes, type AgentType } from '#src/domain/agent-binding.ts';
import { sendJson, type Answer } from '#test/helpers/agent-server.ts';
import { chunk, error, named, recorded, sse, testEach, type Broken } from './try-broken.ts';

const ai = { content: '네.', id: 'a', type: 'ai', tool_calls: [] };

/** What a whole answer of each type looks like; to any other it is an answer of the wrong type. */
const answersOf: Readonly<Record<AgentType, Answer>> = {
  webhook: sendJson({ reply: '네.' }),
  openai_compatible: sse(chunk({ content: '네.' }), chunk({}, 'stop'), '[DONE]'),
  n8n: sendJson({ output: '네.' }),
  langgraph: named(['metadata', { run_id: 'r' }], ['messages/partial', [ai]], ['messages/complete', [ai]]),
  mastra: sse(
    { type: 'text-delta', from: 'AGENT', payload: { id: '1', text: '네.' } },
    { type: 'finish', from: 'AGENT', payload: { stepResult: { reason: 'stop' } } },
    '[DONE]',
  ),
};

/** Both end with the same mark, or are JSON without words. */
const wordless = new Set(['n8n webhook', 'openai_compatible mastra', 'mastra openai_compatible']);

const wrongTypes: Broken[] = agentTypes.flatMap((type) =>
  agentTypes
    .filter((other) => other !== type)
    .map((other) => ({
      type,
      title: `a server of the type ${other}`,
      answer: answersOf[other],
      kind: wordless.has(`${type} ${other}`) ? ('no_reply' as const) : ('invalid_reply' as const),
      advice: [
        new RegExp(`format of the agent type ${other}, not of ${type}`),
        new RegExp(`Choose ${other};`),
      ],
    })),
);

const anthropicStream = named(
  ['message_start', { type: 'message_start', message: { role: 'assistant' } }],
  ['content_block_delta', { type: 'content_block_delta', delta: { type: 'text_delta', text: '네.' } }],
);
const foreignFormats: Broken[] = [
  {
    type: 'openai_compatible',
    title: 'Anthropic Messages, streamed',
    answer: anthropicStream,
    kind: 'invalid_reply',
    advice: [/Anthropic's Messages/, /OpenAI-compatible address.*LiteLLM or Portkey/],
  },
  {
    type: 'webhook',
    title: 'Anthropic Messages, whole',
    answer: sendJson({ type: 'message', role: 'assistant', content: [{ type: 'text', text: '네.' }] }),
    kind: 'invalid_reply',
    advice: [/Anthropic's Messages/, /bind that as openai_compatible/],
  },
  {
    type: 'openai_compatible',
    title: 'OpenAI Responses, whole',
    answer: sendJson({ object: 'response', output: [{ type: 'message', content: [] }] }),
    kind: 'invalid_reply',
    advice: [/OpenAI's Responses/, /chat URL up to \/v1/],
  },
  {
    type: 'openai_compatible',
    title: 'OpenAI Responses, streamed',
    answer: named(['response.output_text.delta', { type: 'response.output_text.delta', delta: '네.' }]),
    kind: 'invalid_reply',
    advice: [/OpenAI's Responses/, /agent type openai_compatible/],
  },
  {
    type: 'webhook',
    title: "Google's Gemini",
    answer: sendJson({ candidates: [{ content: { parts: [{ text: '네.' }] } }] }),
    kind: 'invalid_reply',
    advice: [/Google's Gemini/, /v1beta\/openai/],
  },
  {
    type: 'openai_compatible',
    title: "Ollama's own format",
    answer: sendJson({ model: 'small', message: { role: 'assistant', content: '네.' }, done: true }),
    kind: 'invalid_reply',
    advice: [/Ollama's own format/, /11434\/v1/],
  },
  {
    type: 'mastra',
    title: 'the stream of the AI SDK for web pages',
    answer: sse({ type: 'start' }, { type: 'text-delta', id: '1', delta: '네.' }, { type: 'finish' }),
    kind: 'no_reply',
    advice: [/AI SDK sends to web pages/, /choose webhook/],
  },
  {
    type: 'webhook',
    title: 'an address of Anthropic Messages',
    path: '/v1/messages',
    answer: error('messages: Field required', 400),
    kind: 'http_error',
    advice: [/By its address.*Anthropic's Messages/, /LiteLLM or Portkey/],
  },
  {
    type: 'webhook',
    title: 'an address of chat completions',
    path: '/v1/chat/completions',
    answer: error("'messages' is a required property", 400),
    kind: 'http_error',
    advice: [/format of the agent type openai_compatible, not of webhook/, /ends before \/chat\/completions/],
  },
  {
    type: 'webhook',
    title: 'an address of a Mastra agent',
    path: '/api/agents/weather/stream',
    answer: recorded('mastra', '08b-messages-missing'),
    kind: 'http_error',
    advice: [/format of the agent type mastra/, /base of the server/],
  },
  {
    type: 'webhook',
    title: 'an address of a LangGraph run',
    path: '/runs/stream',
    answer: recorded('langgraph', '26b-missing-assistant'),
    kind: 'http_error',
    advice: [/format of the agent type langgraph/, /assistant ID/],
  },
];

testEach([...wrongTypes, ...foreignFormats]);
