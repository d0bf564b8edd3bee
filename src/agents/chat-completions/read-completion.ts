/**
 * Reads a chat completion: streamed events, JSON lines, or one document if the server ignored `stream`. Yields text,
 * remarks, and at the end the tool calls of the model.
 */
import { AgentFailure, retraction, type Remark } from '../agent.ts';
import { finishOf, finishRemark, isCutOff, type Finish } from '../finish-reason.ts';
import { createModelMarks, wantsTool } from '../model-marks.ts';
import { createSaidSoFar } from '../said-so-far.ts';
import { readFrames } from '../wire/read-frames.ts';
import { assembleCalls, type ToolCall } from './assemble-calls.ts';
import { chunkOf, type Chunk, type ToolCallPart } from './chunk.ts';

export type { ToolCall } from './assemble-calls.ts';

export type CompletionPart = string | typeof retraction | Remark | { toolCalls: readonly ToolCall[] };

/** State of a completion, from which its end is judged. */
type Seen = {
  /** Classification of the body: empty so far, not a chat completion, or partly a chat completion. */
  body: 'empty' | 'foreign' | 'completion';
  unreadable: boolean;
  words: boolean;
  done: boolean;
  finish: Finish;
  /** A tool call among the words. */
  writtenCall: boolean;
};

/** Without words, only `stop` and its synonyms declare silence: the model ended its turn with an empty text. */
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

/** Filters the words of a completion: removes machine markup and repetitions. */
const createWords = () => {
  const marks = createModelMarks();
  const said = createSaidSoFar();
  let hasWords = false;
  let leavesOut = false;

  /** White space after leading thoughts is removed with them. */
  const begun = (text: string, written: string): string => {
    leavesOut ||= text.length !== written.length;
    const words = hasWords || !leavesOut ? text : text.trimStart();
    hasWords ||= words.trim() !== '';
    return words;
  };

  function* add(
    written: string,
    place: { isWhole: boolean; isLast: boolean },
  ): Generator<string | typeof retraction, void, undefined> {
    if (written === '') return;
    const { text, retracts } = marks.add(written);
    if (retracts) {
      said.clear();
      hasWords = false;
      yield retraction;
    }
    const words = said.newIn(begun(text, written), place);
    if (words !== '') yield words;
  }

  return {
    *add({ text, whole, finish }: Chunk) {
      const isLast = finishOf(finish) !== 'none';
      yield* add(text, { isWhole: false, isLast });
      yield* add(whole, { isWhole: true, isLast });
    },
    end: () => begun(marks.end(), ''),
    hasWords: () => hasWords,
    wroteCall: () => marks.wroteCall(),
  };
};

/**
 * Calls `messageOver` at the finish and with each frame after it: the caller may then end the body, because a server
 * may leave it open. Throws an AgentFailure, also for an error within the stream, after the text before it.
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
  const toolCalls: ToolCallPart[] = [];
  const words = createWords();
  let broke = false;

  function* end(): Generator<string, void, undefined> {
    const rest = words.end();
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
      toolCalls.push(...chunk.toolCalls);
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
    // No part of the reply follows the finish.
    if (seen.finish === 'none' || error instanceof AgentFailure) {
      yield* end();
      throw error;
    }
    broke = true;
  }
  yield* end();
  if (broke) yield { remark: 'the connection broke behind the end of the reply' };
  yield* judge(seen, toolCalls.length > 0);
  if (toolCalls.length > 0) yield { toolCalls: assembleCalls(toolCalls) };
}
