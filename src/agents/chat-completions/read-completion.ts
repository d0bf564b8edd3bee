/**
 * Reads a chat completion: streamed events, JSON lines, or one document from a server that ignored `stream`. Yields
 * text, remarks, and at the end the tool calls of the model.
 */
import { AgentFailure, type Remark, retraction } from '../agent.ts';
import { type Finish, finishOf, finishRemark, isCutOff } from '../finish-reason.ts';
import { createModelMarks, filterInSteps, wantsTool } from '../model-marks.ts';
import { createSaidSoFar } from '../said-so-far.ts';
import { readFrames, type Frame } from '../wire/read-frames.ts';
import { setImmediate } from 'node:timers/promises';
import { z } from 'zod';

// One chunk of a chat completion, streamed or whole. Parsing is as lenient as real servers require: null or missing
// parts, missing choices, errors in four shapes. Unknown content is omitted; its meaning is never guessed.

/** A part of a tool call, cut anywhere. `index` is the number of the call, if the server numbers its calls. */
type ToolCallPart = { index: number | null; id: string; name: string; arguments: string };

type Chunk = {
  /** The next part of the reply. */
  text: string;
  /** The whole reply, in place of its parts or after them. */
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
  /** A refusal of the model to answer, which is spoken like other text. */
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
  /** The whole message of a server that does not stream. Some servers also send it after the deltas. */
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
const chunkOf = (frame: Frame): Chunk | undefined => {
  // llama.cpp writes `error: {…}` in place of `data: {…}`.
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

// Assembles tool calls from their parts. OpenAI numbers the calls and repeats the number with each part. Other servers
// number every call 0, omit the number, send only an id, or repeat the complete call at the end.

/** A tool call. `arguments` is the model's text, which is usually JSON. */
export type ToolCall = { id: string; name: string; arguments: string };

type Growing = ToolCall & { index: number | null };

const isWhole = ({ name, arguments: given }: ToolCall): boolean => {
  if (name === '') return false;
  try {
    JSON.parse(given);
    return true;
  } catch {
    return false;
  }
};

const isSame = (call: ToolCall, part: ToolCallPart): boolean =>
  part.name === call.name && part.arguments === call.arguments && isWhole(call);

/** Finds the call that a part continues; `undefined` if the part begins another one. */
const callOf = (calls: readonly Growing[], part: ToolCallPart): Growing | undefined => {
  const candidates = part.index === null ? calls : calls.filter(({ index }) => index === part.index);
  const last = candidates.at(-1);
  if (last === undefined) return undefined;
  if (part.id !== '' && last.id !== '') {
    const own = candidates.findLast(({ id }) => id === part.id);
    return own !== undefined && part.name !== '' && isWhole(own) && !isSame(own, part) ? undefined : own;
  }
  if (part.id !== '') return last.name === '' || part.name === '' ? last : undefined;
  // A part with a name begins a new call, unless the previous call still lacks its arguments.
  return part.name !== '' && (isWhole(last) || (part.index === null && last.name !== '')) ? undefined : last;
};

const grow = (call: Growing, part: ToolCallPart): void => {
  if (isSame(call, part)) return;
  if (call.id === '') call.id = part.id;
  if (part.name !== call.name) call.name += part.name;
  call.arguments += part.arguments;
};

const assembleCalls = (parts: readonly ToolCallPart[]): ToolCall[] => {
  const calls: Growing[] = [];
  for (const part of parts) {
    const call = callOf(calls, part);
    if (call === undefined) calls.push({ ...part });
    else grow(call, part);
  }
  return calls.map(({ id, name, arguments: given }) => ({ id, name, arguments: given }));
};

/**
 * Maximum size of the tool calls of a reply, far beyond those of any model: the time to assemble them grows with the
 * product of both numbers, and no other call may wait for it.
 */
const mostOfToolCalls = { parts: 4_000, characters: 32_768 };

/** Collects the parts of tool calls. `add` throws an AgentFailure `reply_too_large` for too many. */
const createToolCallParts = () => {
  const parts: ToolCallPart[] = [];
  let characters = 0;
  return {
    add(more: readonly ToolCallPart[]): void {
      for (const part of more) {
        characters += part.arguments.length;
        if (parts.length === mostOfToolCalls.parts || characters > mostOfToolCalls.characters)
          throw new AgentFailure('reply_too_large', 'the reply has too many or too long tool calls');
        parts.push(part);
      }
    },
    parts: (): readonly ToolCallPart[] => parts,
  };
};

export type CompletionPart = string | typeof retraction | Remark | { toolCalls: readonly ToolCall[] };

/** State of a completion, from which its end is judged. */
type Seen = {
  /** Classification of the body: empty so far, not a chat completion, or partly a chat completion. */
  body: 'empty' | 'foreign' | 'completion';
  unreadable: boolean;
  words: boolean;
  done: boolean;
  finish: Finish;
  /** Whether the words contained a tool call. */
  writtenCall: boolean;
};

/**
 * Returns the failure of a completion without words. Only `stop` and its synonyms mean chosen silence: the model ended
 * its turn with an empty text.
 */
const noReply = ({ body, finish, writtenCall }: Seen): AgentFailure | undefined => {
  if (writtenCall) return new AgentFailure('no_reply', wantsTool);
  if (finish === 'complete') return undefined;
  if (body === 'foreign') return new AgentFailure('invalid_reply', 'the response is not a chat completion');
  return new AgentFailure('no_reply', finishRemark(finish) ?? 'the response holds no reply');
};

function* judge(seen: Seen, wantsTools: boolean): Generator<Remark, void, undefined> {
  const { unreadable, words, done, finish, writtenCall } = seen;
  const failure = words || wantsTools ? undefined : noReply(seen);
  if (failure !== undefined) throw failure;
  if (unreadable) yield { remark: 'a part of the response could not be read' };
  if (writtenCall && !wantsTools) yield { remark: wantsTool };
  if (finish === 'none' && !done)
    yield { remark: 'the response ended without its end mark', endsEarly: true };
  const remark = finishRemark(finish);
  if (remark !== undefined) yield { remark, ...(isCutOff(finish) ? { endsEarly: true as const } : {}) };
  else if (!words && !wantsTools) yield { remark: 'the model finished without text' };
}

/** Maximum number of characters that are compared before and after the filter. */
const longestLeading = 1_000;

/** Filters the words of a completion: removes machine markup and repetitions. */
const createWords = () => {
  const marks = createModelMarks();
  const said = createSaidSoFar();
  let hasWords = false;
  /** First characters of the reply before the filter, until the first word passes. */
  let written = '';
  let leading = '';

  /** Removes white space after leading thoughts, which are removed with it. White space that begins the reply stays. */
  const begun = (text: string): string => {
    if (hasWords) return text;
    leading = (leading + text).slice(0, longestLeading);
    hasWords = text.trim() !== '';
    const start = /^\s*\S?/u.exec(leading)?.[0] ?? '';
    return written.startsWith(start) ? text : text.trimStart();
  };

  async function* add(
    piece: string,
    place: { isWhole: boolean; isLast: boolean },
  ): AsyncGenerator<string | typeof retraction, void, undefined> {
    if (piece === '') return;
    if (!hasWords) written = (written + piece).slice(0, longestLeading);
    const steps = filterInSteps(marks, piece);
    let step = steps.next();
    for (; step.done !== true; step = steps.next()) await setImmediate();
    const { text, retracts } = step.value;
    if (retracts) {
      said.clear();
      hasWords = false;
      leading = '';
      yield retraction;
    }
    const words = said.newIn(begun(text), place);
    if (words !== '') yield words;
  }

  return {
    async *add({ text, whole, finish }: Chunk) {
      const isLast = finishOf(finish) !== 'none';
      yield* add(text, { isWhole: false, isLast });
      yield* add(whole, { isWhole: true, isLast });
    },
    end: () => begun(marks.end()),
    cut: () => begun(marks.cut()),
    hasWords: () => hasWords,
    wroteCall: () => marks.wroteCall(),
  };
};

/**
 * Reads a completion. Calls `messageOver` at the finish and with each frame after it, so that the caller can end the
 * body, because a server may leave it open. Throws an AgentFailure, also for an error within the stream, after the text
 * before it.
 */
export async function* readCompletion(
  body: AsyncIterable<Uint8Array>,
  longestLine: number,
  messageOver: () => void = () => undefined,
): AsyncGenerator<CompletionPart, void, undefined> {
  const seen: Seen = {
    body: 'empty',
    unreadable: false,
    words: false,
    done: false,
    finish: 'none',
    writtenCall: false,
  };
  const toolCalls = createToolCallParts();
  const words = createWords();
  let broke = false;

  function* end({ isCut }: { isCut: boolean }): Generator<string, void, undefined> {
    const rest = isCut ? words.cut() : words.end();
    if (rest !== '') yield rest;
    seen.words = words.hasWords();
    seen.writtenCall = words.wroteCall();
  }

  try {
    for await (const frame of readFrames(body, { longestLine })) {
      if (seen.body === 'empty') seen.body = 'foreign';
      if (frame.type === 'done') {
        seen.body = 'completion';
        seen.done = true;
        break;
      }
      const chunk = chunkOf(frame);
      if (chunk === undefined) {
        seen.unreadable ||= frame.type === 'unreadable';
        continue;
      }
      seen.body = 'completion';
      yield* words.add(chunk);
      toolCalls.add(chunk.toolCalls);
      const finish = finishOf(chunk.finish);
      if (finish === 'failed') {
        throw new AgentFailure('agent_reported_error', 'the reply finished with an error', {
          serverSays: `finish_reason ${chunk.finish.slice(0, 100)}`,
        });
      }
      if (finish !== 'none') seen.finish = finish;
      if (seen.finish !== 'none') messageOver();
    }
  } catch (error) {
    // The finish ends the reply, because later frames contain no part of it.
    if (seen.finish === 'none' || error instanceof AgentFailure) {
      yield* end({ isCut: true });
      throw error;
    }
    broke = true;
  }
  yield* end({ isCut: isCutOff(seen.finish) || (seen.finish === 'none' && !seen.done) });
  if (broke) yield { remark: 'the connection broke behind the end of the reply' };
  const parts = toolCalls.parts();
  yield* judge(seen, parts.length > 0);
  if (parts.length > 0) yield { toolCalls: assembleCalls(parts) };
}
