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
import type { LineTime, Cancel } from '../../line-time.ts';
import { heardAfter, sayingTime } from '../../voice.ts';
import type { Speak } from './synthesis.ts';
import type { AudioFork } from '../media/audio-fork.ts';
import { joinSamples } from '#src/domain/samples.ts';
import { samplesPerMs, silence } from '../../samples.ts';
import { createFlush, pushMs } from './flush.ts';
import { createPlayoutClock, type PlayoutClock } from './playout-clock.ts';
import { synthesizeUtterance, type Utterance } from './utterance.ts';

const leastMs = 160;
/** Silence behind each utterance: a breath between sentences, and what a jitter buffer still holds at the end. */
const breathMs = 120;
const breathAfterMs = 60;
/** A mark that comes back so much too early says that sound lies waiting. */
const earlyMs = 100;
const maxPushes = 10;
/** From sending a sample to hearing it at the far end. */
const latencyMs = 40;
/** A mark that does not come back so long after the sound was played is given up. */
const lostMarkMs = 3_000;

/** An utterance that has left the line. `startedAt` is wall-clock. */
export type Played = { utterance: number; text: string; startedAt: number; whole: boolean };

export type Playout = {
  /** The sound of the call is connected. */
  attach(fork: Pick<AudioFork, 'send' | 'mark' | 'kill'>): void;
  onMark(name: string): void;
  say(utterance: number, text: string): void;
  /** Falls silent; what sounds and what is queued is reported as played, in order. */
  stop(): void;
  /** Like `stop`, for good. */
  end(): void;
  /** How loud the agent was at most lately, in dB below full scale; `null` while nothing is played. */
  level(): number | null;
};

type Playing = Utterance & {
  startedAt: number;
  playoutClock: PlayoutClock;
  /** `null` until everything was sent. */
  mark: string | null;
  pushes: number;
  cancelBreath: Cancel;
  cancelGivingUp: Cancel;
};

export const createPlayout = (options: {
  time: LineTime;
  speak: Speak;
  on: {
    played: (played: Played) => void;
    /** These samples sound now, or behind those that sound. */
    sent: (samples: Int16Array) => void;
    /** What sounds ends now. */
    cut: () => void;
  };
  logger: Logger;
}): Playout => {
  const { time, speak, on, logger } = options;
  const queue: Utterance[] = [];
  let fork: Pick<AudioFork, 'send' | 'mark' | 'kill'> | null = null;
  let playing: Playing | null = null;
  let marks = 0;
  let isOver = false;

  const nextMark = (): string => `m${(marks += 1)}`;
  const flush = createFlush({ time, nextMark, onDone: () => playNext() });

  const report = (
    { utterance, text }: { utterance: number; text: string },
    startedAt: number,
    whole: boolean,
  ) => on.played({ utterance, text, startedAt, whole });

  const playNext = (): void => {
    const next = queue[0];
    if (fork === null || playing !== null || flush.isUnderWay() || next === undefined) return;
    const waiting = next.pieces.reduce((sum, { length }) => sum + length, 0) / samplesPerMs;
    if (!next.isComplete && waiting < leastMs) return;
    queue.shift();
    const startedAt = time.now();
    if (waiting === 0) {
      report({ ...next, text: '' }, startedAt, true);
      playNext();
      return;
    }
    playing = Object.assign(next, {
      startedAt,
      playoutClock: createPlayoutClock(time.now),
      mark: null,
      pushes: 0,
      cancelBreath: () => {},
      cancelGivingUp: () => {},
    });
    sendOn(playing);
  };

  /** Sends what has come meanwhile, and a moment after the last of it the breath. */
  const sendOn = (it: Playing): void => {
    const samples = joinSamples(it.pieces.splice(0));
    if (samples.length > 0) {
      fork?.send(samples);
      it.playoutClock.add(samples);
      on.sent(samples);
    }
    if (it.isComplete) it.cancelBreath = time.after(breathAfterMs, () => breathe(it));
  };

  const breathe = (it: Playing): void => {
    const ms = Math.max(breathMs, leastMs - it.playoutClock.totalMs());
    fork?.send(silence(ms));
    it.playoutClock.addSilence(ms);
    markEnd(it);
    it.cancelGivingUp = time.after(it.playoutClock.endsAt() - time.now() + lostMarkMs, () => {
      logger.warn({ utterance: it.utterance }, 'FreeSWITCH did not report that an utterance was played');
      finish();
    });
  };

  const markEnd = (it: Playing): void => {
    it.mark = nextMark();
    fork?.mark(it.mark);
  };

  const endOrPush = (it: Playing): void => {
    const isEarly = time.now() < it.playoutClock.endsAt() - earlyMs;
    if (!isEarly || it.pushes === maxPushes) return finish();
    it.pushes += 1;
    logger.debug({ utterance: it.utterance }, 'sound lay waiting in FreeSWITCH and is pushed on');
    fork?.send(silence(pushMs));
    markEnd(it);
  };

  const finish = (): void => {
    if (playing === null) return;
    const played = playing;
    playing = null;
    forgetTimers(played);
    const { text, hasFailed, playoutClock, startedAt } = played;
    report(
      hasFailed ? { ...played, text: heardAfter(text, playoutClock.totalMs()) } : played,
      startedAt,
      true,
    );
    playNext();
  };

  const forgetTimers = ({ cancelBreath, cancelGivingUp }: Playing): void => {
    cancelBreath();
    cancelGivingUp();
  };

  const cut = (stopped: Playing): void => {
    const { text, playoutClock, startedAt, utterance, isComplete, hasFailed } = stopped;
    forgetTimers(stopped);
    stopped.abort();
    on.cut();
    // The text has its rhythm, the voice its pace: the share of the sound is taken as the share of the text's time.
    // How long a voice gets that is still being made, the text must tell.
    const total = playoutClock.totalMs();
    const expected = isComplete && !hasFailed ? total : Math.max(total, sayingTime(text));
    const heard = playoutClock.soundedMs(time.now() - latencyMs) / expected;
    const part = heard >= 1 ? text : heardAfter(text, sayingTime(text) * heard);
    report({ utterance, text: part }, startedAt, part === text);
  };

  const stop = (): void => {
    const stopped = playing;
    const forgotten = queue.splice(0);
    playing = null;
    if (stopped !== null) {
      cut(stopped);
      if (!isOver && fork !== null) flush.begin(fork);
    }
    for (const { utterance, abort } of forgotten) {
      abort();
      report({ utterance, text: '' }, time.now(), false);
    }
  };

  const onMore = (more: Utterance): void => (more === playing ? sendOn(playing) : playNext());

  return {
    attach(connected) {
      fork = connected;
      playNext();
    },
    onMark(name) {
      if (playing !== null && name === playing.mark) endOrPush(playing);
      else flush.onMark(name);
    },
    say(utterance, text) {
      if (isOver) {
        report({ utterance, text: '' }, time.now(), false);
        return;
      }
      queue.push(synthesizeUtterance({ utterance, text, speak, onMore, logger }));
    },
    stop,
    end() {
      isOver = true;
      stop();
      flush.stop();
    },
    level: () => playing?.playoutClock.levelAt(time.now()) ?? null,
  };
};
