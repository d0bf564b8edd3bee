/**
 * FreeSWITCH's lead: what it was sent and has not played yet. That is nothing at first. When the sound was held up here
 * and FreeSWITCH ran dry, what is made up for stays ahead from then on, so that the next stall of that length is not
 * heard; but falling silent takes as much longer. So there is a limit, and a pause uses the lead up.
 */

const frameMs = 20;
/** As much as it may be ahead, the frame that is played now included: so it is silent within some 50 ms of a stop. */
const mostMs = 40;
/** A beat comes earlier than the one before, now and then. */
const jitterMs = 10;

export const createLead = () => {
  /** When what was sent is over, by the clock of whoever asks. */
  let playedUntil = -Infinity;
  return {
    /** Whether a frame is to be sent now, of a voice or of silence; it counts as sent then. */
    isDue(now: number, isVoice: boolean): boolean {
      const ahead = Math.max(0, playedUntil - now);
      if (ahead > (isVoice ? mostMs - frameMs : jitterMs)) return false;
      playedUntil = now + ahead + frameMs;
      return true;
    },
  };
};
