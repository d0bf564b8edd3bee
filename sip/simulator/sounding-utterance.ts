/** One utterance of the agent while it plays on a simulated line: its progress, including pauses. */
import type { Played } from '#sip/audio/playout/playing-utterance.ts';
import { createAlarm, type LineTime } from '#sip/audio/line-time.ts';
import { heardAfter, sayingTime } from '#sip/audio/speaking-time.ts';

/** An utterance in playback, represented by the same object from beginning to end. */
export type Voice = {
  readonly utterance: number;
  readonly text: string;
  /** Language of the utterance (BCP 47). */
  readonly language: string;
  readonly startedAt: number;
  /** Duration of the utterance at a calm pace, in milliseconds. */
  readonly durationMs: number;
};

/** Words that played without a pause. `startedAt` is wall-clock time, `durationMs` the duration on the line. */
export type SoundedStretch = { text: string; language: string; startedAt: number; durationMs: number };

export type SoundingUtterance = {
  readonly voice: Voice;
  /** Starts playback, initially and after each pause. */
  sound(): void;
  /** Pauses playback; idempotent. */
  pause(): void;
  /** Ends the utterance early. */
  cut(): Played;
  /** Ends the utterance as heard completely. */
  finish(): Played;
  /** Whether the far end reports the heard part of the utterance. Otherwise the heard part is estimated by time. */
  isReported(): boolean;
  /** Switches to reports by the far end. */
  beReported(): void;
  /** Sets the number of heard characters; returns whether the whole utterance was heard. */
  report(characters: number): boolean;
};

/**
 * Returns the time after which an utterance counts as heard without a report. A far end that reports may speak more
 * slowly and begin later than a calm speaker.
 */
const longestReportedMs = (durationMs: number): number => durationMs * 3 + 5_000;

export const createSoundingUtterance = (
  { utterance, text, language }: Pick<Voice, 'utterance' | 'text' | 'language'>,
  options: {
    isReported: boolean;
    time: LineTime;
    onOver: () => void;
    onStretch: (stretch: SoundedStretch) => void;
  },
): SoundingUtterance => {
  const { time, onOver, onStretch } = options;
  const durationMs = sayingTime(text);
  const voice: Voice = { utterance, text, language, startedAt: time.now(), durationMs };
  const end = createAlarm(time);
  let isReported = options.isReported && durationMs > 0;
  let heardCharacters = 0;
  /** Duration and text that were played before the last pause. */
  let before = { ms: 0, text: '' };
  /** Start of the current stretch; `null` in a pause. */
  let since: number | null = null;

  const soundedMs = (): number => {
    const ms = before.ms + (since === null ? 0 : time.since(since));
    return isReported ? ms : Math.min(durationMs, ms);
  };

  const heard = (): string => (isReported ? text.slice(0, heardCharacters) : heardAfter(text, soundedMs()));

  const awaitEnd = (): void =>
    end.set(isReported ? longestReportedMs(durationMs) : durationMs - before.ms, onOver);

  const fallSilent = (textUntilNow: string, msUntilNow: number): void => {
    end.cancel();
    if (since === null) return;
    onStretch({
      text: textUntilNow.slice(before.text.length),
      language,
      startedAt: since,
      durationMs: msUntilNow - before.ms,
    });
    before = { ms: msUntilNow, text: textUntilNow };
    since = null;
  };

  return {
    voice,
    sound() {
      since = time.now();
      awaitEnd();
    },
    pause: () => fallSilent(heard(), soundedMs()),
    cut() {
      const textUntilNow = heard();
      fallSilent(textUntilNow, soundedMs());
      return { utterance, text: textUntilNow, startedAt: voice.startedAt, whole: false };
    },
    finish() {
      const said = durationMs > 0 ? text : '';
      fallSilent(said, isReported ? soundedMs() : durationMs);
      return { utterance, text: said, startedAt: voice.startedAt, whole: true };
    },
    isReported: () => isReported,
    beReported() {
      isReported = true;
      if (since !== null) awaitEnd();
    },
    report(characters) {
      heardCharacters = Math.max(heardCharacters, characters);
      return heardCharacters >= text.length;
    },
  };
};
