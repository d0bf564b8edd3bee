import { mkdtempDisposable, readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Synthesizer } from '#sip/speech.ts';
import type { Turns } from './turns.ts';
import { LanguageNotSpoken } from './language-not-spoken.ts';
import { runEngine } from './run-engine.ts';
import { readWave } from './wave.ts';

/**
 * Speaks English with flite (https://github.com/festvox/flite), run as a process for each utterance. Rejects with
 * `LanguageNotSpoken` for everything else.
 */
export const createFlite = (options: {
  command: string;
  turns: Turns;
  timeLimitMs: number;
  maxBytes: number;
}): Synthesizer => ({
  name: 'flite',
  async synthesize(text, language, signal) {
    if (!/^en\b/i.test(language)) throw new LanguageNotSpoken('flite', language);
    const { turns, ...limits } = options;
    const endTurn = await turns.take(signal);
    try {
      // flite goes back in its output to write the lengths, so it needs a file; nobody else may enter the folder.
      await using folder = await mkdtempDisposable(join(tmpdir(), 'trunkline-speech-'));
      const file = join(folder.path, 'speech.wav');
      const args = ['-voice', 'slt', '-f', '-', '-o', file];
      await runEngine({ ...limits, name: 'flite', args, text, signal });
      return readWave(await readFile(file));
    } finally {
      endTurn();
    }
  },
});
