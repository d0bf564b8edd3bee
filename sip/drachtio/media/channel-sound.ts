/**
 * The sound of a channel over its whole call. When another codec is agreed on FreeSWITCH ends the way that the sound had
 * (switch_core_session_reset), and says nothing of it; and it takes a second way in a new park alone (`open-unicast.ts`). So the
 * channel is parked anew then, and its sound goes on there, with what was not said yet.
 *
 * FreeSWITCH answers, and changes the codec when it reads next. A way that is opened in between ends with the old codec; and
 * parked anew in between, FreeSWITCH offers once more by itself, and takes the answer for one with two channels (Opus). So
 * both wait until it has read.
 */
import type { Clock } from '#src/domain/clock.ts';
import type { SoundEvents, SoundPath } from '../../media/media-endpoint.ts';
import { createMovablePath } from '../../media/movable-path.ts';
import { openUnicast, type UnicastRates, type UnicastMeans } from './open-unicast.ts';
import { repark, type ReparkMeans } from './repark.ts';

/** It reads every 20 ms; seen: at the latest in the second read. */
const codecChangeMs = 100;

export type ChannelSound = {
  path: SoundPath;
  /** Its codec has become another one. Rejects when the sound does not go on. */
  renew(): Promise<void>;
};

export type ChannelSoundMeans = UnicastMeans & ReparkMeans & { ended: Promise<never> };

const waitFor = (clock: Clock, milliseconds: number): Promise<void> =>
  new Promise((resolve) => void clock.setTimeout(() => resolve(), milliseconds));

/** `hasOtherCodec`: than it had when it was parked. Rejects when no sound comes within a few seconds, or `ended` does. */
export const openChannelSound = async (
  uuid: string,
  events: SoundEvents,
  means: ChannelSoundMeans & UnicastRates & { hasOtherCodec: boolean },
): Promise<ChannelSound> => {
  let isClosed = false;
  if (means.hasOtherCodec) await waitFor(means.clock, codecChangeMs);
  let current = await openUnicast(uuid, events, means);
  const path = createMovablePath(current);

  const renew = async (): Promise<void> => {
    if (isClosed) return;
    await waitFor(means.clock, codecChangeMs);
    // What the channel is told before it is in its new park would still be done in the old one.
    await repark(uuid, means);
    const next = await openUnicast(uuid, events, means);
    const left = current;
    current = next;
    path.moveTo(next);
    left.close();
    if (isClosed) next.close();
  };

  let renewing: Promise<void> = Promise.resolve();
  return {
    path: {
      ...path,
      close() {
        isClosed = true;
        path.close();
      },
    },
    renew: () => (renewing = renewing.then(renew)),
  };
};
