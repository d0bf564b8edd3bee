import {
  agentHasSpokenFor,
  agentIsSilent,
  agentIsWellUnderWay,
  agentSpeaks,
  letRing,
  pause,
  pickUp,
  pressKeys,
  speak,
} from './behaviours.ts';
import type { Behaviour, Course, Phone } from './party.ts';
import { createEars, hear, type Ears } from './ears.ts';
import { createPersonaPlayer, talkAsPersona, type PersonaPlayer } from './persona.ts';
import { inTime, takesItsTime, type ScriptWatch } from './script-watch.ts';
import type { Interruption, Script, ScriptStep } from './script.ts';
import { plainPattern } from '#src/domain/said-pattern.ts';

/** Time that a person waits for an answer before speaking again. */
const patienceMs = 5_000;
const untilRefusedMs = 300;
const untilDeclinedMs = 1_500;
const usualAnswerMs = 1_000;
const beepMs = 500;

/** Takes the call as the script's first step says; returns whether the person answered. */
function* takeCall(phone: Phone, first: ScriptStep | undefined): Course<boolean> {
  if (first !== undefined && 'busy' in first) {
    yield* pause(untilRefusedMs);
    phone.refuse('busy');
    return false;
  }
  if (first !== undefined && 'trunk_error' in first) {
    yield* pause(untilRefusedMs);
    phone.refuse('trunk_error');
    return false;
  }
  if (first !== undefined && 'decline' in first) {
    yield* pause(untilRefusedMs);
    phone.ring();
    yield* pause(untilDeclinedMs);
    phone.refuse('declined');
    return false;
  }
  if (first !== undefined && 'no_answer' in first) {
    yield* letRing(phone);
    return false;
  }
  const takesTime = first !== undefined && 'answer_after_sec' in first;
  yield* pickUp(phone, takesTime ? first.answer_after_sec * 1_000 : usualAnswerMs);
  return true;
}

/** State of the conversation from the person's point of view. */
type Talk = {
  /** Number of utterances of the agent that had begun when the person last spoke or listened. */
  begunBefore: number;
  expectsAnswer: boolean;
  /** Number of the agent's digits that earlier steps have awaited. */
  keysTaken: number;
  ears: Ears;
};

function* interrupt(phone: Phone, interruption: Interruption): Course<string> {
  if (typeof interruption === 'string') {
    yield* agentIsWellUnderWay(phone);
    return interruption;
  }
  yield* agentHasSpokenFor(phone, interruption.after_ms);
  return interruption.text;
}

function* sayInTalk(phone: Phone, talk: Talk, text: string): Course {
  talk.ears.forget();
  yield* speak(phone, text);
  talk.begunBefore = phone.voicesBegun();
  talk.expectsAnswer = true;
}

/** Plays one step of an answered call. */
function* doStep(phone: Phone, talk: Talk, step: ScriptStep, watch: ScriptWatch | null): Course {
  if ('say' in step) {
    if (talk.expectsAnswer) yield* agentSpeaks(phone, talk.begunBefore, patienceMs);
    yield* agentIsSilent(phone);
    yield* sayInTalk(phone, talk, step.say);
  } else if ('interrupt' in step) {
    yield* sayInTalk(phone, talk, yield* interrupt(phone, step.interrupt));
  } else if ('backchannel' in step) {
    yield* agentIsWellUnderWay(phone);
    yield* speak(phone, step.backchannel);
  } else if ('listen' in step) {
    yield* agentSpeaks(phone, talk.begunBefore);
    yield* agentIsSilent(phone);
    talk.begunBefore = phone.voicesBegun();
    talk.expectsAnswer = false;
  } else if ('hear' in step) {
    yield* hear(phone, talk.ears, watch?.patternOf(step.hear) ?? plainPattern(step.hear));
    talk.begunBefore = phone.voicesBegun();
    talk.expectsAnswer = false;
  } else if ('wait_sec' in step) {
    yield* pause(step.wait_sec * 1_000);
  } else if ('noise_sec' in step) {
    phone.noise(true);
    yield* pause(step.noise_sec * 1_000);
    phone.noise(false);
  } else if ('hold_sec' in step) {
    phone.hold(true);
    yield* pause(step.hold_sec * 1_000);
    phone.hold(false);
    talk.begunBefore = phone.voicesBegun();
    talk.expectsAnswer = false;
  } else if ('digits' in step) {
    talk.ears.forget();
    yield* pressKeys(phone, step.digits);
  } else if ('await_digits' in step) {
    const { await_digits: digits } = step;
    yield { until: () => phone.keysHeard().includes(digits, talk.keysTaken) };
    talk.keysTaken = phone.keysHeard().indexOf(digits, talk.keysTaken) + digits.length;
    talk.expectsAnswer = false;
  } else if ('announce' in step) {
    yield* speak(phone, step.announce);
  } else if ('beep' in step) {
    yield* pause(beepMs);
    phone.beep();
  } else if ('hang_up' in step) {
    // `isDone` is called before hanging up, because hanging up stops this course.
    watch?.isDone();
    phone.hangUp();
    yield {};
  }
}

/** The person's place in a script, from which another process can continue. */
export type ScriptPlace = {
  /** Steps that are completed, at first by an earlier process of the call. */
  readonly stepsDone: number;
  done(count: number): void;
};

/** `onStep` is called after each completed step. */
export const placeInScript = (stepsDone: number, onStep: () => void): ScriptPlace => {
  let done = stepsDone;
  return {
    get stepsDone() {
      return done;
    },
    done(count) {
      done = count;
      onStep();
    },
  };
};

const beginning = (): ScriptPlace => placeInScript(0, () => {});

const nobody = createPersonaPlayer(null, () => {});

export type Playing = {
  watch?: ScriptWatch | null;
  place?: ScriptPlace;
  /** Plays the persona of the script; without it, the persona fails. */
  player?: PersonaPlayer;
};

/** Plays the steps of an answered call from this place. A watched script ends the call when a step times out. */
export function* talkByScript(
  phone: Phone,
  script: Script,
  { watch = null, place = beginning(), player = nobody }: Playing = {},
): Course {
  const ears = createEars(phone);
  const talk: Talk = { begunBefore: 0, expectsAnswer: false, keysTaken: 0, ears };
  for (const [index, step] of [...script.entries()].slice(place.stepsDone)) {
    const limits = { phone, ears, watch, isLimited: !takesItsTime(step) };
    const course =
      'persona' in step
        ? talkAsPersona(phone, talk, step.persona, { player, watch })
        : inTime(doStep(phone, talk, step, watch), limits);
    if (!(yield* course)) return phone.hangUp();
    watch?.done(index + 1);
    place.done(index + 1);
  }
  if (watch === null) return undefined;
  watch.isDone();
  yield* pause(watch.stepTimeoutMs);
  return phone.hangUp();
}

/** A callee that plays this script. */
export const calleeOf = (script: Script, playing: Playing = {}): Behaviour =>
  function* (phone) {
    if (yield* takeCall(phone, script[0])) yield* talkByScript(phone, script, playing);
  };
