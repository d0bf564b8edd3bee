/** One turn of the other party while it goes on, as far as it is known. Times are wall-clock milliseconds. */
export type Turn = {
  startedAt: number;
  /** Words that the recognizer will not change any more, and those that it still may. */
  settled: string;
  partial: string;
  /** Since when a voice is on; `null` in silence. */
  voicedSince: number | null;
  quietSince: number;
  /** How long a voice was on since the last pause, without the stretch that goes on. */
  voicedMs: number;
  hadVoice: boolean;
  /** Words have come since a voice last began. */
  hasNewWords: boolean;
  wordsAt: number;
  /** The recognizer was told of the pause. */
  wasPauseTold: boolean;
  /** The recognizer takes the turn for complete. */
  isComplete: boolean;
  beganOverAgent: boolean;
  endedOverAgent: boolean;
  /** It was reported as speech. */
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

/** Whether there is more in a text than signs. */
export const hasWords = (text: string): boolean => /[\p{L}\p{N}]/u.test(text);

export const addWords = (turn: Turn, text: string, isFinal: boolean, now: number): void => {
  // Some engines repeat themselves, or say again and again that there is nothing.
  const isNew = isFinal || (hasWords(text) && text !== turn.partial);
  if (isFinal) turn.settled = joined(turn.settled, text);
  turn.partial = isFinal ? '' : text;
  if (!isNew) return;
  turn.hasNewWords = true;
  turn.wordsAt = now;
  turn.isComplete = false;
  // Nobody noticed a voice: the words themselves say that it is not over.
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
