/**
 * Responses of the servers of each kind of agent, in their own formats: for `agent-contract.ts`, which every kind
 * passes.
 */
import type { AgentType } from '#src/domain/agent-binding.ts';

export type AgentKind = {
  name: string;
  /** `null`: the language model of the built-in agent. */
  agentType: AgentType | null;
  /** Headers of this kind's requests, beside those of all kinds. */
  headers?: Readonly<Record<string, string>>;
  /** The body of a complete reply with these words. */
  reply: (words: string) => string;
  /** Declares silence in this format. */
  silence: string;
  /** Format of a reply in chunks; `null` if it is one document. */
  streamed: {
    /** The words, and no end yet. */
    begun: (words: string) => string;
    /** The words, and a mark that the server ended the reply before it was complete. */
    cutOff: (words: string) => string;
    /** The words, and a mark that they are complete; `null` if only the end of the response says so. */
    ended: ((words: string) => string) | null;
  } | null;
};

export const callId = '7f9c2f6e-4f0e-4b7e-9b1c-2d1d5a1e0c11';

const data = (value: unknown): string => `data: ${JSON.stringify(value)}\n\n`;

const completion = (content: string, finish: string | null): string =>
  data({ choices: [{ index: 0, delta: { content }, finish_reason: finish }] });

const chatCompletions = {
  reply: (words: string) => `${completion(words, null)}${completion('', 'stop')}data: [DONE]\n\n`,
  silence: `${completion('', 'stop')}data: [DONE]\n\n`,
  streamed: {
    begun: (words: string) => completion(words, null),
    cutOff: (words: string) => `${completion(words, null)}${completion('', 'length')}data: [DONE]\n\n`,
    ended: (words: string) => `${completion(words, null)}${completion('', 'stop')}`,
  },
};

const item = (content: string): string => `${JSON.stringify({ type: 'item', content })}\n`;

const graphMessage = (content: string, finish = {}): string =>
  `event: messages/partial\n${data([{ content, id: 'a', type: 'ai', ...finish }])}`;

const graphRun = `event: metadata\n${data({ run_id: 'run-1', attempt: 1 })}`;

const mastraWords = (text: string): string => data({ type: 'text-delta', payload: { id: '1', text } });

const mastraFinish = (reason: string): string =>
  `${data({ type: 'finish', payload: { stepResult: { reason } } })}data: [DONE]\n\n`;

export const agentKinds: readonly AgentKind[] = [
  {
    name: 'webhook',
    agentType: 'webhook',
    reply: (reply) => JSON.stringify({ reply }),
    silence: '{"reply":""}',
    streamed: null,
  },
  {
    name: 'openai_compatible',
    agentType: 'openai_compatible',
    headers: {
      'x-gw-call-id': callId,
      'x-gw-direction': 'outbound',
      'x-gw-from': '0212345678',
      'x-gw-to': '01000000001',
      'x-gw-language': 'ko',
    },
    ...chatCompletions,
  },
  {
    name: 'n8n',
    agentType: 'n8n',
    reply: (output) => JSON.stringify({ output }),
    silence: '{"output":""}',
    streamed: {
      begun: (words) => `{"type":"begin"}\n${item(words)}`,
      cutOff: (words) => `{"type":"begin"}\n${item(words)}`,
      ended: null,
    },
  },
  {
    name: 'langgraph',
    agentType: 'langgraph',
    reply: (words) => graphRun + graphMessage(words),
    silence: graphRun + graphMessage(''),
    streamed: {
      begun: (words) => graphRun + graphMessage(words),
      cutOff: (words) => graphRun + graphMessage(words, { response_metadata: { finish_reason: 'length' } }),
      ended: null,
    },
  },
  {
    name: 'mastra',
    agentType: 'mastra',
    reply: (words) => mastraWords(words) + mastraFinish('stop'),
    silence: mastraFinish('stop'),
    streamed: {
      begun: mastraWords,
      cutOff: (words) => mastraWords(words) + mastraFinish('length'),
      ended: (words) => mastraWords(words) + mastraFinish('stop').replace('data: [DONE]\n\n', ''),
    },
  },
  { name: 'the language model', agentType: null, ...chatCompletions },
];
