/**
 * The turns of a conversation. A turn of the agent is what was heard of it, put together from the line's reports of its
 * utterances; it is over when all of them have left the line.
 */
import type { Message } from './reply.ts';

/** The agent's turn in progress, as far as it was heard. */
export type Spoken = { startedAt: number; endedAt: number; text: string; whole: boolean };

/** Of a conversation, what concerns its turns. */
export type Turns = {
  messages: readonly Message[];
  /** Counts replies, from 1. */
  turn: number;
  /** Utterances said and not yet reported by the line, in order. */
  unplayed: readonly string[];
  spoken: Spoken | null;
  /** So many of the last messages are the other party's, and no reply to them was asked for yet. */
  unanswered: number;
};

/** The line's report of an utterance. */
export type UtteranceReport = { startedAt: number; at: number; text: string; whole: boolean };

/** Whether something of the reply under way is being said, or was. */
export const hasBegun = ({ spoken, unplayed }: Turns): boolean => spoken !== null || unplayed.length > 0;

/** Whether the other party has heard anything of the agent, or is about to. */
export const agentWasHeard = (turns: Turns): boolean =>
  hasBegun(turns) || turns.messages.some(({ role }) => role === 'assistant');

/** Turns of the other party that are to be answered, when a reply is given up of which it may have heard no word. */
export const stillUnanswered = (turns: Turns): number =>
  turns.unanswered === 0 && turns.messages.at(-1)?.role === 'user' && !hasBegun(turns) ? 1 : turns.unanswered;

export const withPlayed = (
  { spoken, unplayed }: Turns,
  played: UtteranceReport,
): Pick<Turns, 'unplayed' | 'spoken'> => {
  const left = unplayed.slice(1);
  if (played.text === '')
    return { unplayed: left, spoken: spoken === null ? null : { ...spoken, whole: false } };
  return {
    unplayed: left,
    spoken: {
      startedAt: spoken?.startedAt ?? played.startedAt,
      endedAt: played.at,
      text: spoken === null ? played.text : `${spoken.text} ${played.text}`,
      whole: (spoken?.whole ?? true) && played.whole,
    },
  };
};

export const withHeard = (
  { messages, unanswered }: Turns,
  content: string,
): Pick<Turns, 'messages' | 'unanswered'> => ({
  messages: [...messages, { role: 'user', content }],
  unanswered: unanswered + 1,
});

/** The agent's words stand before those of the other party that came while they were said. */
export const withSpoken = ({ messages, spoken, unanswered }: Turns): readonly Message[] => {
  if (spoken === null) return messages;
  const said: Message = { role: 'assistant', content: spoken.text };
  return messages.toSpliced(messages.length - unanswered, 0, said);
};

/** Maximum length of `sayingNow` in characters; longer turns are cut at the front. */
const longestSaying = 1_000;

/** The words of the agent's turn that were heard, and the sentence that is being said; null between turns. */
export const sayingNow = ({ spoken, unplayed }: Pick<Turns, 'spoken' | 'unplayed'>): string | null => {
  const [current] = unplayed;
  const words = [spoken?.text, current].filter((text) => text !== undefined).join(' ');
  return words === '' ? null : words.slice(-longestSaying).toWellFormed();
};
