/**
 * The answer of a workflow: one JSON document, plain text, or a stream of JSON lines (`begin`, `item`, `end`, `error`),
 * as its response mode has it.
 */
import { z } from 'zod';
import { AgentFailure, sentenceEnd, type ReplyPiece } from '../agent.ts';
import { createSaidSoFar } from '../said-so-far.ts';
import { readFrames } from '../wire/read-frames.ts';
import { findReply, isStatus, type WorkflowReply } from './find-reply.ts';
import { plainReply } from './plain-reply.ts';

const place = z.union([z.string(), z.number()]).optional().catch(undefined);

const streamLine = z.object({
  type: z.enum(['begin', 'item', 'end', 'error']),
  content: z.unknown().optional(),
  /** Of the node; the rest of it changes with every line. */
  metadata: z
    .object({ nodeId: place, nodeName: place, runIndex: place, itemIndex: place })
    .optional()
    .catch(undefined),
});

type StreamLine = z.output<typeof streamLine>;

const reportedError = (content: unknown): AgentFailure =>
  new AgentFailure(
    'agent_reported_error',
    'the workflow reported an error',
    typeof content === 'string' && content !== '' ? { serverSays: content } : {},
  );

const plainText = (words: string | undefined): WorkflowReply | undefined =>
  words === undefined ? undefined : { words, controls: undefined };

/** JSON as a text; `undefined` for any other. What a model says may begin with a brace as well. */
const jsonIn = (content: unknown): { value: unknown } | undefined => {
  if (typeof content !== 'string' || !/^\s*(?:\{|\[\s*\{)/.test(content)) return undefined;
  try {
    return { value: JSON.parse(content) };
  } catch {
    return undefined;
  }
};

/** Which nodes, or steps of them, have given an item already. */
const createNodes = () => {
  const seen = new Set<string>();
  const nameOf = ({ metadata }: StreamLine): string =>
    [metadata?.nodeId, metadata?.nodeName, metadata?.runIndex, metadata?.itemIndex].join('\n').trim();
  return {
    begins(line: StreamLine): void {
      seen.delete(nameOf(line));
      // An item without a name belongs to the node that began last.
      seen.delete('');
    },
    isFirstItem(line: StreamLine): boolean {
      const name = nameOf(line);
      const isFirst = !seen.has(name);
      seen.add(name);
      return isFirst;
    },
  };
};

/**
 * `end` is not the end: each node and each step of an agent has its own, and only the response's end is that of the
 * reply. Neither is `error`: an agent whose tool has failed goes on with its next step, so that only an error which is
 * the last word is that of the reply. Silence is declared by an empty text, or by a stream whose nodes all have ended
 * without a word. Throws an AgentFailure.
 */
export async function* readN8nReply(
  body: AsyncIterable<Uint8Array>,
  longestLine: number,
): AsyncGenerator<ReplyPiece, void, undefined> {
  const seen = {
    anything: false,
    status: false,
    unreadable: false,
    reply: false,
    words: false,
    foreign: false,
    end: false,
    stream: false,
  };
  /** Nodes or steps that have begun and not ended. */
  let open = 0;
  /** The newest error, and whether the stream went on behind it. */
  let error: { failure: AgentFailure; isLast: boolean } | undefined;
  let isMidSentence = false;
  const nodes = createNodes();
  const said = createSaidSoFar();
  /** The JSON without a reply that a node began with: data, unless more items show that it was the text's beginning. */
  let data: string | undefined;

  function* say(reply: WorkflowReply | undefined): Generator<ReplyPiece, void, undefined> {
    if (reply === undefined) return;
    seen.reply = true;
    seen.words ||= reply.words.trim() !== '';
    isMidSentence = true;
    yield reply.words;
    if (reply.controls !== undefined) yield { controls: reply.controls };
  }
  function* endSentence(): Generator<ReplyPiece, void, undefined> {
    if (isMidSentence) yield sentenceEnd;
    isMidSentence = false;
  }
  /** A node that responds with JSON streams it as a text, in one item; a later item is text, whatever it looks like. */
  function* takeItem(line: StreamLine): Generator<ReplyPiece, void, undefined> {
    const { content } = line;
    const isFirst = nodes.isFirstItem(line);
    const json = isFirst ? jsonIn(content) : undefined;
    const reply = json === undefined ? findReply(content) : findReply(json.value);
    seen.foreign ||= reply === undefined;
    if (json !== undefined && reply === undefined && typeof content === 'string') data = content;
    if (reply === undefined) return;
    const begun = isFirst ? '' : (data ?? '');
    data = undefined;
    // A node behind the agent may respond with what the agent has streamed.
    const isWhole = json !== undefined || typeof content !== 'string';
    const words = said.newIn(begun + reply.words, { isWhole, isLast: isFirst });
    yield* say({ ...reply, words });
  }
  function* take(value: unknown): Generator<ReplyPiece, void, undefined> {
    const line = streamLine.safeParse(value).data;
    seen.stream ||= line !== undefined;
    if (error !== undefined) error.isLast = false;
    if (line === undefined) {
      seen.status ||= isStatus(value);
      // Only the first document counts, as only the first item of a list does.
      if (!seen.stream && !seen.reply) yield* say(findReply(value));
    } else if (line.type === 'error') error = { failure: reportedError(line.content), isLast: true };
    else if (line.type === 'item') yield* takeItem(line);
    else {
      if (line.type === 'begin') nodes.begins(line);
      data = undefined;
      said.beginPart();
      seen.end ||= line.type === 'end';
      open = Math.max(0, open + (line.type === 'begin' ? 1 : -1));
      yield* endSentence();
    }
  }

  for await (const frame of readFrames(body, { longestLine, plainText: true })) {
    seen.anything = true;
    if (frame.type === 'json') yield* take(frame.value);
    else if (frame.type === 'text') yield* say(plainText(plainReply(frame.text)));
    else seen.unreadable = true;
  }

  if (error !== undefined && (error.isLast || !seen.words)) throw error.failure;
  const isSilence = open === 0 && (seen.reply || (seen.end && !seen.foreign));
  if (!seen.words && !isSilence) throw missingReply(seen);
  if (error !== undefined) yield { remark: 'a node of the workflow failed, and the workflow went on' };
  if (seen.unreadable) yield { remark: 'a line of the response could not be read' };
  if (open > 0) yield { remark: 'the stream ended before all of its nodes had', endsEarly: true };
  if (!seen.words) yield { remark: 'the workflow answered with an empty text' };
}

const missingReply = ({ anything, status }: { anything: boolean; status: boolean }): AgentFailure => {
  if (!anything) return new AgentFailure('no_reply', 'the response is empty');
  return new AgentFailure(
    'no_reply',
    status
      ? 'the response only says that the workflow has started: its response mode sends the reply elsewhere'
      : 'the response has no text in "output", "text" or "message"',
  );
};
