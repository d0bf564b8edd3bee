import {
  agentIsSilent,
  agentIsWellUnderWay,
  agentSpeaks,
  letRing,
  pause,
  pickUp,
  speak,
} from './behaviours.ts';
import type { Behaviour, Course, Phone } from './party.ts';
import type { Script, ScriptStep } from './script.ts';

/** How long somebody waits for an answer before speaking again. */
const patienceMs = 5_000;
const betweenKeysMs = 250;
const untilRefusedMs = 300;
const untilDeclinedMs = 1_500;
const usualAnswerMs = 1_000;
const beepMs = 500;

/** Takes the call as the script's first step says; tells whether it was answered. */
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

/** Does the steps of a call that stands. */
export function* talkByScript(phone: Phone, script: Script): Course {
  /** How many utterances of the agent had begun when the person last spoke or listened. */
  let begunBefore = 0;
  let expectsAnswer = false;
  /** Of the agent's keys, those that were awaited already. */
  let keysTaken = 0;

  for (const step of script) {
    if ('say' in step) {
      if (expectsAnswer) yield* agentSpeaks(phone, begunBefore, patienceMs);
      yield* agentIsSilent(phone);
      yield* speak(phone, step.say);
      begunBefore = phone.voicesBegun();
      expectsAnswer = true;
    } else if ('interrupt' in step) {
      yield* agentIsWellUnderWay(phone);
      yield* speak(phone, step.interrupt);
      begunBefore = phone.voicesBegun();
      expectsAnswer = true;
    } else if ('backchannel' in step) {
      yield* agentIsWellUnderWay(phone);
      yield* speak(phone, step.backchannel);
    } else if ('listen' in step) {
      yield* agentSpeaks(phone, begunBefore);
      yield* agentIsSilent(phone);
      begunBefore = phone.voicesBegun();
      expectsAnswer = false;
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
      begunBefore = phone.voicesBegun();
      expectsAnswer = false;
    } else if ('digits' in step) {
      for (const digit of step.digits) {
        phone.press(digit);
        yield* pause(betweenKeysMs);
      }
    } else if ('await_digits' in step) {
      const { await_digits: digits } = step;
      yield { until: () => phone.keysHeard().includes(digits, keysTaken) };
      keysTaken = phone.keysHeard().indexOf(digits, keysTaken) + digits.length;
      expectsAnswer = false;
    } else if ('announce' in step) {
      yield* speak(phone, step.announce);
    } else if ('beep' in step) {
      yield* pause(beepMs);
      phone.beep();
    } else if ('hang_up' in step) {
      phone.hangUp();
      return;
    }
  }
}

/** A callee that plays this script. */
export const calleeOf = (script: Script): Behaviour =>
  function* (phone) {
    if (yield* takeCall(phone, script[0])) yield* talkByScript(phone, script);
  };
