/**
 * One chunk of a chat completion, streamed or whole. Parsing is as lenient as real servers require: null or missing
 * parts, missing choices, errors in four shapes. Unknown content is omitted, never guessed.
 */
import { z } from 'zod';
import { AgentFailure } from '../agent.ts';
import type { Frame } from '../wire/read-frames.ts';

/** A part of a tool call, cut anywhere. `index`: the number of the call, if the server numbers them. */
export type ToolCallPart = { index: number | null; id: string; name: string; arguments: string };

export type Chunk = {
  /** The next part of the reply. */
  text: string;
  /** The whole reply: instead of its parts, or after them. */
  whole: string;
  toolCalls: readonly ToolCallPart[];
  /** Finish reason in the server's own words; empty until the reply ends. */
  finish: string;
};

const absentAs = <Value extends z.ZodType>(value: Value, otherwise: z.output<Value>) =>
  value.nullish().transform((given) => given ?? otherwise);

const textPart = z.object({ type: z.enum(['text', 'output_text']).optional(), text: z.string() });

/** A text, or a list of parts whose text parts are joined. */
const content = z
  .union([z.string(), z.array(z.unknown())])
  .nullish()
  .catch(null)
  .transform((given) => {
    if (!Array.isArray(given)) return given ?? '';
    return given.map((part) => textPart.safeParse(part).data?.text ?? '').join('');
  });

/** Some servers send arguments as a JSON object, most as the model's text. */
const toolArguments = z
  .union([z.string(), z.record(z.string(), z.unknown()).transform((given) => JSON.stringify(given))])
  .nullish()
  .catch(null)
  .transform((given) => given ?? '');

const called = z.object({ name: absentAs(z.string(), ''), arguments: toolArguments });

const toolCall = z.object({
  index: z.number().nullish().catch(null),
  id: z.string().nullish().catch(null),
  function: called.nullish().catch(null),
});

const message = z.object({
  content,
  /** A refusal is speech too: the model says that it will not answer. */
  refusal: z.string().nullish().catch(null),
  tool_calls: z.array(z.unknown()).nullish().catch(null),
  /** The legacy form before `tool_calls`: one call, without an id. */
  function_call: called.nullish().catch(null),
});

type Message = z.output<typeof message>;

const wordsOf = (said: Message | null | undefined): string => `${said?.content ?? ''}${said?.refusal ?? ''}`;

const callsOf = (said: Message | null | undefined): ToolCallPart[] => [
  ...(said?.tool_calls ?? []).flatMap((given) => {
    const { data } = toolCall.safeParse(given);
    return data === undefined
      ? []
      : [
          {
            index: data.index ?? null,
            id: data.id ?? '',
            name: data.function?.name ?? '',
            arguments: data.function?.arguments ?? '',
          },
        ];
  }),
  ...(said?.function_call ? [{ index: 0, id: '', ...said.function_call }] : []),
];

const choice = z.object({
  index: absentAs(z.number(), 0),
  delta: message.nullish().catch(null),
  /** Replaces the deltas if the server does not stream; some servers send it after them. */
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

const empty: Chunk = { text: '', whole: '', toolCalls: [], finish: '' };

/** Returns `undefined` for data that is not a chunk. Throws an AgentFailure for an error. */
export const chunkOf = (frame: Frame): Chunk | undefined => {
  // llama.cpp writes `error: {…}` instead of `data: {…}`.
  if (frame.type === 'stray' && frame.field === 'error') throw reported(parsedOrText(frame.text));
  if (frame.type !== 'json') return undefined;
  const error = withError.safeParse(frame.value).data?.error;
  if (error !== undefined && error !== null) throw reported(error);
  if (frame.event === 'error') throw reported(frame.value);
  const choices = chunk.safeParse(frame.value).data?.choices;
  if (choices === undefined) return undefined;
  const own = choices.flatMap((value) => choice.safeParse(value).data ?? []).find(({ index }) => index === 0);
  if (own === undefined) return empty;
  return {
    text: wordsOf(own.delta),
    whole: wordsOf(own.message),
    toolCalls: [...callsOf(own.delta), ...callsOf(own.message)],
    finish: own.finish_reason ?? '',
  };
};
