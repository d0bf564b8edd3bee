import type { Message } from '#machines/reply.ts';

/** Tracks which user messages a thread already contains; a run that is cancelled before it begins adds none. */
export type ToldMessages = {
  /** Messages that the thread does not contain; always includes the newest one, even for a repeated request. */
  untold(messages: readonly Message[]): readonly Message[];
  /** The thread contains all of these messages now. */
  hold(messages: readonly Message[]): void;
};

/** `count`: number of messages that the thread already contains from an earlier process. */
export const createToldMessages = (count = 0): ToldMessages => {
  const ofUser = (messages: readonly Message[]): readonly Message[] =>
    messages.filter(({ role }) => role === 'user');
  return {
    untold(messages) {
      const told = ofUser(messages);
      return told.slice(Math.min(count, told.length - 1));
    },
    hold(messages) {
      count = Math.max(count, ofUser(messages).length);
    },
  };
};
