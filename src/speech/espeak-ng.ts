import type { Synthesizer } from '#sip/speech.ts';
import type { Turns } from './turns.ts';
import { LanguageNotSpoken } from './language-not-spoken.ts';
import { EngineFailure, runEngine } from './run-engine.ts';
import { readWave } from './wave.ts';

/** Where the voice is not simply called after the language. */
const voices: ReadonlyMap<string, string> = new Map([['en', 'en-us']]);

const voiceOf = (language: string): string => {
  const [primary = ''] = language.toLowerCase().split('-');
  // It becomes an argument: nothing but a language may get there.
  if (!/^[a-z]{2,3}$/.test(primary)) throw new LanguageNotSpoken('espeak-ng', language);
  return voices.get(primary) ?? primary;
};

/** Between double brackets espeak-ng expects the names of sounds instead of words; a zero ends what it reads. */
const plain = (text: string): string => text.replaceAll('[[', '[ [').replaceAll('\0', ' ');

/**
 * Speaks with espeak-ng (https://github.com/espeak-ng/espeak-ng), run as a process for each utterance: its licence
 * (GPL-3) stays outside. Rejects with `LanguageNotSpoken` where it has no voice.
 */
export const createEspeakNg = (options: {
  command: string;
  turns: Turns;
  timeLimitMs: number;
  maxBytes: number;
}): Synthesizer => ({
  name: 'espeak-ng',
  async synthesize(text, language, signal) {
    const voice = voiceOf(language);
    const { turns, ...limits } = options;
    const endTurn = await turns.take(signal);
    try {
      // -b 1: the text is UTF-8 whatever the locale says.
      const args = ['-b', '1', '-v', voice, '--stdin', '--stdout'];
      const wave = await runEngine({ ...limits, name: 'espeak-ng', args, text: plain(text), signal });
      return readWave(wave);
    } catch (error) {
      if (error instanceof EngineFailure && /voice does not exist/i.test(error.complaint))
        throw new LanguageNotSpoken('espeak-ng', language);
      throw error;
    } finally {
      endTurn();
    }
  },
});
