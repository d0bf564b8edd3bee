/** So many frames tell how quick the way is: five seconds of them. */
const rememberedFrames = 250;

/**
 * How long frames were held up on their way. They are made without a break, so those that came quickest lately tell
 * when the others were made; a frame that is lost only makes the next ones look older for a while.
 */
export const createFrameDelay = () => {
  const lags: number[] = [];
  let made = 0;
  return {
    /** A frame came in at `now` (any clock, in samples). Returns its delay beyond the usual one, in samples. */
    of(now: number, samples: number): number {
      made += samples;
      const lag = now - made;
      lags.push(lag);
      if (lags.length > rememberedFrames) lags.shift();
      return lag - Math.min(...lags);
    },
  };
};
