import * as z from 'zod';

/** `queued_ms` is absent in events that were stored before it was measured. */
const latency = z.object({
  endpointing_ms: z.number(),
  queued_ms: z.number().default(0),
  first_audio_ms: z.number(),
});

/**
 * Returns the milliseconds from the end of the other party's speech to the first audible sound of the reply; null if
 * the turn answers no speech. `told` is the `latency` of a `turn.spoken` event.
 */
export const turnWait = (told: unknown): number | null => {
  const known = latency.safeParse(told).data;
  return known === undefined ? null : known.endpointing_ms + known.queued_ms + known.first_audio_ms;
};
