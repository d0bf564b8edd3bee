/** Recognizes answers and URLs of another agent type, or of an unsupported format. */
import { agentTypes, type AgentType } from '#src/domain/agent-binding.ts';
import { jsonObject, type Adviser, type Symptoms } from './symptoms.ts';

type Format = AgentType | 'anthropic' | 'responses' | 'gemini' | 'ollama' | 'ui-stream';

/** In this order: the first match counts. The beginning of a body suffices for all of them. */
const formatsOfText: readonly (readonly [Format, RegExp])[] = [
  ['openai_compatible', /"choices": ?\[/],
  ['responses', /"object": ?"response"|"type": ?"response\./],
  ['anthropic', /"type": ?"(?:message_start|content_block_start|content_block_delta)"/],
  ['gemini', /"candidates": ?\[/],
  ['langgraph', /^event: ?(?:messages\/(?:partial|complete|metadata)|messages|metadata)\r?$/m],
  ['mastra', /"from": ?"AGENT"|^f:\{"messageId"/m],
  ['ui-stream', /"type": ?"text-delta"/],
  ['n8n', /^\{"type":"(?:begin|item)",/],
];

const formatOfDocument = (text: string): Format | undefined => {
  const fields = jsonObject(text) ?? {};
  if (typeof fields['reply'] === 'string') return 'webhook';
  if (typeof fields['output'] === 'string') return 'n8n';
  if (fields['type'] === 'message' && Array.isArray(fields['content'])) return 'anthropic';
  return typeof fields['done'] === 'boolean' && fields['message'] !== undefined ? 'ollama' : undefined;
};

const formatOfPath = (path: string): Format | undefined => {
  if (path.endsWith('/v1/messages')) return 'anthropic';
  if (path.endsWith('/responses')) return 'responses';
  if (/:generateContent$|:streamGenerateContent$/.test(path)) return 'gemini';
  if (/\/api\/(?:chat|generate)$/.test(path)) return 'ollama';
  if (path.endsWith('/chat/completions')) return 'openai_compatible';
  if (/\/api\/agents\/[^/]+(?:\/stream|\/generate)?$/.test(path)) return 'mastra';
  if (/\/runs\/(?:stream|wait)$|\/threads$/.test(path)) return 'langgraph';
  return /\/webhook(?:-test)?\/[^/]+\/chat$/.test(path) ? 'n8n' : undefined;
};

const betweenThem =
  'put a gateway in front of it that translates (such as LiteLLM or Portkey), and bind that as openai_compatible';

const foreign: Readonly<Record<Exclude<Format, AgentType>, string>> = {
  anthropic: `the format of Anthropic's Messages, which calls do not speak. Use the OpenAI-compatible address of the server, or ${betweenThem}.`,
  responses:
    "the format of OpenAI's Responses, which calls do not speak. Use the chat completions of the same server: agent type openai_compatible, with the chat URL up to /v1.",
  gemini: `the format of Google's Gemini, which calls do not speak. Use its OpenAI-compatible address (…/v1beta/openai, agent type openai_compatible), or ${betweenThem}.`,
  ollama:
    "Ollama's own format, which calls do not speak. Use its OpenAI-compatible address: agent type openai_compatible, chat URL http://host:11434/v1.",
  'ui-stream':
    'the stream that the AI SDK sends to web pages, which calls do not speak. Answer {"reply": "…"} and choose webhook, or let an OpenAI-compatible server answer.',
};

const urlFor: Readonly<Record<AgentType, string>> = {
  webhook: 'the chat URL stays the same',
  openai_compatible: 'the chat URL ends before /chat/completions',
  n8n: 'the chat URL is the production URL of the chat trigger',
  langgraph: 'the chat URL is the base of the server, and the assistant ID a graph of it',
  mastra: 'the chat URL is the base of the server',
};

const isAgentType = (format: Format): format is AgentType => agentTypes.some((type) => type === format);

const isUnderstood = (kind: string | undefined): boolean => kind !== 'invalid_reply' && kind !== 'no_reply';

/** Format of a successful answer without words for this type. */
const formatOfAnswer = ({ failure, status, text }: Symptoms): Format | undefined =>
  isUnderstood(failure?.kind) || status === 0 || status >= 300
    ? undefined
    : (formatsOfText.find(([, pattern]) => pattern.test(text))?.[0] ?? formatOfDocument(text));

/** Format of a server whose URL identifies it, and which rejected the content of a request. */
const formatOfAddress = ({ failure, status, path }: Symptoms): Format | undefined => {
  if (failure?.kind !== 'http_error' || ![400, 404, 405, 422].includes(status)) return undefined;
  return formatOfPath(path);
};

export const otherTypeAdvice: Adviser = (symptoms) => {
  const type = symptoms.binding.agentType;
  const adviceOn = (what: string, format: Format | undefined): string | undefined => {
    if (format === undefined || format === type) return undefined;
    return isAgentType(format)
      ? `${what} the format of the agent type ${format}, not of ${type}. Choose ${format}; ${urlFor[format]}.`
      : `${what} ${foreign[format]}`;
  };
  return (
    adviceOn('The answer is in', formatOfAnswer(symptoms)) ??
    adviceOn('By its address the server speaks', formatOfAddress(symptoms))
  );
};
