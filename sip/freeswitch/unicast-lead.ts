/**
 * FreeSWITCH's lead: audio that was sent to it and is not played yet. It is zero at first. When this process stalled
 * and FreeSWITCH ran dry, the frames sent to catch up remain as a lead, so that the next stall of that length is
 * inaudible; but falling silent takes longer by the same time. So the lead is limited, and a pause uses it up.
 */

const frameMs = 20;
/** Maximum lead, including the frame in playback: FreeSWITCH is silent within some 50 ms of a stop. */
const mostMs = 40;
/** Time by which a beat may come early. */
const jitterMs = 10;

export const createLead = () => {
  /** End of the sent audio, by the caller's clock. */
  let playedUntil = -Infinity;
  return {
    /** Whether a frame of voice or silence must be sent now; it then counts as sent. */
    isDue(now: number, isVoice: boolean): boolean {
      const ahead = Math.max(0, playedUntil - now);
      if (ahead > (isVoice ? mostMs - frameMs : jitterMs)) return false;
      playedUntil = now + ahead + frameMs;
      return true;
    },
  };
};
