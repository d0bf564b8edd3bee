/**
 * Computes the quality of a call's audio as one number from 1 to 4.5 (ITU-T G.107, the E-model, for G.711 with
 * concealment).
 */

/** Rating of a perfect G.711 call, with all impairments of room and telephone at their defaults. */
const bestRating = 93.2;
/** G.113 appendix I: robustness of G.711 with packet loss concealment against random loss. */
const lossRobustness = 25.1;
/** Delay of codec and buffers on both sides, in milliseconds. */
const ownDelayMs = 40;

/** Returns the impairment by the mouth-to-ear delay (section 7.4 in its usual short form). */
const delayImpairment = (delayMs: number): number =>
  0.024 * delayMs + (delayMs > 177.3 ? 0.11 * (delayMs - 177.3) : 0);

/** Returns the score. `lost` is from 0 to 1; `roundTripMs` is 0 if unknown. */
export const meanOpinionScore = (stream: { lost: number; jitterMs: number; roundTripMs: number }): number => {
  const delayMs = stream.roundTripMs / 2 + 2 * stream.jitterMs + ownDelayMs;
  const percent = 100 * stream.lost;
  const rating = bestRating - delayImpairment(delayMs) - (95 * percent) / (percent + lossRobustness);
  if (rating <= 0) return 1;
  const score = 1 + 0.035 * rating + rating * (rating - 60) * (100 - rating) * 7e-6;
  return Math.max(1, Math.round(score * 100) / 100);
};
