import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import type { Synthesizer } from '#sip/speech.ts';
import { readWave } from './wave.ts';

const run = promisify(execFile);

/** The voice that a test hears again at the far ear. */
export const espeak: Synthesizer = {
  name: 'espeak-ng',
  async synthesize(text, language, signal) {
    const { stdout } = await run('espeak-ng', ['-v', language, '--stdout', text], {
      encoding: 'buffer',
      maxBuffer: 50_000_000,
      ...(signal === undefined ? {} : { signal }),
    });
    const { sampleRate, channels } = readWave(stdout);
    return { sampleRate, samples: channels[0] ?? new Int16Array() };
  },
};
