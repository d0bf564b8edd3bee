/**
 * The agent's voice on a real line. Utterances are synthesized as they are queued and played one after the other; what
 * has been played is known by the marks of mod_audio_fork, and what was heard of an interrupted utterance by the clock.
 *
 * How mod_audio_fork wants to be spoken to:
 * - It plays nothing before 160 ms have come in (`leastMs`).
 * - A mark is dependable when no sound is sent behind it until it comes back: it then says "everything was played".
 * - After `kill` it swallows what comes right behind; a mark sent with it comes back when it is ready again.
 */
import type { Logger } from 'pino';
import type { LineTime, Cancel } from '../simulator/line-time.ts';
import { heardAfter, sayingTime } from '../simulator/voice.ts';
import type { Fork } from './media-socket.ts';

export const samplesPerMs = 8;

const leastMs = 160;
/** Silence behind each utterance: a breath between sentences, and what the far end's jitter buffer still holds at the end. */
const breathMs = 120;
/** From sending a sample to hearing it at the far end. */
const latencyMs = 40;
/** A mark that does not come back within this is given up. */
const lostMarkMs = 1_000;

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
type Playing = Queued & { samples: Int16Array; startedAt: number; mark: string; cancelTimer: Cancel };

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
  /** The mark that says that a `kill` is done. */
  let clearing: { mark: string; cancelTimer: Cancel } | null = null;
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
    const durationMs = Math.max(samples.length / samplesPerMs + breathMs, leastMs);
    const sound = new Int16Array(durationMs * samplesPerMs);
    sound.set(samples);
    const mark = nextMark();
    const cancelTimer = time.after(durationMs + lostMarkMs, () => {
      logger.warn({ utterance: next.utterance }, 'FreeSWITCH did not report that an utterance was played');
      finish();
    });
    playing = { ...next, samples, startedAt, mark, cancelTimer };
    fork.send(sound);
    fork.mark(mark);
    on.begun(samples);
  };

  const finish = (): void => {
    if (playing === null) return;
    const { startedAt, cancelTimer } = playing;
    cancelTimer();
    report(playing, startedAt, true);
    playing = null;
    playNext();
  };

  const cut = ({ text, samples, startedAt, utterance, cancelTimer }: Playing): void => {
    cancelTimer();
    on.cut();
    const heard = (time.since(startedAt) - latencyMs) / (samples.length / samplesPerMs);
    // The text has its rhythm, the voice its pace: the share of the sound is taken as the share of the text's time.
    const part = heard >= 1 ? text : heardAfter(text, sayingTime(text) * Math.max(0, heard));
    report({ utterance, text: part }, startedAt, part === text);
  };

  const clear = (): void => {
    if (fork === null) return;
    clearing?.cancelTimer();
    const mark = nextMark();
    clearing = { mark, cancelTimer: time.after(lostMarkMs, ready) };
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
      if (!isOver) clear();
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
      if (name === playing?.mark) finish();
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
