/** flite as a process of its own; it speaks English. */
import type { Synthesizer } from '#sip/speech.ts';
import { readWav } from './read-wav.ts';
import { runProgram } from './run-program.ts';

const command = 'flite';
const timeoutMs = 15_000;
const maxBytes = 64 * 1024 * 1024;

export const flite = (): Synthesizer => ({
  name: command,
  async synthesize(text, _language, signal) {
    // `-` reads the text from standard input, and writes the sound to standard output.
    const wav = await runProgram({
      command,
      arguments: ['-voice', 'kal16', '-f', '/dev/stdin', '-o', '/dev/stdout'],
      input: text,
      timeoutMs,
      maxBytes,
      ...(signal === undefined ? {} : { signal }),
    });
    return readWav(wav);
  },
});
