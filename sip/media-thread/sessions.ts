/** Audio sessions of all calls, driven by one beat of 20 ms. Incoming audio is delivered for all calls together. */
import type { Guard } from '#sip/rtp/guard.ts';
import { createRtpPorts } from '#sip/rtp/ports.ts';
import { frameMs } from '#sip/rtp/sending.ts';
import { createRtpSession, type RtpSession } from '#sip/rtp/rtp-session.ts';
import { SampleRing } from '#sip/audio/sample-ring.ts';
import {
  openUnicastSession,
  type UnicastEvents,
  type UnicastSession,
} from '../freeswitch/unicast-session.ts';
import { createHeard, type Heard } from './incoming-audio.ts';
import type { FromMediaThread, ToMediaThread } from './media-thread-messages.ts';
import { startPacer, type BeatTime } from './pacer.ts';

type Opening<Type extends ToMediaThread['type']> = Extract<ToMediaThread, { type: Type }>;

export type SessionsOptions = {
  /** Port range for RTP. */
  ports: { from: number; to: number };
  time: BeatTime;
  tell: (message: FromMediaThread) => void;
};

const statisticsEveryBeats = 50;

/**
 * Gap between two checks beyond which the thread counts as stalled; shorter than the gap that closes the fence
 * (`src/domain/fence.ts`).
 */
const mostGapMs = 5_000;

/** Beat that runs while there are calls. */
const createBeat = (tick: () => void, time: BeatTime) => {
  let stop: (() => void) | null = null;
  return {
    keep(isWanted: boolean): void {
      if (isWanted) stop ??= startPacer(tick, frameMs, time);
      else {
        stop?.();
        stop = null;
      }
    },
  };
};

const toFreeSwitch = (
  { id, address, from, ring, sampleRate, silenceMs }: Opening<'open unicast'>,
  heard: Pick<UnicastEvents, 'onAudio'>,
  guard: Guard,
  { time, tell }: SessionsOptions,
): Promise<UnicastSession> =>
  openUnicastSession(
    { address, from, sampleRate, silenceMs, now: time.now },
    new SampleRing(ring),
    {
      ...heard,
      onBegun: () => tell({ type: 'begun', id }),
      onSilence: (isSilent) => tell({ type: 'silence', id, isSilent }),
      onShortFrames: () => tell({ type: 'short frames', id }),
    },
    guard,
  );

/** Data of an error for the main thread. The error itself may have parts that cannot be posted. */
const errorData = (error: unknown): { message: string; stack: string | undefined } =>
  error instanceof Error
    ? { message: error.message, stack: error.stack }
    : { message: String(error), stack: undefined };

export type Sessions = {
  /** Handles a message of the main thread. */
  take(message: ToMediaThread): void;
  /**
   * Whether incoming audio may wait in its sockets until the next tick. Audio is read at once while a FreeSWITCH has
   * sent none yet, because outgoing audio waits for the first datagram, and with RTP, whose jitter follows from the
   * time of arrival.
   */
  mayDoze(): boolean;
  /** Closes all sessions. Sessions that are still opening are closed as soon as they are open. */
  closeAll(): void;
};

export const createSessions = (
  options: SessionsOptions,
  heard: Heard = createHeard(options.tell),
): Sessions => {
  const { time, tell } = options;
  const rtp = new Map<number, RtpSession>();
  const unicast = new Map<number, UnicastSession>();
  /**
   * Ids of sessions that are still opening. A session that is closed during that time is closed as soon as it is open.
   */
  const opening = new Set<number>();
  const ports = createRtpPorts(options.ports);
  let beats = 0;
  let checkedAt: number | null = null;
  let isStalled = false;

  /**
   * Whether audio may be sent. False after a stall until `resume`, because a process that was frozen may have lost its
   * calls to another one. Checked for each session: a freeze can begin between the frames of two sessions.
   */
  const maySend = (): boolean => {
    const now = time.now();
    const gapMs = now - (checkedAt ?? now);
    checkedAt = now;
    if (gapMs > mostGapMs && !isStalled) {
      isStalled = true;
      tell({ type: 'stalled' });
    }
    return !isStalled;
  };

  const measure = (id: number): void => {
    const session = rtp.get(id);
    if (session !== undefined) tell({ type: 'statistics', id, statistics: session.statistics() });
  };

  const failed = (id: number, error: unknown): void => tell({ type: 'failed', id, error: errorData(error) });

  /** Forgets a session, and closes it. Throws if the code of the session fails. */
  const end = (id: number): void => {
    const session = rtp.get(id) ?? unicast.get(id);
    opening.delete(id);
    rtp.delete(id);
    unicast.delete(id);
    heard.forget(id);
    keepBeat();
    session?.close();
  };

  const close = (id: number): void => {
    try {
      end(id);
    } catch (error) {
      failed(id, error);
    }
  };

  /** Ends a session whose code has failed. */
  const fail = (id: number, error: unknown): void => {
    failed(id, error);
    try {
      end(id);
    } catch {
      // This error follows from the first one, which is reported.
    }
  };

  const guardOf =
    (id: number): Guard =>
    (run) => {
      try {
        run();
      } catch (error) {
        fail(id, error);
      }
    };

  const tickOf = (id: number, session: RtpSession | UnicastSession): void => {
    try {
      session.tick();
    } catch (error) {
      fail(id, error);
    }
  };

  const tick = (): void => {
    beats += 1;
    for (const ofKind of [rtp, unicast])
      for (const [id, session] of ofKind) if (maySend()) tickOf(id, session);
    heard.tell();
    if (beats % statisticsEveryBeats !== 0) return;
    for (const id of rtp.keys()) guardOf(id)(() => measure(id));
  };
  const beat = createBeat(tick, time);
  const keepBeat = (): void => {
    const isWanted = rtp.size + unicast.size > 0;
    if (!isWanted) checkedAt = null;
    beat.keep(isWanted);
  };

  const openRtp = async ({ id, address, ring }: Opening<'open'>): Promise<number> => {
    const taken = await ports.take(address);
    rtp.set(id, createRtpSession(taken, new SampleRing(ring), heard.of(id), guardOf(id)));
    return taken.port;
  };

  const openUnicast = async (message: Opening<'open unicast'>): Promise<number> => {
    const { id } = message;
    const session = await toFreeSwitch(message, heard.of(id), guardOf(id), options);
    unicast.set(id, session);
    return session.port;
  };

  const open = async (id: number, opened: Promise<number>): Promise<void> => {
    opening.add(id);
    try {
      tell({ type: 'opened', id, port: await opened });
      if (!opening.delete(id)) close(id);
    } catch (error) {
      opening.delete(id);
      heard.forget(id);
      tell({ type: 'refused', id, reason: error instanceof Error ? error.message : String(error) });
    }
    keepBeat();
  };

  tell({ type: 'ready' });

  return {
    take(message) {
      switch (message.type) {
        case 'open':
          return void open(message.id, openRtp(message));
        case 'open unicast':
          return void open(message.id, openUnicast(message));
        case 'agree':
          return guardOf(message.id)(() => rtp.get(message.id)?.agree(message.agreement));
        case 'press':
          return guardOf(message.id)(() => rtp.get(message.id)?.press(message.digits));
        case 'measure':
          return guardOf(message.id)(() => measure(message.id));
        case 'close':
          return close(message.id);
        case 'resume':
          isStalled = false;
          return undefined;
      }
    },
    mayDoze: () =>
      rtp.size === 0 && opening.size === 0 && [...unicast.values()].every((session) => session.isConnected()),
    closeAll: () => [...opening, ...rtp.keys(), ...unicast.keys()].forEach(close),
  };
};
