/** One message of a graph's state, as the JavaScript and the Python server write it. */
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
  /** Empty where the server names none. */
  id: string;
  /** The rest is what tools, systems and removals leave; nothing of it is spoken. */
  from: 'agent' | 'human' | 'other';
  /** Thoughts, tool calls and images are no text. */
  text: string;
  callsTools: boolean;
  /** Its model came to an end before it was done. */
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

/** `undefined` for what is no message. */
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
