/** One utterance of the agent while it sounds on a simulated line: how far it has come, also with pauses in it. */
import type { Played } from '../line-reports.ts';
import { createAlarm, type LineTime } from '../line-time.ts';
import { heardAfter, sayingTime } from '../speaking-time.ts';

/** An utterance that sounds now. It is the same object from its first to its last sound. */
export type Voice = {
  readonly utterance: number;
  readonly text: string;
  /** BCP 47. */
  readonly language: string;
  readonly startedAt: number;
  /** How long it takes at a calm pace. */
  readonly durationMs: number;
};

/** Words that sounded without a pause between them. `startedAt` is wall-clock, `durationMs` how long on the line. */
export type SoundedStretch = { text: string; language: string; startedAt: number; durationMs: number };

export type SoundingUtterance = {
  readonly voice: Voice;
  /** It sounds from here on: at first, and behind each pause. */
  sound(): void;
  /** Falls silent; idempotent. */
  pause(): void;
  /** Ends it before its time. */
  cut(): Played;
  /** Ends it as one that was heard whole. */
  finish(): Played;
  /** Whether its far end reports what it has heard; its time counts otherwise. */
  isReported(): boolean;
  /** From now on its far end reports. */
  beReported(): void;
  /** So many characters were heard; tells whether that is all. */
  report(characters: number): boolean;
};

/** Who reports may speak more slowly and begin later than a calm speaker would; after this it was heard all the same. */
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
  /** How long it had sounded before the last pause, and what of it. */
  let before = { ms: 0, text: '' };
  /** Since when it sounds; `null` in a pause. */
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
