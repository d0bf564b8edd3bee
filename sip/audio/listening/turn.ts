/** State of one turn of the other party. Times are wall-clock milliseconds. */
export type Turn = {
  startedAt: number;
  /** Final words, and words that may still change. */
  settled: string;
  partial: string;
  /** Time at which the current voice began; `null` in silence. */
  voicedSince: number | null;
  quietSince: number;
  /** Duration of voice since the last pause, without the current stretch. */
  voicedMs: number;
  hadVoice: boolean;
  /** Whether words have arrived since a voice last began. */
  hasNewWords: boolean;
  wordsAt: number;
  /** Whether the recognizer was notified of the pause. */
  wasPauseTold: boolean;
  /** Whether the recognizer marked the turn as complete. */
  isComplete: boolean;
  beganOverAgent: boolean;
  endedOverAgent: boolean;
  /** Whether the turn was reported as speech. */
  wasReported: boolean;
};

export const beginTurn = (startedAt: number, isVoiced: boolean, overAgent: boolean): Turn => ({
  startedAt,
  settled: '',
  partial: '',
  voicedSince: isVoiced ? startedAt : null,
  quietSince: startedAt,
  voicedMs: 0,
  hadVoice: isVoiced,
  hasNewWords: false,
  wordsAt: startedAt,
  wasPauseTold: !isVoiced,
  isComplete: false,
  beganOverAgent: overAgent,
  endedOverAgent: overAgent,
  wasReported: false,
});

const joined = (before: string, after: string): string => `${before} ${after.trim()}`.trim();

export const textOf = ({ settled, partial }: Turn): string => joined(settled, partial);

/** Whether a text contains letters or digits. */
export const hasWords = (text: string): boolean => /[\p{L}\p{N}]/u.test(text);

export const addWords = (turn: Turn, text: string, isFinal: boolean, now: number): void => {
  // Whether the words differ from the previous ones, because some engines repeat themselves, or report empty text
  // repeatedly.
  const isNew = isFinal || (hasWords(text) && text !== turn.partial);
  if (isFinal) turn.settled = joined(turn.settled, text);
  turn.partial = isFinal ? '' : text;
  if (!isNew) return;
  turn.hasNewWords = true;
  turn.wordsAt = now;
  turn.isComplete = false;
  // Without a detected voice, new words are the evidence that the turn continues.
  if (!turn.hadVoice) turn.quietSince = Math.max(turn.quietSince, now);
};

export const beginVoice = (turn: Turn, at: number): void => {
  turn.voicedSince = at;
  turn.hadVoice = true;
  if (turn.wasPauseTold) turn.voicedMs = 0;
  turn.hasNewWords = false;
  turn.wasPauseTold = false;
  turn.isComplete = false;
};

export const endVoice = (turn: Turn, at: number, overAgent: boolean): void => {
  if (turn.voicedSince === null) return;
  turn.voicedMs += Math.max(0, at - turn.voicedSince);
  turn.voicedSince = null;
  turn.quietSince = at;
  turn.endedOverAgent = overAgent;
};
