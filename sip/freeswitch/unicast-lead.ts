/**
 * Lead of FreeSWITCH: audio that was sent to FreeSWITCH and is not played yet. The lead is zero at first. When this
 * process stalled and FreeSWITCH ran out of audio, the frames sent afterwards to catch up remain as a lead. The next
 * stall of that length is then inaudible, but silence after a stop begins later by the same time. The lead is therefore
 * limited, and reduced in pauses.
 */

const frameMs = 20;
/**
 * Maximum lead in milliseconds, including the frame in playback, so that FreeSWITCH is silent within some 50 ms of a
 * stop.
 */
const mostMs = 40;
/** Tolerance in milliseconds for a tick that comes early. */
const jitterMs = 10;

export const createLead = () => {
  /** End of the sent audio, by the caller's clock. */
  let playedUntil = -Infinity;
  return {
    /** Whether a frame of voice or silence must be sent now. If so, the frame counts as sent. */
    isDue(now: number, isVoice: boolean): boolean {
      const ahead = Math.max(0, playedUntil - now);
      if (ahead > (isVoice ? mostMs - frameMs : jitterMs)) return false;
      playedUntil = now + ahead + frameMs;
      return true;
    },
  };
};
