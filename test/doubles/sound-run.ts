/** Processes the audio of all calls in test time; a gateway has a thread for this. */
import { createLineTime } from '#sip/line-time.ts';
import { createSessions } from '#sip/media/thread/sessions.ts';
import type { StartSoundRun } from '#sip/media/thread/sound-thread.ts';
import type { Clock } from '#src/domain/clock.ts';

export const soundRunIn =
  (clock: Clock): StartSoundRun =>
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
