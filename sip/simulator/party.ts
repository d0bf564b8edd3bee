/**
 * The person at the far end of a simulated line. A behaviour is a generator that reads like a script: it acts on its
 * telephone and yields wait conditions. A condition is checked whenever the line changes and when its time is over, so
 * a waiting person costs one small object and at most one timer.
 */
import type { UnansweredLineCause } from '#machines/line.ts';
import type { LineEnd } from '#machines/line-life.ts';
import type { SimulatedFarEnd } from '#src/domain/simulated-far-end.ts';
import type { SaidSentence } from '#src/domain/web-phone.ts';
import { createAlarm, type LineTime } from '#sip/audio/line-time.ts';
import type { MediaEndpoint } from '#sip/audio/media-endpoint.ts';
import type { Voice } from './sounding-utterance.ts';

/** Audio endpoint of a call that carries audio: a person with a microphone and a speaker. */
export type CarriedAudio = Pick<MediaEndpoint, 'sampleRate' | 'connect'>;

/** The far end's telephone: all that a person can do and perceive. */
export interface Phone {
  /** Language of the call (BCP 47). */
  readonly language: string;
  ring(): void;
  /**
   * Answers with this audio in both directions, if the line can carry it. Without `audio`, the call carries words only.
   */
  answer(audio?: CarriedAudio): void;
  /** Rejects the call; possible only before the answer. */
  refuse(cause: UnansweredLineCause): void;
  /** Hangs up an answered call, or cancels the call before the answer. */
  hangUp(): void;
  /** Begins to say the text. The caller waits until `isSpeaking` is false before the next text. */
  say(text: string): void;
  /**
   * Begins speech before its words are known; `say` provides them later. `false` means that the speech has no words.
   */
  speak(isSpeaking: boolean): void;
  isSpeaking(): boolean;
  /** Starts or stops a noise without words. */
  noise(isOn: boolean): void;
  press(digit: string): void;
  /** Puts the call on hold, or resumes it. */
  hold(isHeld: boolean): void;
  /** Signals that the beep of an answering machine has ended. */
  beep(): void;
  /** Returns the recognized words of this end so far. */
  wordsHeard(): readonly string[];
  /** Returns the words of this end's current turn as recognized so far; empty without words. */
  wordsSoFar(): string;
  /** Returns the DTMF digits of the agent so far. */
  keysHeard(): string;
  /** Returns the language in which this end is recognized (BCP 47). */
  heardIn(): string;
  /** Returns the agent's current utterance, even if it is paused. */
  voice(): Voice | null;
  isVoicePaused(): boolean;
  /** Returns the milliseconds of line time since the voice began. */
  sinceBeginOf(voice: Voice): number;
  /** Returns the number of utterances of the agent that have begun. */
  voicesBegun(): number;
  /** Returns the number of utterances that were stopped before their end. */
  voicesCut(): number;
  /** Returns the heard part of the utterance that was stopped last; `null` before the first one. */
  lastCut(): SaidSentence | null;
  /**
   * Sets whether this end reports the heard part of the agent's words. Without reports, the heard part is estimated.
   */
  setReporting(isReporting: boolean): void;
  /** Reports the number of heard characters of the current utterance. */
  reportHeard(utterance: number, characters: number): void;
  /** Whether the agent is about to hang up, so that its current words are its farewell. */
  isFarewell(): boolean;
}

/**
 * A wait condition. Resumes with true when `until` holds, or with false when the time is over; without either, it never
 * resumes.
 */
export type Wait = { until?: () => boolean; atMostMs?: number };

/** Behaviour of a person, one wait after the other. A course may return a result to the course that delegated to it. */
export type Course<Result = void> = Generator<Wait, Result, boolean>;

export type Behaviour = (phone: Phone) => Course;

/** The far end of a line: a simulated person, or a human. */
export type Party = {
  start(): void;
  /** Called when the line has changed. */
  notice(): void;
  /** Called when the line has ended. */
  stop(end: LineEnd): void;
  /** Called instead of `stop` when another process continues the call. If absent, `stop` is called. */
  leave?(): void;
  /**
   * State from which another process resumes the party now, if the party has any; `null` for a party that cannot be
   * resumed yet. Every process knows a party without this function.
   */
  resumeState?(): SimulatedFarEnd | null;
};

export type CreateParty = (phone: Phone, time: LineTime) => Party;

export const createScriptedParty = (course: Course, time: LineTime): Party => {
  /**
   * State of the course. Changes of the line that the course itself causes while it acts do not resume it recursively.
   */
  let state: 'acting' | { waitsFor: Wait } | 'stopped' = 'acting';
  const patience = createAlarm(time);

  /** Whether the course was stopped. An action of the course may do that, for example hanging up. */
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

const released: LineEnd = { by: 'gateway', cause: null };

/** Releases a party whose call continues in another process. */
export const leaveParty = (party: Party): void => {
  if (party.leave === undefined) party.stop(released);
  else party.leave();
};

/** A party that is being looked up: nothing happens at its telephone before. `finding` must not reject. */
export const lookedUp =
  (finding: Promise<CreateParty>): CreateParty =>
  (phone, time) => {
    let party: Party | 'awaited' | 'over' = 'awaited';
    const begin = async (): Promise<void> => {
      const createParty = await finding;
      if (party === 'over') return;
      party = createParty(phone, time);
      party.start();
    };
    return {
      start: () => void begin(),
      notice() {
        if (typeof party !== 'string') party.notice();
      },
      resumeState: () => (typeof party === 'string' ? null : (party.resumeState?.() ?? null)),
      stop(end) {
        const stopped = party;
        party = 'over';
        if (typeof stopped !== 'string') stopped.stop(end);
      },
      leave() {
        const left = party;
        party = 'over';
        if (typeof left !== 'string') leaveParty(left);
      },
    };
  };
