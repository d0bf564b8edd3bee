/**
 * Parts of Mastra's streams, in both formats. Mastra 0.20 and later sends chunks
 * (`{"type":"text-delta","payload":{…}}`, as events or between record separators). Earlier versions send the data
 * stream of the AI SDK 4, whose lines begin with a letter or digit for their type (`0:"text"`).
 */
import { z } from 'zod';
import { AgentFailure } from '../agent.ts';
import { finishOf, type Finish } from '../finish-reason.ts';
import type { Frame } from '../wire/read-frames.ts';

export type Part =
  /** Words to speak. A different `block` means a different message. */
  | { type: 'text'; block: string; text: string }
  /** A block of text or a step of the agent begins or ends. */
  | { type: 'boundary' }
  /** The agent suspends and waits for an action that does not exist in a call. */
  | { type: 'waiting'; remark: string }
  | { type: 'finish'; reason: Finish }
  | { type: 'failure'; failure: AgentFailure }
  /** Content that is not spoken: tools, reasoning, sub-agents, files. */
  | { type: 'other' };

const failed = (detail: string, serverSays?: string): Part => ({
  type: 'failure',
  failure: new AgentFailure('agent_reported_error', detail, serverSays === undefined ? {} : { serverSays }),
});

const failedWith = (serverSays?: string): Part => failed('the agent reported an error', serverSays);

const finished = (given: string): Part => {
  const reason = finishOf(given);
  return reason === 'failed' || given === 'tripwire'
    ? failed('the agent finished with an error')
    : { type: 'finish', reason };
};

const errorText = z.union([
  z.string(),
  z.object({ message: z.string() }).transform(({ message }) => message),
  z.unknown().transform(() => undefined),
]);

const chunk = z.object({ type: z.string(), payload: z.unknown().optional() });
const textDelta = z.object({ id: z.string().default(''), text: z.string() });
/** Newer versions of the AI SDK distinguish their own finish reason from the provider's. */
const reasonText = z.union([
  z.string(),
  z.object({ unified: z.string() }).transform(({ unified }) => unified),
]);
const finish = z.object({ stepResult: z.object({ reason: reasonText }) });
const error = z.object({ error: errorText.optional() });
const tripwire = z.object({ reason: z.string().optional() });

const partOfChunk = (value: unknown): Part | undefined => {
  const parsed = chunk.safeParse(value);
  if (!parsed.success) return undefined;
  const { type, payload } = parsed.data;
  switch (type) {
    case 'text-delta': {
      const delta = textDelta.safeParse(payload);
      return delta.success ? { type: 'text', block: delta.data.id, text: delta.data.text } : undefined;
    }
    case 'text-start':
    case 'text-end':
    case 'step-start':
    case 'step-finish':
      return { type: 'boundary' };
    case 'finish':
      return finished(finish.safeParse(payload).data?.stepResult.reason ?? 'unknown');
    case 'error':
      return failedWith(error.safeParse(payload).data?.error);
    case 'tripwire':
      return failed('a processor of the agent stopped the reply', tripwire.safeParse(payload).data?.reason);
    case 'tool-call-approval':
      return { type: 'waiting', remark: 'the agent waits for a tool call to be approved' };
    case 'tool-call-suspended':
      return { type: 'waiting', remark: 'the agent waits for a suspended tool call to be resumed' };
    default:
      return { type: 'other' };
  }
};

const jsonString = (text: string): string | undefined => {
  try {
    return z.string().safeParse(JSON.parse(text)).data;
  } catch {
    return undefined;
  }
};

const finishReason = (text: string): string => {
  try {
    return z.object({ finishReason: reasonText }).safeParse(JSON.parse(text)).data?.finishReason ?? 'unknown';
  } catch {
    return 'unknown';
  }
};

const partOfLine = (type: string, text: string): Part | undefined => {
  switch (type) {
    case '0': {
      const words = jsonString(text);
      return words === undefined ? undefined : { type: 'text', block: '', text: words };
    }
    case '3':
      return failedWith(jsonString(text));
    case 'e':
    case 'f':
      return { type: 'boundary' };
    case 'd':
      return finished(finishReason(text));
    default:
      return /^[0-9a-k]$/.test(type) ? { type: 'other' } : undefined;
  }
};

/** Parses a part. Returns undefined for a line of neither format. */
export const partOf = (frame: Frame): Part | undefined => {
  if (frame.type === 'json') return partOfChunk(frame.value);
  return frame.type === 'stray' ? partOfLine(frame.field, frame.text) : undefined;
};
