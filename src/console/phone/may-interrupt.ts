import { isBackchannel } from '#src/domain/backchannels.ts';

/** The beginning of a backchannel may still become one; what is longer takes the floor. */
const shortest = 4;

/** Whether words that are still being typed or spoken are more than a murmur. */
export const mayInterrupt = (words: string, language: string): boolean => {
  const text = words.trim();
  return (text.length >= shortest || /\S\s+\S/.test(text)) && !isBackchannel(text, language);
};
