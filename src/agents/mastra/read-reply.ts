import { AgentFailure, sentenceEnd, type ReplyPiece } from '../agent.ts';
import { finishRemark, isCutOff, type Finish } from '../finish-reason.ts';
import { readFrames } from '../wire/read-frames.ts';
import { partOf } from './parts.ts';

const remarkOn = (finish: Finish): string =>
  finish === 'tools'
    ? 'the agent finished with a tool call that it leaves to the caller'
    : ((isCutOff(finish) ? finishRemark(finish) : undefined) ??
      'the agent finished for a reason that is not known here');

/** State of a reply, from which its end is judged. */
type Seen = {
  /** Classification of the body: empty so far, not Mastra's format, or partly Mastra's format. */
  body: 'empty' | 'foreign' | 'mastra';
  /** Whether some of the data has an unknown format. */
  unreadable: boolean;
  words: boolean;
  /** Whether the end marker has arrived, even if the reply is not complete. */
  done: boolean;
  finish: Finish | undefined;
  /** Description of a suspension that waits for an action that does not exist in a call. */
  waiting: string | undefined;
};

/**
 * Returns the failure of a reply without words. Only the finish `stop` and its synonyms declare silence: the agent
 * ended its turn with an empty text.
 */
const noReply = ({ body, finish, waiting }: Seen): AgentFailure | undefined => {
  if (waiting !== undefined) return new AgentFailure('no_reply', waiting);
  if (finish === 'complete') return undefined;
  if (body === 'foreign') return new AgentFailure('invalid_reply', 'the response is not a stream of Mastra');
  return new AgentFailure(
    'no_reply',
    finish === undefined ? 'the stream ended without a reply' : remarkOn(finish),
  );
};

function* judge(seen: Seen): Generator<ReplyPiece> {
  const { unreadable, words, done, finish, waiting } = seen;
  const failure = words ? undefined : noReply(seen);
  if (failure !== undefined) throw failure;
  if (unreadable) yield { remark: 'a part of the stream could not be read' };
  if (waiting !== undefined) yield { remark: waiting };
  else if (finish === undefined && !done) {
    yield { remark: 'the stream ended without its end mark', endsEarly: true };
  } else if (finish !== undefined && finish !== 'complete') {
    yield { remark: remarkOn(finish), ...(isCutOff(finish) ? { endsEarly: true as const } : {}) };
  } else if (!words) yield { remark: 'the agent finished without text' };
}

/**
 * Reads a reply: the text of the agent itself, never that of its tools and sub-agents. `[DONE]` ends the reply but does
 * not prove success. Calls `messageOver` at the finish and with each frame after it, because the server may leave the
 * body open. Throws an AgentFailure.
 */
export async function* readMastraReply(
  body: AsyncIterable<Uint8Array>,
  longestLine: number,
  messageOver: () => void = () => undefined,
): AsyncGenerator<ReplyPiece, void, undefined> {
  const seen: Seen = {
    body: 'empty',
    unreadable: false,
    words: false,
    done: false,
    finish: undefined,
    waiting: undefined,
  };
  /** Block of the text since the last end of a sentence; undefined if there is none. */
  let block: string | undefined;

  for await (const frame of readFrames(body, { longestLine })) {
    if (seen.body === 'empty') seen.body = 'foreign';
    if (frame.type === 'done') {
      seen.body = 'mastra';
      seen.done = true;
      break;
    }
    const part = partOf(frame);
    if (part === undefined) {
      // Event streams may contain unknown fields. Ignoring them loses no content.
      seen.unreadable ||= frame.type !== 'stray';
      continue;
    }
    seen.body = 'mastra';
    if (part.type === 'failure') throw part.failure;
    const isText = part.type === 'text' && seen.finish === undefined;
    const isOtherBlock = isText && part.block !== block;
    if (block !== undefined && (isOtherBlock || part.type === 'boundary' || part.type === 'finish')) {
      block = undefined;
      yield sentenceEnd;
    }
    if (isText) {
      block = part.block;
      seen.words ||= part.text.trim() !== '';
      yield part.text;
    } else if (part.type === 'finish') seen.finish ??= part.reason;
    else if (part.type === 'waiting') seen.waiting ??= part.remark;
    if (seen.finish !== undefined || seen.waiting !== undefined) messageOver();
  }
  yield* judge(seen);
}
