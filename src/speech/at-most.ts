import type { Synthesizer } from '#sip/speech.ts';

/** Lets at most `count` sentences be spoken at the same time; the others wait their turn. */
export const atMost = (count: number, synthesizer: Synthesizer): Synthesizer => {
  const waiting: (() => void)[] = [];
  let running = 0;
  return {
    name: synthesizer.name,
    async synthesize(text, language, signal) {
      if (running >= count) await new Promise<void>((resolve) => waiting.push(resolve));
      else running += 1;
      try {
        signal?.throwIfAborted();
        return await synthesizer.synthesize(text, language, signal);
      } finally {
        const next = waiting.shift();
        // The place goes straight to the one who waits.
        if (next === undefined) running -= 1;
        else next();
      }
    },
  };
};
