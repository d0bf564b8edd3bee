/**
 * The person at the far end of a simulated line. What a person does is written as a generator that reads like a
 * script: it acts on its telephone and yields what it waits for. It is looked at again whenever something on the line
 * changes and when its time is up, so a waiting person costs one small object and at most one timer.
 */
import type { UnansweredCause } from '#machines/line.ts';
import type { LineEnd } from '#machines/line-life.ts';
import { createAlarm, type LineTime } from '../line-time.ts';
import type { MediaEndpoint } from '../media/media-endpoint.ts';
import type { Voice } from './sounding-utterance.ts';

/** Where the sound of a call goes in and out that is carried for once: of a person with a microphone and a speaker. */
export type CarriedSound = Pick<MediaEndpoint, 'sampleRate' | 'connect'>;

/** The far end's telephone: what a person can do with it and hear in it. */
export interface Phone {
  /** BCP 47. */
  readonly language: string;
  ring(): void;
  /** With this sound both ways, where the line can carry it; without it, in words alone. */
  answer(sound?: CarriedSound): void;
  /** Does not answer; only before the answer. */
  refuse(cause: UnansweredCause): void;
  /** Before the answer it gives up. */
  hangUp(): void;
  /** Begins to say this; wait for `isSpeaking` to become false before saying more. */
  say(text: string): void;
  /** Speaks before the words are known, which `say` then tells; `false`: no words come of it. */
  speak(isSpeaking: boolean): void;
  isSpeaking(): boolean;
  /** Makes a sound of which no words are known, or ceases to. */
  noise(isOn: boolean): void;
  press(digit: string): void;
  /** Puts the call on hold, or takes it back. */
  hold(isHeld: boolean): void;
  /** The beep of an answering machine is over. */
  beep(): void;
  /** What was understood of the sound of this end so far. */
  wordsHeard(): readonly string[];
  /** The keys that the agent has pressed so far. */
  keysHeard(): string;
  /** The language in which this end is heard (BCP 47). */
  heardIn(): string;
  /** What the agent is saying now, also while it pauses in it. */
  voice(): Voice | null;
  isVoicePaused(): boolean;
  /** Milliseconds on the line since the voice began. */
  sinceBeginOf(voice: Voice): number;
  /** How many utterances of the agent have begun. */
  voicesBegun(): number;
  /** How many of them were stopped before their end. */
  voicesCut(): number;
  /** Whether this end reports what it has heard of the agent; it is estimated otherwise. */
  setReporting(isReporting: boolean): void;
  /** So many characters of the utterance that sounds now were heard. */
  reportHeard(utterance: number, characters: number): void;
  /** The agent is about to hang up: what it says now is its farewell. */
  isFarewell(): boolean;
}

/** Goes on when the condition holds (true) or the time is over (false); neither given: never. */
export type Wait = { until?: () => boolean; atMostMs?: number };

/** The course of what somebody does, wait by wait. It may return something to the one who delegates to it. */
export type Course<Result = void> = Generator<Wait, Result, boolean>;

export type Behaviour = (phone: Phone) => Course;

/** Whoever is at the far end of a line: a course of behaviour, or a person of flesh and blood. */
export type Party = {
  start(): void;
  /** Something on the line has changed. */
  notice(): void;
  /** The line has ended. */
  stop(end: LineEnd): void;
};

export type CreateParty = (phone: Phone, time: LineTime) => Party;

export const createScriptedParty = (course: Course, time: LineTime): Party => {
  /** While the course acts it waits for nothing, so the changes that it makes itself do not start it again. */
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
