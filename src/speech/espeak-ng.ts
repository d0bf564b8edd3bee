/** espeak-ng as a child process. The program speaks many languages and is part of every Linux distribution. */
import type { Synthesizer } from '#sip/audio/speech.ts';
import { VoiceRefused } from './engine-failure.ts';
import { readWav } from './read-wav.ts';
import { runProgram } from './run-program.ts';

const command = 'espeak-ng';
const timeoutMs = 15_000;
const maxBytes = 64 * 1024 * 1024;
const silentRate = 22_050;

/** Voices by language; another language uses the voice of the same name, if there is one. */
const voices: Readonly<Record<string, string>> = { ko: 'ko', en: 'en-us', ja: 'ja' };

const voiceOf = (language: string): string => {
  const [base = ''] = language.toLowerCase().split('-');
  return voices[base] ?? (/^[a-z]{2,3}$/.test(base) ? base : 'en-us');
};

/** Escapes text: espeak-ng reads double brackets as phoneme names and stops at a zero byte. */
const words = (text: string): string => text.replaceAll('[[', '[ [').replaceAll('\0', ' ');

/** Creates the synthesizer. `voice` is one of `espeak-ng --voices`; `null` for the language's default. */
export const espeakNg = (voice: string | null = null): Synthesizer => ({
  name: command,
  async synthesize(text, language, signal) {
    // The text is passed by standard input, because command lines are visible to other users.
    const wav = await runProgram({
      command,
      arguments: ['-v', voice ?? voiceOf(language), '-b', '1', '--stdin', '--stdout'],
      input: words(text),
      timeoutMs,
      maxBytes,
      ...(signal === undefined ? {} : { signal }),
    }).catch((error: unknown) => {
      signal?.throwIfAborted();
      // If a voice was chosen, it may be at fault; the exit code does not show this.
      throw voice === null ? error : new VoiceRefused(command, error);
    });
    // A text without words yields no output.
    return wav.length === 0 ? { sampleRate: silentRate, samples: new Int16Array() } : readWav(wav);
  },
});
