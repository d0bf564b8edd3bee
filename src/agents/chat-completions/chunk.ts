/**
 * One piece of a chat completion, streamed or whole, as lenient as real servers need it: parts that are null or absent,
 * choices that are missing, errors in four shapes. What is not understood is left out and never guessed.
 */
import { z } from 'zod';
import { AgentFailure } from '../agent.ts';
import type { Frame } from '../wire/read-frames.ts';

/** A part of a call of a tool; they come cut anywhere and belong together by `index`. */
export type ToolCallPart = { index: number; id: string; name: string; arguments: string };

export type Chunk = {
  text: string;
  toolCalls: readonly ToolCallPart[];
  /** Empty while the reply goes on. */
  finish: string;
};

const absentAs = <Value extends z.ZodType>(value: Value, otherwise: z.output<Value>) =>
  value.nullish().transform((given) => given ?? otherwise);

const textPart = z.object({ type: z.enum(['text', 'output_text']).optional(), text: z.string() });

/** A text, or a list of parts of which those of text count. */
const content = z
  .union([z.string(), z.array(z.unknown())])
  .nullish()
  .catch(null)
  .transform((given) => {
    if (!Array.isArray(given)) return given ?? '';
    return given.map((part) => textPart.safeParse(part).data?.text ?? '').join('');
  });

const toolCall = z.object({
  index: absentAs(z.number(), 0),
  id: absentAs(z.string(), ''),
  function: absentAs(z.object({ name: absentAs(z.string(), ''), arguments: absentAs(z.string(), '') }), {
    name: '',
    arguments: '',
  }),
});

const message = z.object({
  content,
  /** Words of the model as well: it says that it will not answer. */
  refusal: z.string().nullish().catch(null),
  tool_calls: z.array(toolCall).nullish().catch(null),
});

const choice = z.object({
  index: absentAs(z.number(), 0),
  delta: message.nullish().catch(null),
  /** Instead of a delta where the server does not stream. */
  message: message.nullish().catch(null),
  finish_reason: z.string().nullish().catch(null),
});

const chunk = z.object({ choices: z.array(z.unknown()) });

const errorText = z.union([
  z.string(),
  z.object({ message: z.string() }).transform((error) => error.message),
  z.unknown().transform(() => ''),
]);

const reported = (error: unknown): AgentFailure => {
  const serverSays = errorText.parse(error);
  return new AgentFailure(
    'agent_reported_error',
    'the server reported an error in place of the reply',
    serverSays === '' ? {} : { serverSays: serverSays.slice(0, 2_048) },
  );
};

const withError = z.object({ error: z.unknown() });

const parsedOrText = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
};

const empty: Chunk = { text: '', toolCalls: [], finish: '' };

/** `undefined` for what is no chunk. Throws an AgentFailure for an error. */
export const chunkOf = (frame: Frame): Chunk | undefined => {
  // llama.cpp writes `error: {…}` where others write data.
  if (frame.type === 'stray' && frame.field === 'error') throw reported(parsedOrText(frame.text));
  if (frame.type !== 'json') return undefined;
  const error = withError.safeParse(frame.value).data?.error;
  if (error !== undefined && error !== null) throw reported(error);
  if (frame.event === 'error') throw reported(frame.value);
  const choices = chunk.safeParse(frame.value).data?.choices;
  if (choices === undefined) return undefined;
  const own = choices.flatMap((value) => choice.safeParse(value).data ?? []).find(({ index }) => index === 0);
  const said = own?.delta ?? own?.message;
  if (own === undefined) return empty;
  return {
    text: `${said?.content ?? ''}${said?.refusal ?? ''}`,
    toolCalls: (said?.tool_calls ?? []).map(({ function: called, ...call }) => ({ ...call, ...called })),
    finish: own.finish_reason ?? '',
  };
};
