/** espeak-ng as a process of its own: it speaks many languages and is in every Linux distribution. */
import type { Synthesizer } from '#sip/speech.ts';
import { VoiceRefused } from './engine-failure.ts';
import { readWav } from './read-wav.ts';
import { runProgram } from './run-program.ts';

const command = 'espeak-ng';
const timeoutMs = 15_000;
const maxBytes = 64 * 1024 * 1024;
const silentRate = 22_050;

/** Voices by language; another language speaks with the voice of its own name where there is one. */
const voices: Readonly<Record<string, string>> = { ko: 'ko', en: 'en-us', ja: 'ja' };

const voiceOf = (language: string): string => {
  const [base = ''] = language.toLowerCase().split('-');
  return voices[base] ?? (/^[a-z]{2,3}$/.test(base) ? base : 'en-us');
};

/** Between double brackets espeak-ng expects the names of sounds instead of words, and a zero ends what it reads. */
const words = (text: string): string => text.replaceAll('[[', '[ [').replaceAll('\0', ' ');

/** `voice` is one of `espeak-ng --voices`; `null` for the one of the language. */
export const espeakNg = (voice: string | null = null): Synthesizer => ({
  name: command,
  async synthesize(text, language, signal) {
    // The text goes in by standard input: a command line can be read by everybody on the machine.
    const wav = await runProgram({
      command,
      arguments: ['-v', voice ?? voiceOf(language), '-b', '1', '--stdin', '--stdout'],
      input: words(text),
      timeoutMs,
      maxBytes,
      ...(signal === undefined ? {} : { signal }),
    }).catch((error: unknown) => {
      signal?.throwIfAborted();
      // Its exit code does not tell whether it was the voice.
      throw voice === null ? error : new VoiceRefused(command, error);
    });
    // Where there is nothing to say it writes nothing.
    return wav.length === 0 ? { sampleRate: silentRate, samples: new Int16Array() } : readWav(wav);
  },
});
