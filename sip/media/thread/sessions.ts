/** Audio sessions of all calls, on one beat of 20 ms. Incoming audio is delivered for all calls together. */
import { createRtpPorts } from '../rtp/ports.ts';
import { frameMs } from '../rtp/sending.ts';
import { createRtpSession, type RtpSession } from '../rtp/rtp-session.ts';
import { SampleRing } from '../sample-ring.ts';
import { openUnicastSession, type UnicastEvents, type UnicastSession } from '../unicast/unicast-session.ts';
import { createHeard } from './heard-sound.ts';
import type { FromSoundThread, ToSoundThread } from './sound-thread-messages.ts';
import { startPacer, type BeatTime } from './pacer.ts';

type Opening<Type extends ToSoundThread['type']> = Extract<ToSoundThread, { type: Type }>;

export type SessionsOptions = {
  /** Port range for RTP. */
  ports: { from: number; to: number };
  time: BeatTime;
  tell: (message: FromSoundThread) => void;
};

const figuresEveryBeats = 50;

/** The beat runs while there are calls. */
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
  { id, address, from, sound, sampleRate, silenceMs }: Opening<'open unicast'>,
  heard: Pick<UnicastEvents, 'onSound'>,
  { time, tell }: SessionsOptions,
): Promise<UnicastSession> =>
  openUnicastSession({ address, from, sampleRate, silenceMs, now: time.now }, new SampleRing(sound), {
    ...heard,
    onBegun: () => tell({ type: 'begun', id }),
    onSilence: (isSilent) => tell({ type: 'silence', id, isSilent }),
    onShortFrames: () => tell({ type: 'short frames', id }),
  });

export type Sessions = {
  /** Handles a message of the main thread. */
  take(message: ToSoundThread): void;
  /** Closes all sessions, and those that are still opening once they are open. */
  closeAll(): void;
};

export const createSessions = (options: SessionsOptions): Sessions => {
  const { time, tell } = options;
  const rtp = new Map<number, RtpSession>();
  const unicast = new Map<number, UnicastSession>();
  /** Sessions that are closed while opening are closed once they are open. */
  const opening = new Set<number>();
  const ports = createRtpPorts(options.ports);
  const heard = createHeard(tell);
  let beats = 0;

  const measure = (id: number): void => {
    const session = rtp.get(id);
    if (session !== undefined) tell({ type: 'figures', id, figures: session.figures() });
  };

  const tick = (): void => {
    beats += 1;
    for (const session of rtp.values()) session.tick();
    for (const session of unicast.values()) session.tick();
    heard.tell();
    if (beats % figuresEveryBeats !== 0) return;
    for (const id of rtp.keys()) measure(id);
  };
  const beat = createBeat(tick, time);
  const keepBeat = (): void => beat.keep(rtp.size + unicast.size > 0);

  const openRtp = async ({ id, address, sound }: Opening<'open'>): Promise<number> => {
    const taken = await ports.take(address);
    rtp.set(id, createRtpSession(taken, new SampleRing(sound), heard.of(id)));
    return taken.port;
  };

  const openUnicast = async (message: Opening<'open unicast'>): Promise<number> => {
    const session = await toFreeSwitch(message, heard.of(message.id), options);
    unicast.set(message.id, session);
    return session.port;
  };

  const open = async (id: number, opened: Promise<number>): Promise<void> => {
    opening.add(id);
    try {
      tell({ type: 'opened', id, port: await opened });
      if (!opening.delete(id)) close(id);
    } catch (error) {
      opening.delete(id);
      tell({ type: 'refused', id, reason: error instanceof Error ? error.message : String(error) });
    }
    keepBeat();
  };

  const close = (id: number): void => {
    opening.delete(id);
    rtp.get(id)?.close();
    unicast.get(id)?.close();
    rtp.delete(id);
    unicast.delete(id);
    heard.forget(id);
    keepBeat();
  };

  return {
    take(message) {
      switch (message.type) {
        case 'open':
          return void open(message.id, openRtp(message));
        case 'open unicast':
          return void open(message.id, openUnicast(message));
        case 'agree':
          return rtp.get(message.id)?.agree(message.agreement);
        case 'press':
          return rtp.get(message.id)?.press(message.keys);
        case 'measure':
          return measure(message.id);
        case 'close':
          return close(message.id);
      }
    },
    closeAll: () => [...opening, ...rtp.keys(), ...unicast.keys()].forEach(close),
  };
};
