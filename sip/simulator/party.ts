/**
 * The person at the far end of a simulated line. Behaviour is written as a generator that reads like a script: it acts
 * on its telephone and yields its wait conditions. A condition is checked whenever the line changes and when its time
 * is over, so a waiting person costs one small object and at most one timer.
 */
import type { UnansweredCause } from '#machines/line.ts';
import type { LineEnd } from '#machines/line-life.ts';
import { createAlarm, type LineTime } from '#sip/audio/line-time.ts';
import type { MediaEndpoint } from '#sip/audio/media-endpoint.ts';
import type { Voice } from './sounding-utterance.ts';

/** Audio endpoint of a call that carries audio: a person with a microphone and a speaker. */
export type CarriedAudio = Pick<MediaEndpoint, 'sampleRate' | 'connect'>;

/** The far end's telephone: the actions and perceptions of a person. */
export interface Phone {
  /** BCP 47. */
  readonly language: string;
  ring(): void;
  /** Answers with this audio in both directions, if the line can carry it; without it, with words only. */
  answer(audio?: CarriedAudio): void;
  /** Rejects the call; only before the answer. */
  refuse(cause: UnansweredCause): void;
  /** Hangs up, or cancels before the answer. */
  hangUp(): void;
  /** Begins to say this; wait for `isSpeaking` to become false before the next text. */
  say(text: string): void;
  /** Begins speech before its words are known, which `say` provides later; `false`: the speech has no words. */
  speak(isSpeaking: boolean): void;
  isSpeaking(): boolean;
  /** Starts or stops a noise without words. */
  noise(isOn: boolean): void;
  press(digit: string): void;
  /** Puts the call on hold, or resumes it. */
  hold(isHeld: boolean): void;
  /** The beep of an answering machine has ended. */
  beep(): void;
  /** Recognized words of this end so far. */
  wordsHeard(): readonly string[];
  /** DTMF digits of the agent so far. */
  keysHeard(): string;
  /** Language in which this end is recognized (BCP 47). */
  heardIn(): string;
  /** The agent's current utterance, including a paused one. */
  voice(): Voice | null;
  isVoicePaused(): boolean;
  /** Milliseconds of line time since the voice began. */
  sinceBeginOf(voice: Voice): number;
  /** Number of utterances of the agent that have begun. */
  voicesBegun(): number;
  /** Number of utterances that were stopped before their end. */
  voicesCut(): number;
  /** Whether this end reports the heard part of the agent's words; otherwise it is estimated. */
  setReporting(isReporting: boolean): void;
  /** Reports the number of heard characters of the current utterance. */
  reportHeard(utterance: number, characters: number): void;
  /** Whether the agent is about to hang up: its current words are its farewell. */
  isFarewell(): boolean;
}

/** Resumes when the condition holds (true) or the time is over (false); without either, never. */
export type Wait = { until?: () => boolean; atMostMs?: number };

/** Behaviour of a person, wait by wait. It may return a result to a delegating course. */
export type Course<Result = void> = Generator<Wait, Result, boolean>;

export type Behaviour = (phone: Phone) => Course;

/** The far end of a line: a simulated course of behaviour, or a human. */
export type Party = {
  start(): void;
  /** The line has changed. */
  notice(): void;
  /** The line has ended. */
  stop(end: LineEnd): void;
};

export type CreateParty = (phone: Phone, time: LineTime) => Party;

export const createScriptedParty = (course: Course, time: LineTime): Party => {
  /** A course does not wait while it acts, so its own changes do not resume it recursively. */
  let state: 'acting' | { waitsFor: Wait } | 'stopped' = 'acting';
  const patience = createAlarm(time);

  /** The course may hang up, which stops it. */
  const isStopped = (): boolean => state === 'stopped';

  const goOn = (cameTrue: boolean): void => {
    patience.cancel();
    state = 'acting';
    let step = course.next(cameTrue);
    while (!isStopped() && step.done !== true && step.value.until?.() === true) step = course.next(true);
    if (isStopped() || step.done === true) return;
    state = { waitsFor: step.value };
    const { atMostMs } = step.value;
    if (atMostMs !== undefined) patience.set(atMostMs, () => goOn(false));
  };

  return {
    start: () => goOn(true),
    notice() {
      if (typeof state !== 'string' && state.waitsFor.until?.() === true) goOn(true);
    },
    stop() {
      state = 'stopped';
      patience.cancel();
    },
  };
};

export const behaving =
  (behaviour: Behaviour): CreateParty =>
  (phone, time) =>
    createScriptedParty(behaviour(phone), time);
