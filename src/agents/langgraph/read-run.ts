/**
 * Reads the events of a run as pieces of a reply, in the stream modes `messages` and `messages-tuple`, from the
 * JavaScript and Python servers. A run has no end marker: the stream just ends.
 */
import { z } from 'zod';
import { AgentFailure, type ReplyPiece } from '../agent.ts';
import type { Frame } from '../wire/read-frames.ts';
import { readMessage, type GraphMessage } from './message.ts';
import { createSaidMessages } from './said-messages.ts';

/** Returns the event name without the subgraph from which it may come: `messages|weather:0b5c…`. */
export const eventOf = (frame: Frame): string =>
  frame.type === 'json' || frame.type === 'unreadable' ? (frame.event.split('|', 1)[0] ?? '') : '';

const errorData = z.union([
  z.string(),
  z
    .object({ error: z.string().catch(''), message: z.string().catch('') })
    .transform(({ error, message }) => (message === '' ? error : message)),
]);

/** Maximum length of the server's own error text. */
const longestQuote = 2_048;

const failureOf = (frame: Frame): AgentFailure => {
  const serverSays = (frame.type === 'json' && errorData.safeParse(frame.value).data) || '';
  return new AgentFailure(
    'agent_reported_error',
    'the run ended with an error',
    serverSays === '' ? {} : { serverSays: serverSays.slice(0, longestQuote) },
  );
};

const interrupt = 'the graph stopped at an interrupt and waits for a person';

const interrupted = z.object({ __interrupt__: z.array(z.unknown()).nonempty() });

const messagesOf = (values: readonly unknown[]): GraphMessage[] =>
  values.flatMap((value) => readMessage(value) ?? []);

/**
 * Reads a run. In a run without words, only an empty message of the agent declares silence. Throws an AgentFailure,
 * also for an `error` event, which comes with HTTP 200.
 */
export async function* readRun(frames: AsyncIterable<Frame>): AsyncGenerator<ReplyPiece, void, undefined> {
  const said = createSaidMessages();
  const seen = { frame: false, event: false, unreadable: false, interrupt: false };

  for await (const frame of frames) {
    seen.frame = true;
    const event = eventOf(frame);
    if (event === 'error') throw failureOf(frame);
    if (frame.type === 'unreadable') seen.unreadable = true;
    if (frame.type !== 'json' || event === '') continue;
    seen.event = true;
    if (interrupted.safeParse(frame.value).success) seen.interrupt = true;
    const values: unknown[] = Array.isArray(frame.value) ? frame.value : [];
    const messages = messagesOf(event === 'messages' ? values.slice(0, 1) : values);
    if (event === 'messages/complete') yield* said.complete(messages);
    if (event === 'messages/partial') for (const message of messages) yield* said.grow(message);
    if (event === 'messages') for (const message of messages) yield* said.add(message);
  }

  if (!seen.frame) throw new AgentFailure('no_reply', 'the response is empty');
  if (!seen.event) throw new AgentFailure('invalid_reply', 'the response is not the stream of a run');
  if (seen.unreadable) yield { remark: 'a part of the stream could not be read' };
  if (said.hasChanged()) yield { remark: 'a message was changed after its beginning was spoken' };
  if (!said.hasWords() && (seen.interrupt || !said.choseSilence())) {
    throw new AgentFailure(
      'no_reply',
      seen.interrupt ? interrupt : 'the run ended without text of the agent',
    );
  }
  if (seen.interrupt) yield { remark: interrupt };
  else if (!said.hasWords()) yield { remark: 'the agent answered with an empty message' };
  else if (said.endsEarly()) yield { remark: 'the run ended within a message', endsEarly: true };
}
