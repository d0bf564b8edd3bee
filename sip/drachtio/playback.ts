/**
 * The agent's voice on a real line. Utterances are synthesized as they are queued and played one after the other; what
 * has been played is known by the marks of mod_audio_fork, and what was heard of an interrupted utterance by the clock.
 *
 * How mod_audio_fork wants to be spoken to:
 * - It plays nothing before 160 ms have come in.
 * - Now and then, above all on a busy machine, it leaves what came in lying until more comes. So sound is never sent
 *   all at once: the breath behind it, a moment later, pushes it on.
 * - A mark is dependable when no sound is sent behind it until it comes back: it then says "nothing is left to play".
 *   When that is too early by the clock, sound lies waiting, and silence pushes it on.
 * - After `kill` it swallows what comes right behind; a mark sent with it comes back when it is ready again. What lay
 *   waiting survives a `kill`: a second one, with silence before it, gets it, too.
 */
import type { Logger } from 'pino';
import type { LineTime, Cancel } from '../line-time.ts';
import { heardAfter, sayingTime } from '../voice.ts';
import type { Fork } from './media-socket.ts';

export const samplesPerMs = 8;

const leastMs = 160;
/** Silence behind each utterance: a breath between sentences, and what a jitter buffer still holds at the end. */
const breathMs = 120;
const breathAfterMs = 60;
/** The least that pushes on what lies waiting. */
const pushMs = 80;
/** A mark that comes back so much too early says that sound lies waiting. */
const earlyMs = 100;
const maxPushes = 10;
/** From sending a sample to hearing it at the far end. */
const latencyMs = 40;
/** A mark that does not come back within this is given up: after the sound was played, and after a `kill`. */
const lostMarkMs = 3_000;
const lostKillMs = 1_000;

/** An utterance that has left the line. `startedAt` is wall-clock. */
export type Played = { utterance: number; text: string; startedAt: number; whole: boolean };

export type Playback = {
  /** The sound of the call is connected. */
  attach(fork: Pick<Fork, 'send' | 'mark' | 'kill'>): void;
  onMark(name: string): void;
  say(utterance: number, text: string): void;
  /** Falls silent; what sounds and what is queued is reported as played, in order. */
  stop(): void;
  /** Like `stop`, for good. */
  end(): void;
};

type Queued = { utterance: number; text: string; samples: Int16Array | null; abort: AbortController };
type Playing = Queued & {
  samples: Int16Array;
  startedAt: number;
  durationMs: number;
  /** `null` until everything was sent. */
  mark: string | null;
  pushes: number;
  cancelBreath: Cancel;
  cancelGivingUp: Cancel;
};

const silence = (milliseconds: number): Int16Array => new Int16Array(milliseconds * samplesPerMs);

