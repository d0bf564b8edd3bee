import pino from 'pino';
import { SimulatedClock } from 'xstate';
import type { ReplyEvent } from '#machines/reply.ts';
import type { ReplyPiece } from '#src/agents/agent.ts';
import { createStartReply } from '#src/agents/start-reply.ts';

export type HeardReply = {
  /** The complete text as sent by the agent. */
  text: string;
  /** The text, split where the agent marked the end of a sentence. */
  sentences: string[];
  remarks: string[];
  /** Controls as listed, or as called by tools. */
  controls?: unknown[];
  /** The error with which the reply broke off, if it did. */
  error: unknown;
};

/** Reads a reply to its end or failure. */
export const hearReply = async (pieces: AsyncIterable<ReplyPiece>): Promise<HeardReply> => {
  const heard: HeardReply = { text: '', sentences: [], remarks: [], error: undefined };
  let sentence = '';
  const endSentence = (): void => {
    if (sentence !== '') heard.sentences.push(sentence);
    sentence = '';
  };
  try {
    for await (const piece of pieces) {
      if (typeof piece === 'string') {
        heard.text += piece;
        sentence += piece;
      } else if (typeof piece === 'symbol') endSentence();
      else if ('remark' in piece) heard.remarks.push(piece.remark);
      else (heard.controls ??= []).push('control' in piece ? piece.control : piece.controls);
    }
  } catch (error) {
    heard.error = error;
  }
  endSentence();
  return heard;
};

/** Text of a reply; throws if it breaks off. */
export const textOf = async (pieces: AsyncIterable<ReplyPiece>): Promise<string> => {
  const { text, error } = await hearReply(pieces);
  if (error !== undefined) throw error;
  return text;
};

/** The events that a conversation receives for these pieces. */
export const replyEvents = (
  pieces: AsyncIterable<ReplyPiece>,
  { writesControls }: { writesControls: boolean },
): Promise<ReplyEvent[]> =>
  new Promise((resolve) => {
    const events: ReplyEvent[] = [];
    const startReply = createStartReply({
      findAgent: () => ({ writesControls, reply: () => pieces }),
      times: { firstTokenMs: 8_000, wholeReplyMs: 60_000, idleFlushMs: 250 },
      clock: new SimulatedClock(),
      logger: pino({ level: 'silent' }),
    });
    startReply({ callId: 'call-1', turn: 1, messages: [] }, (event) => {
      events.push(event);
      if (event.type === 'reply.finished' || event.type === 'reply.failed') resolve(events);
    });
  });

/** Sentences and controls of a reply with controls, in order; a failure comes last. */
export const heardParts = async (pieces: AsyncIterable<ReplyPiece>): Promise<unknown[]> =>
  (await replyEvents(pieces, { writesControls: true })).flatMap((event): unknown[] => {
    if (event.type === 'reply.sentence') return [event.text];
    if (event.type === 'reply.control') return [event.control];
    return event.type === 'reply.failed' ? [{ failure: event.failure }] : [];
  });
