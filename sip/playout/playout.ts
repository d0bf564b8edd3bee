/**
 * The agent's voice on a real line. Utterances are synthesized as they are queued and played one after the other. What
 * was played is known to the sample, by the way on which it leaves: the next one begins when all of the one before has.
 */
import type { Logger } from 'pino';
import type { Played } from '../line-reports.ts';
import type { LineTime } from '../line-time.ts';
import type { SoundPath } from '../media/media-endpoint.ts';
import type { SampleRate } from '../samples.ts';
import { playUtterance, type PlayingUtterance } from './playing-utterance.ts';
import type { Speak } from './synthesis.ts';
import { synthesizeUtterance, type Utterance } from './utterance.ts';

type AgentPath = Pick<SoundPath, 'send' | 'whenPlayed' | 'waiting' | 'takeBack'>;

export type Playout = {
  /** The sound of the call is connected. */
  attach(path: AgentPath): void;
  /** `language`: where it is not the one that the call began with (BCP 47). */
  say(utterance: number, text: string, language?: string): void;
  /** Falls silent; what sounds and what is queued is reported as played, in order. */
  stopTalking(): void;
  /** Falls silent; what sounds goes on when the pause is over, and what is queued follows. */
  pause(): void;
  resume(): void;
  /** Like `stopTalking`, for good. */
  close(): void;
  /** How loud the agent was at most lately, in dB below full scale; `null` while nothing is played, nor pauses. */
  level(): number | null;
};

export type PlayoutOptions = {
  time: LineTime;
  speak: Speak;
  /** Of the call. */
  sampleRate: SampleRate;
  on: {
    /** This utterance begins to sound. */
    begun?: (utterance: number) => void;
    played: (played: Played) => void;
    /** These samples sound now, or behind those that sound. */
    sent: (samples: Int16Array) => void;
    /** What sounds ends now. */
    cut: () => void;
  };
  logger: Logger;
};

export const createPlayout = (options: PlayoutOptions): Playout => {
  const { time, sampleRate, on } = options;
  const queue: Utterance[] = [];
  let path: AgentPath | null = null;
  let playing: PlayingUtterance | null = null;
  let state: 'open' | 'paused' | 'closed' = 'open';

  const reportUnheard = (utterance: number, whole: boolean): void =>
    on.played({ utterance, text: '', startedAt: time.now(), whole });

  const played = (whole: Played): void => {
    playing = null;
    on.played(whole);
    playNext();
  };

  const playNext = (): void => {
    const next = queue[0];
    if (path === null || playing !== null || state === 'paused' || next === undefined) return;
    const isMute = next.pieces.every(({ length }) => length === 0);
    if (next.state === 'coming' && isMute) return;
    queue.shift();
    if (isMute) {
      reportUnheard(next.utterance, true);
      playNext();
      return;
    }
    playing = playUtterance(next, { path, sampleRate, time, on: { ...on, silenced: on.cut, played } });
    on.begun?.(next.utterance);
    playing.sendOn();
  };

  const stopTalking = (): void => {
    const stopped = playing;
    const forgotten = queue.splice(0);
    playing = null;
    if (state === 'paused') state = 'open';
    if (stopped !== null) {
      const heard = stopped.cut();
      on.cut();
      on.played(heard);
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
      path = connected;
      playNext();
    },
    say(utterance, text, language) {
      if (state === 'closed') reportUnheard(utterance, false);
      else queue.push(synthesizeUtterance({ ...options, utterance, text, language, onMore }));
    },
    stopTalking,
    pause() {
      if (state === 'open') state = 'paused';
      playing?.pause();
    },
    resume() {
      if (state !== 'paused') return;
      state = 'open';
      if (playing === null) playNext();
      else playing.resume();
    },
    close() {
      state = 'closed';
      stopTalking();
    },
    level: () => playing?.level() ?? null,
  };
};
