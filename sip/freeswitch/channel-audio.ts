/**
 * Audio of a channel for the whole call, over successive unicasts, because a unicast has one codec and FreeSWITCH may
 * end it without notice.
 *
 * Before another codec is negotiated, a new park ends the unicast (`repark.ts`). Otherwise FreeSWITCH ends the unicast
 * while it changes the codec (`switch_core_media_set_codec`), holding a lock for which the unicast's thread may wait: a
 * deadlock. FreeSWITCH changes the codec at its next read after its answer. A unicast opened before that has the old
 * codec and ends with it.
 *
 * When FreeSWITCH stops sending, it may have ended the unicast (for example after a packet that it could not decode),
 * or it may be stalled. A query distinguishes the two cases: a stalled FreeSWITCH answers late, and has resumed sending
 * by then.
 */
import type { Logger } from 'pino';
import type { Clock } from '#src/domain/clock.ts';
import { createAudioPath, type AudioPath } from '#sip/audio/audio-path.ts';
import { createLineTime } from '#sip/audio/line-time.ts';
import type { AudioEvents } from '#sip/audio/media-endpoint.ts';
import {
  openUnicast,
  type BegunUnicast,
  type Unicast,
  type UnicastEvents,
  type UnicastOptions,
  type UnicastRates,
} from './open-unicast.ts';
import type { ChannelHolder } from './keep-alive.ts';
import { repark, type ReparkOptions } from './repark.ts';

/**
 * Time after which FreeSWITCH has changed the codec: it reads every 20 ms, and changes the codec in the second read at
 * the latest (observed).
 */
const codecChangeMs = 100;

/** Time in milliseconds in which a FreeSWITCH that responds again resumes sending. */
const frameMs = 40;
/** Delay before an unanswered query is repeated. */
const repeatQueryMs = 1_000;

/**
 * Limit of unicasts that end early: after this many in succession, each shorter than this duration, no further one is
 * opened.
 */
const mostEnds = 5;
const shortMs = 2_000;

export type ChannelAudio = {
  path: AudioPath;
  /**
   * Ends the unicast; outgoing audio waits. Rejects if the channel does not reach a new park, and then changes no
   * state.
   */
  pause(): Promise<void>;
  /**
   * Opens a unicast with the channel's current frame length, through which the audio of the call continues. Rejects if
   * the unicast cannot be opened.
   */
  resume(change: Change): Promise<void>;
  /**
   * Resolves when FreeSWITCH has ended the unicast, which is no longer reopened. Until then the path must remain open.
   */
  untilEnded(): Promise<void>;
};

/**
 * Change of a channel since it was parked. A park keeps its initial frame length (`switch_ivr_park`), so another frame
 * length requires another park.
 */
export type Change = 'nothing' | 'codec' | 'frames';

export type ChannelAudioOptions = UnicastOptions &
  ReparkOptions & {
    /** Called when frames are shorter than 20 ms. */
    onShortFrames: () => void;
    /** Called when FreeSWITCH has ended the unicast and reopening it failed. */
    onFailed: (error: unknown) => void;
    /** Queries FreeSWITCH for the gateway that holds the channel. */
    holder: () => Promise<ChannelHolder>;
    /** Rejects when the call is over. */
    ended: Promise<never>;
    logger: Pick<Logger, 'warn'>;
  };

const waitFor = (clock: Clock, milliseconds: number): Promise<void> =>
  new Promise((resolve) => void clock.setTimeout(() => resolve(), milliseconds));

/** Thrown when FreeSWITCH responds but does not have the channel, because FreeSWITCH was restarted. */
export class ChannelGone extends Error {}

/** Thrown when another gateway has taken over the call and carries its audio. */
export class ChannelTaken extends Error {}

