/** Long work in slices, between which the event loop does other work. */
const nextPass = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** A fraction of a frame of audio, so that calls in progress are heard without a gap. */
const usualMs = 10;

/**
 * Begins a slice. The returned function is called between two steps of the work: once the slice has lasted `sliceMs`, the
 * function waits for the next pass of the event loop and begins another slice.
 */
export const timeSlices = (sliceMs = usualMs): (() => Promise<void>) => {
  let begun = performance.now();
  return async () => {
    if (performance.now() - begun < sliceMs) return;
    await nextPass();
    begun = performance.now();
  };
};
