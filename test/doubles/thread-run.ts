/** Processes the audio of all calls in test time; a gateway has a thread for this. */
import { createLineTime } from '#sip/audio/line-time.ts';
import { createSessions } from '#sip/media-thread/sessions.ts';
import type { StartThread } from '#sip/media-thread/media-thread.ts';
import type { Clock } from '#src/domain/clock.ts';

export const threadRunIn =
  (clock: Clock): StartThread =>
  (ports, on) => {
    const time = createLineTime(clock, 1);
    const sessions = createSessions({ ports, time, tell: on.message });
    return {
      tell: sessions.take,
      async end() {
        sessions.closeAll();
        time.stop();
        on.ended();
      },
    };
  };
