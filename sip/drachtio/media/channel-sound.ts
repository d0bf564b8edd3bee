/**
 * The sound of a channel over its whole call, by one unicast after another: a unicast has one codec, and FreeSWITCH may end it
 * without a word.
 *
 * Before another codec is agreed on, the unicast is ended by a new park (`repark.ts`). Otherwise FreeSWITCH ends it while it
 * changes the codec (`switch_core_media_set_codec`), where it holds a lock for which the thread of the unicast may wait: then
 * both wait for ever. FreeSWITCH changes the codec when it reads next, after its answer. A unicast that is opened before that
 * has the old codec, and ends with it.
 *
 * When FreeSWITCH sends nothing any more, it may have ended the unicast (a packet that it could not decode, for one), or it
 * stands still for a moment. It is asked something: one that stands still answers late, and sends again by then.
 */
import type { Logger } from 'pino';
import type { Clock } from '#src/domain/clock.ts';
import type { SoundEvents, SoundPath } from '../../media/media-endpoint.ts';
import { createMovablePath } from '../../media/movable-path.ts';
import { openUnicast, type UnicastEvents, type UnicastMeans, type UnicastRates } from './open-unicast.ts';
import { repark, type ReparkMeans } from './repark.ts';

/** FreeSWITCH reads every 20 ms; seen: it changes the codec in the second read at the latest. */
const codecChangeMs = 100;

/** In which a FreeSWITCH that answers again sends again. */
const frameMs = 40;
/** Before FreeSWITCH is asked again that did not answer. */
const askAgainMs = 1_000;

/** A unicast that ends so often, each time within so long, is not opened again. */
const mostEnds = 5;
const shortMs = 2_000;

export type ChannelSound = {
  path: SoundPath;
  /** Ends the unicast; what is said waits. Rejects when the channel does not come to a new park; all is as before then. */
  pause(): Promise<void>;
  /** Opens a unicast with the frames of now, in which all goes on. Rejects when it does not come about. */
  resume(change: Change): Promise<void>;
};

/**
 * What changed in a channel since it was parked. A park keeps the frame length that it started with
 * (`switch_ivr_park`), so another frame length needs another park.
 */
export type Change = 'nothing' | 'codec' | 'frames';

export type ChannelSoundMeans = UnicastMeans &
  ReparkMeans & {
    /** Frames are shorter than 20 ms. */
    onShortFrames: () => void;
    /** FreeSWITCH has ended the unicast, and it could not be opened again. */
    onFailed: (error: unknown) => void;
    /** Rejects when the call is over. */
    ended: Promise<never>;
    logger: Pick<Logger, 'warn'>;
  };

const waitFor = (clock: Clock, milliseconds: number): Promise<void> =>
  new Promise((resolve) => void clock.setTimeout(() => resolve(), milliseconds));

class ChannelGone extends Error {}

/** Keeps what is said while there is no unicast. */
const createWaitingPath = (): SoundPath => {
  let waiting = 0;
  return {
    send(samples) {
      waiting += samples.length;
    },
    whenPlayed() {},
    waiting: () => waiting,
    takeBack() {
      const taken = waiting;
      waiting = 0;
      return taken;
    },
    close() {},
  };
};

/** Whether a unicast that has ended is to be opened again. */
const createPatience = (clock: Clock) => {
  let openedAt = clock.now();
  let ends = 0;
  return {
    opened(): void {
      openedAt = clock.now();
    },
    allowsAnother(): boolean {
      ends = clock.now() - openedAt < shortMs ? ends + 1 : 1;
      return ends <= mostEnds;
    },
  };
};

/** Rejects when no sound comes within a few seconds, or `ended` does. `isPaused`: it begins without a unicast, until `resume`. */
export const openChannelSound = async (
  uuid: string,
  { onAudio, onLost }: SoundEvents,
  means: ChannelSoundMeans & UnicastRates & { change: Change; isPaused: boolean },
): Promise<ChannelSound> => {
  const { clock, commands } = means;
  let state: 'open' | 'paused' | 'closed' = means.isPaused ? 'paused' : 'open';
  let isSilent = false;

  const events: UnicastEvents = {
    onAudio,
    onLost,
    onShortFrames: means.onShortFrames,
    onSilence(isSilentNow) {
      isSilent = isSilentNow;
      if (isSilentNow) inTurn(reopenIfEnded).catch(means.onFailed);
    },
  };

  const untilChanged = async (change: Change): Promise<void> => {
    if (change === 'nothing') return;
    await waitFor(clock, codecChangeMs);
    if (change === 'frames') await repark(uuid, means);
  };

  const close = (): void => {
    state = 'closed';
  };
  means.ended.catch(close);

  if (!means.isPaused) await untilChanged(means.change);
  let unicast = means.isPaused ? createWaitingPath() : await openUnicast(uuid, events, means);
  const patience = createPatience(clock);
  const path = createMovablePath(unicast);

  const pause = async (): Promise<void> => {
    if (state !== 'open') return;
    await repark(uuid, means);
    path.moveTo(createWaitingPath());
    unicast.close();
    isSilent = false;
    if (state === 'open') state = 'paused';
  };

  const resume = async (): Promise<void> => {
    if (state !== 'paused') return;
    unicast = await openUnicast(uuid, events, means);
    patience.opened();
    if (state !== 'paused') return unicast.close();
    state = 'open';
    path.moveTo(unicast);
  };

  const isMissing = (): boolean => state === 'open' && isSilent;

  /** Resolves when FreeSWITCH has answered, or there is nothing to ask any more; whether it is there at all is known elsewhere. */
  const askUntilAnswered = async (): Promise<void> => {
    while (isMissing())
      try {
        const isThere = (await commands.api(`uuid_exists ${uuid}`)).trim() === 'true';
        if (isThere) return;
        throw new ChannelGone('The channel is gone');
      } catch (error) {
        if (error instanceof ChannelGone) throw error;
        await waitFor(clock, askAgainMs);
      }
  };

  const reopenIfEnded = async (): Promise<void> => {
    await askUntilAnswered();
    if (isMissing()) await waitFor(clock, frameMs);
    if (!isMissing()) return;
    if (!patience.allowsAnother()) throw new Error('FreeSWITCH ends the sound of a call again and again');
    await pause();
    await resume();
    means.logger.warn({ channel: uuid }, 'FreeSWITCH had ended the sound of a channel: it is open again');
  };

  let last: Promise<void> = Promise.resolve();
  const inTurn = (work: () => Promise<void>): Promise<void> => {
    const done = last.then(work);
    last = done.catch(() => {});
    return done;
  };

  return {
    path: {
      ...path,
      close() {
        close();
        path.close();
      },
    },
    pause: () => inTurn(pause),
    resume: (change) =>
      inTurn(async () => {
        if (state === 'paused') await untilChanged(change);
        await resume();
      }),
  };
};
