/**
 * Plays the agent's voice on a real line. Utterances are synthesized as they are queued and played one after the other.
 * The audio path reports played samples exactly; the next utterance starts when the previous one was played.
 */
import type { Logger } from 'pino';
import type { LineTime } from '../line-time.ts';
import type { AudioPath } from '../audio-path.ts';
import type { SampleRate } from '../samples.ts';
import { playUtterance, type Played, type PlayingUtterance } from './playing-utterance.ts';
import { synthesizeUtterance, type Speak, type Utterance } from './synthesis.ts';

type AgentPath = Pick<AudioPath, 'send' | 'whenPlayed' | 'waiting' | 'takeBack'>;

export type Playout = {
  /** The call's audio path is connected. */
  attach(path: AgentPath): void;
  /** Queues an utterance. `language` (BCP 47) if it differs from the call's first language. */
  say(utterance: number, text: string, language?: string): void;
  /** Stops playback; reports the current and queued utterances as played, in order. */
  stopTalking(): void;
  /** Pauses playback; `resume` continues with the current and queued utterances. */
  pause(): void;
  resume(): void;
  /** Stops playback permanently. */
  close(): void;
  /** Returns the highest recent level in dB below full scale; `null` if nothing is playing or paused. */
  level(): number | null;
};

export type PlayoutOptions = {
  time: LineTime;
  speak: Speak;
  /** Sample rate of the call. */
  sampleRate: SampleRate;
  on: {
    /** Called when this utterance has started. */
    begun?: (utterance: number) => void;
    played: (played: Played) => void;
    /**
     * Called with samples handed to the channel: the far end hears them now, or after samples that are still in
     * transit.
     */
    sent: (samples: Int16Array) => void;
    /** Called when the current audio ends now: stopped, or paused. */
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