export const createPlayback = (options: {
  time: LineTime;
  /** Samples at 8000 Hz. */
  synthesize: (text: string, signal: AbortSignal) => Promise<Int16Array>;
  on: {
    played: (played: Played) => void;
    /** These samples begin to sound now. */
    begun: (samples: Int16Array) => void;
    /** What sounds ends now. */
    cut: () => void;
  };
  logger: Logger;
}): Playback => {
  const { time, synthesize, on, logger } = options;
  const queue: Queued[] = [];
  let fork: Pick<Fork, 'send' | 'mark' | 'kill'> | null = null;
  let playing: Playing | null = null;
  /** The mark that says that a `kill` is done, and whether it is the second one. */
  let clearing: { mark: string; isSecond: boolean; cancelTimer: Cancel } | null = null;
  let marks = 0;
  let isOver = false;

  const nextMark = (): string => `m${(marks += 1)}`;

  const report = (
    { utterance, text }: { utterance: number; text: string },
    startedAt: number,
    whole: boolean,
  ) => on.played({ utterance, text, startedAt, whole });

  const playNext = (): void => {
    const next = queue[0];
    if (fork === null || playing !== null || clearing !== null || next === undefined) return;
    const { samples } = next;
    if (samples === null) return;
    queue.shift();
    const startedAt = time.now();
    if (samples.length === 0) {
      report({ ...next, text: '' }, startedAt, next.text.trim() === '');
      playNext();
      return;
    }
    const breath = silence(Math.max(breathMs, leastMs - samples.length / samplesPerMs));
    const durationMs = (samples.length + breath.length) / samplesPerMs;
    const cancelBreath = time.after(breathAfterMs, () => {
      fork?.send(breath);
      markEnd();
    });
    const cancelGivingUp = time.after(durationMs + lostMarkMs, () => {
      logger.warn({ utterance: next.utterance }, 'FreeSWITCH did not report that an utterance was played');
      finish();
    });
    playing = {
      ...next,
      samples,
      startedAt,
      durationMs,
      mark: null,
      pushes: 0,
      cancelBreath,
      cancelGivingUp,
    };
    fork.send(samples);
    on.begun(samples);
  };

  const markEnd = (): void => {
    if (playing === null || fork === null) return;
    playing.mark = nextMark();
    fork.mark(playing.mark);
  };

  const endOrPush = (): void => {
    if (playing === null) return;
    const isEarly = time.since(playing.startedAt) < playing.durationMs - earlyMs;
    if (!isEarly || playing.pushes === maxPushes) return finish();
    playing.pushes += 1;
    logger.debug({ utterance: playing.utterance }, 'sound lay waiting in FreeSWITCH and is pushed on');
    fork?.send(silence(pushMs));
    markEnd();
  };

  const finish = (): void => {
    if (playing === null) return;
    const played = playing;
    playing = null;
    forgetTimers(played);
    report(played, played.startedAt, true);
    playNext();
  };

  const forgetTimers = ({ cancelBreath, cancelGivingUp }: Playing): void => {
    cancelBreath();
    cancelGivingUp();
  };

  const cut = (stopped: Playing): void => {
    const { text, samples, startedAt, utterance } = stopped;
    forgetTimers(stopped);
    on.cut();
    const heard = (time.since(startedAt) - latencyMs) / (samples.length / samplesPerMs);
    // The text has its rhythm, the voice its pace: the share of the sound is taken as the share of the text's time.
    const part = heard >= 1 ? text : heardAfter(text, sayingTime(text) * Math.max(0, heard));
    report({ utterance, text: part }, startedAt, part === text);
  };

  const clear = (isSecond: boolean): void => {
    if (fork === null) return;
    clearing?.cancelTimer();
    const mark = nextMark();
    clearing = { mark, isSecond, cancelTimer: time.after(lostKillMs, ready) };
    // Not before the first: a mark that is still out there must not get sound behind it.
    if (isSecond) fork.send(silence(pushMs));
    fork.mark(mark);
    fork.kill();
  };

  const ready = (): void => {
    clearing?.cancelTimer();
    clearing = null;
    playNext();
  };

  const stop = (): void => {
    const stopped = playing;
    const forgotten = queue.splice(0);
    playing = null;
    if (stopped !== null) {
      cut(stopped);
      if (!isOver) clear(false);
    }
    for (const { utterance, abort } of forgotten) {
      abort.abort();
      report({ utterance, text: '' }, time.now(), false);
    }
  };

  const prepare = async (entry: Queued): Promise<void> => {
    try {
      entry.samples =
        entry.text.trim() === '' ? new Int16Array() : await synthesize(entry.text, entry.abort.signal);
    } catch (error) {
      if (entry.abort.signal.aborted) return;
      logger.error({ err: error, utterance: entry.utterance }, 'an utterance could not be synthesized');
      entry.samples = new Int16Array();
    }
    playNext();
  };

  return {
    attach(connected) {
      fork = connected;
      playNext();
    },
    onMark(name) {
      if (name === playing?.mark) endOrPush();
      else if (name === clearing?.mark && !clearing.isSecond) clear(true);
      else if (name === clearing?.mark) ready();
    },
    say(utterance, text) {
      if (isOver) {
        report({ utterance, text: '' }, time.now(), false);
        return;
      }
      const entry: Queued = { utterance, text, samples: null, abort: new AbortController() };
      queue.push(entry);
      void prepare(entry);
    },
    stop,
    end() {
      isOver = true;
      stop();
      clearing?.cancelTimer();
    },
  };
};
