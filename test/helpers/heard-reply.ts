import type { ReplyPiece } from '#src/agents/agent.ts';

export type HeardReply = {
  /** All of its text, as the agent gave it. */
  text: string;
  /** The text, cut where the agent itself said that a sentence was complete. */
  sentences: string[];
  remarks: string[];
  /** As they were listed. */
  controls?: unknown[];
  /** How it broke off, where it did. */
  error: unknown;
};

/** Takes a reply to its end, whatever the end is. */
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
      else (heard.controls ??= []).push(piece.controls);
    }
  } catch (error) {
    heard.error = error;
  }
  endSentence();
  return heard;
};

/** The text of a reply; what breaks it off is thrown. */
export const textOf = async (pieces: AsyncIterable<ReplyPiece>): Promise<string> => {
  const { text, error } = await hearReply(pieces);
  if (error !== undefined) throw error;
  return text;
};