/** Whether an ended unicast should be opened again. */
const createReopenLimit = (clock: Clock) => {
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

/**
 * Opens the audio. Rejects when no audio arrives within a few seconds, or when `ended` rejects. `begun`: the unicast that
 * the call continues, if there is one. `isPaused`: the audio begins without a unicast, until `resume`.
 */
export const openChannelAudio = async (
  uuid: string,
  { onAudio, onLost }: AudioEvents,
  options: ChannelAudioOptions &
    UnicastRates & { begun?: BegunUnicast | null; change: Change; isPaused: boolean },
): Promise<ChannelAudio> => {
  const { clock, begun = null } = options;
  /** `left`: the call is at another process as soon as FreeSWITCH ends the unicast. */
  let state: 'open' | 'paused' | 'left' | 'closed' = options.isPaused ? 'paused' : 'open';
  let isSilent = false;
  const unicastEnded = Promise.withResolvers<void>();

  let last: Promise<void> = Promise.resolve();
  const inSequence = (work: () => Promise<void>): Promise<void> => {
    const done = last.then(work);
    last = done.catch(() => {});
    return done;
  };

  const events: UnicastEvents = {
    onAudio,
    onLost,
    onShortFrames: options.onShortFrames,
    onSilence(isSilentNow) {
      isSilent = isSilentNow;
      if (isSilentNow && state === 'left') unicastEnded.resolve();
      else if (isSilentNow) inSequence(reopenIfEnded).catch(options.onFailed);
    },
  };

  const untilChanged = async (change: Change): Promise<void> => {
    if (change === 'nothing') return;
    await waitFor(clock, codecChangeMs);
    if (change === 'frames') await repark(uuid, options);
  };

  const close = (): void => {
    state = 'closed';
    unicastEnded.resolve();
  };
  options.ended.catch(close);

  const path = createAudioPath(options.callRate, createLineTime(clock, 1), options.resample);
  let unicast: Unicast | null = null;
  const connect = (opened: Unicast): void => {
    unicast = opened;
    path.connect(opened.ring, opened.rate);
  };

  const reopenLimit = createReopenLimit(clock);

  const pause = async (): Promise<void> => {
    if (state !== 'open') return;
    await repark(uuid, options);
    path.disconnect();
    unicast?.close();
    unicast = null;
    isSilent = false;
    if (state === 'open') state = 'paused';
  };

  const resume = async (): Promise<void> => {
    if (state !== 'paused') return;
    const opened = await openUnicast(uuid, events, options);
    reopenLimit.opened();
    if (state !== 'paused') return opened.close();
    state = 'open';
    return connect(opened);
  };

  const isMissing = (): boolean => state === 'open' && isSilent;

  /**
   * Resolves when FreeSWITCH has answered, or when the query is no longer needed; the heartbeat detects a lost
   * FreeSWITCH.
   */
  const queryUntilAnswered = async (): Promise<void> => {
    while (isMissing())
      try {
        const holder = await options.holder();
        if (holder === 'here') return;
        // The audio is not reopened, because that would take it from the other gateway.
        if (holder === 'taken') throw new ChannelTaken('Another gateway holds the channel');
        throw new ChannelGone('The channel no longer exists');
      } catch (error) {
        if (error instanceof ChannelGone || error instanceof ChannelTaken) throw error;
        await waitFor(clock, repeatQueryMs);
      }
  };

  const reopenIfEnded = async (): Promise<void> => {
    await queryUntilAnswered();
    if (isMissing()) await waitFor(clock, frameMs);
    if (!isMissing()) return;
    if (!reopenLimit.allowsAnother()) throw new Error('FreeSWITCH repeatedly ends the audio of a call');
    await pause();
    await resume();
    options.logger.warn({ channel: uuid }, 'FreeSWITCH ended the audio of a channel; it was reopened');
  };

  // FreeSWITCH may fall silent before the end of the opening; the audio is reopened after it.
  const open = async (): Promise<void> => {
    await untilChanged(options.change);
    connect(await openUnicast(uuid, events, options));
  };
  if (begun !== null) {
    connect(begun);
    begun.listen(events, options.callRate);
  } else if (!options.isPaused) {
    await inSequence(open).catch((error: unknown) => {
      close();
      throw error;
    });
  }

  return {
    path: {
      ...path,
      close() {
        close();
        path.close();
        unicast?.close();
      },
    },
    pause: () => inSequence(pause),
    resume: (change) =>
      inSequence(async () => {
        if (state === 'paused') await untilChanged(change);
        await resume();
      }),
    untilEnded() {
      if (state !== 'open' || isSilent) return Promise.resolve();
      state = 'left';
      return unicastEnded.promise;
    },
  };
};
