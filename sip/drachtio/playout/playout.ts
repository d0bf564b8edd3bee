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
import type { LineTime } from '../../line-time.ts';
import { samplesPerMs } from '../../samples.ts';
import type { SoundPath } from '../../media/endpoint.ts';
import { createFlush } from './flush.ts';
import { leastMs, playUtterance, type Played, type PlayingUtterance } from './playing-utterance.ts';
import type { Speak } from './synthesis.ts';
import { synthesizeUtterance, type Utterance } from './utterance.ts';

export type Playout = {
  /** The sound of the call is connected. */
  attach(fork: Pick<SoundPath, 'send' | 'mark' | 'kill'>): void;
  onMark(name: string): void;
  say(utterance: number, text: string): void;
  /** Falls silent; what sounds and what is queued is reported as played, in order. */
  stopTalking(): void;
  /** Like `stopTalking`, for good. */
  close(): void;
  /** How loud the agent was at most lately, in dB below full scale; `null` while nothing is played. */
  level(): number | null;
};

export type PlayoutOptions = {
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
};

export const createPlayout = (options: PlayoutOptions): Playout => {
  const { time, speak, on, logger } = options;
  const queue: Utterance[] = [];
  let fork: Pick<SoundPath, 'send' | 'mark' | 'kill'> | null = null;
  let playing: PlayingUtterance | null = null;
  let marks = 0;
  let isOver = false;

  const nextMark = (): string => `m${(marks += 1)}`;
  const flush = createFlush({ time, nextMark, onDone: () => playNext() });

  const reportUnheard = (utterance: number, whole: boolean): void =>
    on.played({ utterance, text: '', startedAt: time.now(), whole });

  const played = (whole: Played): void => {
    playing = null;
    on.played(whole);
    playNext();
  };

  const playNext = (): void => {
    const next = queue[0];
    if (fork === null || playing !== null || flush.isUnderWay() || next === undefined) return;
    const waitingMs = next.pieces.reduce((sum, { length }) => sum + length, 0) / samplesPerMs;
    if (next.state === 'coming' && waitingMs < leastMs) return;
    queue.shift();
    if (waitingMs === 0) {
      reportUnheard(next.utterance, true);
      playNext();
      return;
    }
    playing = playUtterance(next, { fork, time, nextMark, on: { sent: on.sent, played }, logger });
    playing.sendOn();
  };

  const stopTalking = (): void => {
    const stopped = playing;
    const forgotten = queue.splice(0);
    playing = null;
    if (stopped !== null) {
      const heard = stopped.cut();
      on.cut();
      on.played(heard);
      if (!isOver && fork !== null) flush.begin(fork);
    }
    for (const { utterance, abort } of forgotten) {
      abort();
      reportUnheard(utterance, false);
    }
  };

  const onMore = (more: Utterance): void => {
    if (more === playing?.made) playing.sendOn();
    else playNext();
  };

  return {
    attach(connected) {
      fork = connected;
      playNext();
    },
    onMark(name) {
      if (playing?.onMark(name) !== true) flush.onMark(name);
    },
    say(utterance, text) {
      if (isOver) reportUnheard(utterance, false);
      else queue.push(synthesizeUtterance({ utterance, text, speak, onMore, logger }));
    },
    stopTalking,
    close() {
      isOver = true;
      stopTalking();
      flush.stop();
    },
    level: () => playing?.level() ?? null,
  };
};
