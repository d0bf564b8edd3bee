/** Behaviours of people on a telephone: the building blocks of scripts and callees. */
import type { Course, Phone } from './party.ts';

/** Silence after which a person assumes that the other party has finished. */
const politePauseMs = 800;
/**
 * Time in milliseconds from the beginning of an utterance to the interruption; for a short utterance, the interruption
 * comes after this share of it.
 */
const breakInAfterMs = 700;
const breakInAfterShare = 0.4;

const dialledToRingingMs = 100;
const betweenKeysMs = 250;

export function* pause(milliseconds: number): Course {
  yield { atMostMs: milliseconds };
}

/** Answers after this time in milliseconds, counted from dialing. */
export function* pickUp(phone: Phone, afterMs: number): Course {
  const ringingAfterMs = Math.min(dialledToRingingMs, afterMs / 2);
  yield* pause(ringingAfterMs);
  phone.ring();
  yield* pause(afterMs - ringingAfterMs);
  phone.answer();
}

/** Rings without an answer. */
export function* letRing(phone: Phone): Course {
  yield* pause(dialledToRingingMs);
  phone.ring();
  yield {};
}

/** Presses DTMF digits one after the other. */
export function* pressKeys(phone: Phone, keys: string): Course {
  for (const key of keys) {
    phone.press(key);
    yield* pause(betweenKeysMs);
  }
}

/** Speaks this text to its end. */
export function* speak(phone: Phone, text: string): Course {
  phone.say(text);
  yield { until: () => !phone.isSpeaking() };
}

/**
 * Waits until the agent says something; a current utterance counts. Returns whether the agent did so within the time
 * limit.
 */
export function* agentSpeaks(phone: Phone, begunBefore: number, atMostMs?: number): Course<boolean> {
  const until = (): boolean => phone.voicesBegun() > begunBefore || phone.voice() !== null;
  return yield atMostMs === undefined ? { until } : { until, atMostMs };
}

/**
 * Waits until the agent has been silent for a polite pause. `unless` is checked while the agent speaks and ends the
 * wait. Returns whether the agent fell silent.
 */
export function* agentIsSilent(phone: Phone, unless: () => boolean = () => false): Course<boolean> {
  for (;;) {
    yield { until: () => phone.voice() === null || unless() };
    if (unless()) return false;
    const goesOn = yield { until: () => phone.voice() !== null, atMostMs: politePauseMs };
    if (!goesOn) return true;
  }
}

/** Waits for the moment to interrupt, when the agent is well into an utterance. */
export function* agentIsWellUnderWay(phone: Phone): Course {
  for (;;) {
    yield { until: () => phone.voice() !== null };
    const voice = phone.voice();
    if (voice === null) continue;
    const after = Math.min(breakInAfterMs, voice.durationMs * breakInAfterShare);
    const atMostMs = Math.max(0, after - phone.sinceBeginOf(voice));
    const isOver = yield { until: () => phone.voice() !== voice, atMostMs };
    if (!isOver) return;
  }
}

/** Waits until the agent has been talking for this time, over any number of sentences. */
export function* agentHasSpokenFor(phone: Phone, milliseconds: number): Course {
  for (;;) {
    yield { until: () => phone.voice() !== null };
    const first = phone.voice();
    if (first === null) continue;
    const atMostMs = Math.max(0, milliseconds - phone.sinceBeginOf(first));
    const fellSilent = yield { until: () => phone.voice() === null, atMostMs };
    if (!fellSilent) return;
  }
}
