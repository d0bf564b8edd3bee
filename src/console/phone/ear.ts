/**
 * Hears what the person says into the microphone, by the browser's own recognition where it has one; tells when words
 * take the floor.
 */
import { isBackchannel } from '#src/domain/backchannels.ts';

/** As far as it is used here; the standard's own types are not in every library of types. */
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

/** The beginning of a backchannel may still become one; what is longer takes the floor. */
const shortest = 4;

/** Whether words that are still being typed or spoken are more than a murmur. */
export const mayInterrupt = (words: string, language: string): boolean => {
  const text = words.trim();
  return (text.length >= shortest || /\S\s+\S/.test(text)) && !isBackchannel(text, language);
};

/** A recognition that ends by itself begins again after this. */
const againMs = 300;

const found: unknown =
  Reflect.get(globalThis, 'SpeechRecognition') ?? Reflect.get(globalThis, 'webkitSpeechRecognition');

const recognitionClass = typeof found === 'function' ? (found as new () => Recognition) : undefined;

export const canListen = recognitionClass !== undefined;

/** Until the returned function is called, or `failed` was: the microphone is not allowed, for one. */
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
    // Silence and a lost network end a recognition, which then begins again; a refused microphone ends it for good.
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
