/** One message of a graph's state, as the JavaScript and the Python server write it. */
import { z } from 'zod';

const message = z.object({
  id: z.string().nullish(),
  type: z.string().nullish(),
  role: z.string().nullish(),
  content: z.unknown().optional(),
});

const textBlock = z.object({ type: z.literal('text'), text: z.string() });

export type GraphMessage = {
  /** Empty where the server names none. */
  id: string;
  /** The rest is what tools, systems and removals leave; nothing of it is spoken. */
  from: 'agent' | 'human' | 'other';
  /** Thoughts, tool calls and images are no text. */
  text: string;
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
  };
};
