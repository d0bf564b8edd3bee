/**
 * Recognizes the user's speech with the browser's speech recognition, if there is one, and reports when the user's
 * words take the floor.
 */
import { isBackchannel } from '#src/domain/backchannels.ts';

/**
 * The members of the browser's speech recognition that are used here; not every type library contains the standard's
 * types.
 */
type Recognition = EventTarget & {
  lang: string;
  continuous: boolean;
  interimResults: boolean;
  start(): void;
  abort(): void;
};

type RecognitionEvent = Event & {
  resultIndex: number;
  results: ArrayLike<ArrayLike<{ transcript: string }> & { isFinal: boolean }>;
};

/** Minimum length of text that may take the floor. Shorter text may be the beginning of a backchannel. */
const shortest = 4;

/** Whether incomplete words, typed or spoken, are more than a backchannel. */
export const mayInterrupt = (words: string, language: string): boolean => {
  const text = words.trim();
  return (text.length >= shortest || /\S\s+\S/.test(text)) && !isBackchannel(text, language);
};

/** Delay before an ended recognition is restarted. */
const againMs = 300;

const found: unknown =
  Reflect.get(globalThis, 'SpeechRecognition') ?? Reflect.get(globalThis, 'webkitSpeechRecognition');

const recognitionClass = typeof found === 'function' ? (found as new () => Recognition) : undefined;

export const canListen = recognitionClass !== undefined;

/**
 * Listens until the returned function is called, or until `failed` is called, for example because the microphone is not
 * allowed.
 */
export const listen = (
  language: string,
  on: { begun: (words: string) => void; said: (text: string) => void; failed: () => void },
): (() => void) => {
  if (recognitionClass === undefined) return () => undefined;
  const recognition = new recognitionClass();
  let isOver = false;
  let timer: ReturnType<typeof setTimeout> | undefined;
  recognition.lang = language;
  recognition.continuous = true;
  recognition.interimResults = true;
  recognition.addEventListener('result', (event) => {
    const { results, resultIndex } = event as RecognitionEvent;
    for (const result of Array.from(results).slice(resultIndex)) {
      const words = result[0]?.transcript.trim() ?? '';
      if (words === '') continue;
      if (result.isFinal) on.said(words);
      else on.begun(words);
    }
  });
  recognition.addEventListener('error', (event) => {
    // Silence and network loss end a recognition, which is then restarted. A refused microphone ends recognition for
    // good.
    const error: unknown = Reflect.get(event, 'error');
    if (error !== 'not-allowed' && error !== 'service-not-allowed' && error !== 'audio-capture') return;
    isOver = true;
    on.failed();
  });
  recognition.addEventListener('end', () => {
    if (!isOver) timer = setTimeout(() => recognition.start(), againMs);
  });
  recognition.start();
  return () => {
    isOver = true;
    clearTimeout(timer);
    recognition.abort();
  };
};
