/**
 * Reads the answer of a workflow: one JSON document, plain text, or a stream of JSON lines (`begin`, `item`, `end`,
 * `error`), depending on the workflow's response mode.
 */
import { z } from 'zod';
import { AgentFailure, type ReplyPiece, sentenceEnd } from '../agent.ts';
import { createSaidSoFar } from '../said-so-far.ts';
import { readFrames } from '../wire/read-frames.ts';

/** Maximum nesting depth. Replies are one or two levels deep, and deeper recursion could exhaust the stack. */
const deepest = 8;

/** Message that n8n sends if the workflow answers before it has run, in a field that otherwise contains a reply. */
const startedMessage = 'Workflow was started';

/**
 * Reply of a workflow. `controls` is the value of the field of that name beside the words or at an outer level;
 * undefined if there is none.
 */
type WorkflowReply = { words: string; controls: unknown };

/**
 * Finds the words of a workflow's answer (guides/design/agents.md, "n8n"). A text is the reply itself; a list yields
 * its first reply, an object the first of its fields `output`, `text` and `message`. Undefined if there are no words.
 * Other fields are data, not speech.
 */
export const findReply = (value: unknown, depth = 0): WorkflowReply | undefined => {
  if (typeof value === 'string') return { words: value, controls: undefined };
  if (typeof value !== 'object' || value === null || depth === deepest) return undefined;
  if (saysStarted(value)) return undefined;
  for (const inner of Array.isArray(value) ? value : fieldsOf(value)) {
    const reply = findReply(inner, depth + 1);
    if (reply !== undefined) return { ...reply, controls: reply.controls ?? controlsIn(value) };
  }
  return undefined;
};

type Fields = {
  output?: unknown;
  text?: unknown;
  message?: unknown;
  controls?: unknown;
  executionStarted?: unknown;
};

const controlsIn = ({ controls }: Fields): unknown => controls;

const fieldsOf = ({ output, text, message }: Fields): unknown[] => [output, text, message];

const saysStarted = ({ output, text, message }: Fields): boolean =>
  output === undefined && text === undefined && message === startedMessage;

/** Whether the answer only describes the execution. Words of such a workflow, if any, are sent elsewhere. */
const isStatus = (value: unknown): boolean => {
  if (typeof value !== 'object' || value === null) return false;
  const fields: Fields = value;
  return fields.executionStarted === true || saysStarted(fields);
};

/** Matches broken JSON and event streams of other kinds of servers, which are not words. */
const machineText = /^(?:\{\s*["'}]|\[\s*[[{"'\]]|(?:data|event):)/;

/** Characters of text for each U+FFFD that are at least expected in a text of valid UTF-8 with a few broken characters. */
const textForEachBroken = 10;

/**
 * Whether a body is a picture, audio, or in a legacy encoding. Signs are NUL, and many U+FFFD, which replace invalid
 * UTF-8. A model or a proxy that cuts characters leaves only a few.
 */
const isBinary = (text: string): boolean => {
  const broken = text.split('\uFFFD').length - 1;
  return text.includes('\0') || (broken > 1 && broken * textForEachBroken > text.length);
};

const isJson = (text: string): boolean => {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
};

/**
 * Returns the reply in a plain-text body; undefined for `null` and other JSON without words. Throws an AgentFailure
 * `invalid_reply` for a body that cannot be meant as speech.
 */
export const plainReply = (text: string): string | undefined => {
  if (isBinary(text)) throw new AgentFailure('invalid_reply', 'the response is not text');
  const reply = text.trim();
  if (machineText.test(reply))
    throw new AgentFailure('invalid_reply', 'the response is neither text nor readable JSON');
  return isJson(reply) ? undefined : reply;
};

const place = z.union([z.string(), z.number()]).optional().catch(undefined);

const streamLine = z.object({
  type: z.enum(['begin', 'item', 'end', 'error']),
  content: z.unknown().optional(),
  /** Metadata of the node; the other fields change with every line. */
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

/** Parses JSON in a text; returns `undefined` for other text. The words of a model may also begin with a brace. */
const jsonIn = (content: unknown): { value: unknown } | undefined => {
  if (typeof content !== 'string' || !/^\s*(?:\{|\[\s*\{)/.test(content)) return undefined;
  try {
    return { value: JSON.parse(content) };
  } catch {
    return undefined;
  }
};

/** Tracks the nodes, and their steps, that have already sent an item. */
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
 * Reads a streamed reply. An `end` line is not the end of the reply: each node and each step of an agent has its own,
 * and only the end of the response ends the reply. An `error` line does not fail the reply either, because an agent
 * whose tool has failed continues with its next step; only an error at the end of the stream fails it. An empty text
 * declares silence, and so does a stream whose nodes all ended without words. Throws an AgentFailure.
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
  /** Number of nodes or steps that have begun and not ended. */
  let open = 0;
  /** The newest error, and whether the stream continued after it. */
  let error: { failure: AgentFailure; isLast: boolean } | undefined;
  let isMidSentence = false;
  const nodes = createNodes();
  const said = createSaidSoFar();
  /**
   * JSON without a reply at the beginning of a node's output. Such JSON is data, unless further items show that it was
   * the beginning of a text.
   */
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
  /**
   * Handles an item. A node that responds with JSON streams it as text in one item; later items are text, whatever
   * their form.
   */
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
    // A node after the agent may respond with the text that the agent has already streamed.
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
      // Only the first document counts, just as only the first item of a list does.
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
