/**
 * A chat completion as its server sends it: streamed events, JSON lines, or one document where `stream` was not
 * understood. Gives text, remarks, and at the end the tools that the model wants to be called.
 */
import { AgentFailure, type Remark } from '../agent.ts';
import { readFrames } from '../wire/read-frames.ts';
import { chunkOf, type ToolCallPart } from './chunk.ts';
import { withoutThoughts } from './without-thoughts.ts';

/** `arguments` is what the model wrote: JSON, if it did well. */
export type ToolCall = { id: string; name: string; arguments: string };

export type CompletionPart = string | Remark | { toolCalls: readonly ToolCall[] };

/** Why a reply with this `finish_reason` is not complete; null where it is. */
const finishes: ReadonlyMap<string, string | null> = new Map([
  ['stop', null],
  ['tool_calls', null],
  ['function_call', null],
  ['length', 'the reply was cut off at its longest length'],
  ['content_filter', 'the reply was cut off by a content filter'],
]);

const assemble = (parts: readonly ToolCallPart[]): ToolCall[] =>
  [...Map.groupBy(parts, ({ index }) => index).values()].map((call) => ({
    id: call.find(({ id }) => id !== '')?.id ?? '',
    name: call.map(({ name }) => name).join(''),
    arguments: call.map((part) => part.arguments).join(''),
  }));

/** What a completion has had so far, by which its end is judged. */
type Seen = {
  /** What the body is taken for: nothing has come yet, or what came is none of a chat completion, or some of it is. */
  body: 'empty' | 'foreign' | 'completion';
  unreadable: boolean;
  words: boolean;
  done: boolean;
  finish: string;
};

/** Without words, only `stop` declares silence: the model has ended its turn and had nothing to say. */
const noReply = ({ body, finish }: Seen): AgentFailure | undefined => {
  if (finish === 'stop') return undefined;
  if (body === 'foreign') return new AgentFailure('invalid_reply', 'the response is not a chat completion');
  return new AgentFailure('no_reply', finishes.get(finish) ?? 'the response holds no reply');
};

function* judge(seen: Seen, wantsTools: boolean): Generator<Remark, void, undefined> {
  const { unreadable, words, done, finish } = seen;
  const failure = words || wantsTools ? undefined : noReply(seen);
  if (failure !== undefined) throw failure;
  if (unreadable) yield { remark: 'a part of the response could not be read' };
  if (finish === '' && !done) yield { remark: 'the response ended without its end mark', endsEarly: true };
  const oddity = finishes.get(finish) ?? null;
  if (oddity !== null) yield { remark: oddity, endsEarly: true };
  else if (!words && !wantsTools) yield { remark: 'the model finished without text' };
}

/** Throws an AgentFailure; also for an error within the stream, after the text that came before it. */
export async function* readCompletion(
  body: AsyncIterable<Uint8Array>,
  longestLine: number,
): AsyncGenerator<CompletionPart, void, undefined> {
  const seen: Seen = {
    body: 'empty',
    unreadable: false,
    words: false,
    done: false,
    finish: '',
  };
  const toolCalls: ToolCallPart[] = [];
  const spoken = withoutThoughts();

  function* say(text: string): Generator<string, void, undefined> {
    if (text === '') return;
    seen.words ||= text.trim() !== '';
    yield text;
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
      yield* say(spoken.add(chunk.text));
      toolCalls.push(...chunk.toolCalls);
      if (chunk.finish === '') continue;
      if (!finishes.has(chunk.finish)) {
        throw new AgentFailure('agent_reported_error', 'the reply finished with an error', {
          serverSays: `finish_reason ${chunk.finish.slice(0, 100)}`,
        });
      }
      seen.finish = chunk.finish;
    }
  } catch (error) {
    yield* say(spoken.end());
    // Behind the finish nothing of the reply is lost.
    if (seen.finish === '' || error instanceof AgentFailure) throw error;
    yield { remark: 'the connection broke behind the end of the reply' };
    seen.done = true;
  }
  yield* say(spoken.end());
  yield* judge(seen, toolCalls.length > 0);
  if (toolCalls.length > 0) yield { toolCalls: assemble(toolCalls) };
}
