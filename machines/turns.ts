/**
 * Turns of a conversation. A turn of the agent is its heard part, assembled from the line's reports of its utterances;
 * it is over when all of them have left the line.
 */
import type { Message } from './reply.ts';

/** The heard part of the agent's turn in progress. */
export type Spoken = { startedAt: number; endedAt: number; text: string; whole: boolean };

/** The part of a conversation's context that concerns turns. */
export type Turns = {
  messages: readonly Message[];
  /** Number of replies so far. */
  turn: number;
  /** Utterances that are queued or playing, in the order of the queue. */
  unplayed: readonly string[];
  spoken: Spoken | null;
  /** Number of user messages at the end of the history for which no reply was requested yet. */
  unanswered: number;
};

/** Report of the line about an utterance. */
export type UtteranceReport = { startedAt: number; at: number; text: string; whole: boolean };

/** Whether a part of the pending reply is being spoken or was spoken. */
export const hasBegun = ({ spoken, unplayed }: Turns): boolean => spoken !== null || unplayed.length > 0;

/** Whether the other party has heard words of the agent, or is about to hear some. */
export const agentWasHeard = (turns: Turns): boolean =>
  hasBegun(turns) || turns.messages.some(({ role }) => role === 'assistant');

/** Returns the number of unanswered user messages after a reply was aborted, possibly before its first heard word. */
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

/** Inserts the agent's words before the words of the other party that overlapped with them. */
export const withSpoken = ({ messages, spoken, unanswered }: Turns): readonly Message[] => {
  if (spoken === null) return messages;
  const said: Message = { role: 'assistant', content: spoken.text };
  return messages.toSpliced(messages.length - unanswered, 0, said);
};

/** Maximum length of `sayingNow` in characters. Longer turns are cut at the front. */
const longestSaying = 1_000;

/** Returns the heard words of the agent's turn, and the current sentence; null between turns. */
export const sayingNow = ({ spoken, unplayed }: Pick<Turns, 'spoken' | 'unplayed'>): string | null => {
  const [current] = unplayed;
  const words = [spoken?.text, current].filter((text) => text !== undefined).join(' ');
  return words === '' ? null : words.slice(-longestSaying).toWellFormed();
};
