import type { Message } from '#machines/reply.ts';

/** Which of the user's messages a thread holds already; a run that is cancelled before it begins has taken none. */
export type ToldMessages = {
  /** What the thread does not hold; the newest words in any case, also where somebody asks twice. */
  untold(messages: readonly Message[]): readonly Message[];
  /** The thread holds all of these now. */
  hold(messages: readonly Message[]): void;
};

/** `count`: so many it holds already, where another process began the conversation. */
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
