/** One message of a graph's state, as written by the JavaScript and Python servers. */
import { z } from 'zod';
import { finishOf, isCutOff } from '../finish-reason.ts';

const calls = z.array(z.unknown()).nullish().catch(null);
const reason = z.string().nullish().catch(null);

const message = z.object({
  id: z.string().nullish(),
  type: z.string().nullish(),
  role: z.string().nullish(),
  content: z.unknown().optional(),
  tool_calls: calls,
  tool_call_chunks: calls,
  response_metadata: z
    .object({ finish_reason: reason, stop_reason: reason, finishReason: reason })
    .nullish()
    .catch(null),
});

const textBlock = z.object({ type: z.literal('text'), text: z.string() });

export type GraphMessage = {
  /** Id of the message; empty if the server sends none. */
  id: string;
  /** Author of the message. `other` messages come from tools, system prompts and removals, and are never spoken. */
  from: 'agent' | 'human' | 'other';
  /** Text of the message, without thoughts, tool calls and images. */
  text: string;
  callsTools: boolean;
  /** Whether the model stopped before its message was complete. */
  isCutOff: boolean;
};

const agentTypes = new Set(['ai', 'AIMessage', 'AIMessageChunk']);
const humanTypes = new Set(['human', 'HumanMessage', 'HumanMessageChunk']);

const textOf = (content: unknown): string => {
  if (typeof content === 'string') return content;
  if (!Array.isArray(content)) return '';
  return content
    .map((block: unknown) =>
      typeof block === 'string' ? block : (textBlock.safeParse(block).data?.text ?? ''),
    )
    .join('');
};

/** Parses a message. Returns `undefined` for data that is not a message. */
export const readMessage = (value: unknown): GraphMessage | undefined => {
  const { data } = message.safeParse(value);
  if (data === undefined) return undefined;
  const type = data.type ?? '';
  const role = data.role ?? '';
  const isAgent = agentTypes.has(type) || role === 'assistant';
  const isHuman = humanTypes.has(type) || role === 'user' || role === 'human';
  return {
    id: data.id ?? '',
    from: isAgent ? 'agent' : isHuman ? 'human' : 'other',
    text: textOf(data.content),
    callsTools: [data.tool_calls, data.tool_call_chunks].some((called) => (called?.length ?? 0) > 0),
    isCutOff: Object.values(data.response_metadata ?? {}).some((why) => isCutOff(finishOf(why ?? ''))),
  };
};
