/** flite as a child process. The program speaks English. */
import { mkdtempDisposable, readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Synthesizer } from '#sip/audio/speech.ts';
import { UnspokenLanguage } from './engine-failure.ts';
import { readWav } from './read-wav.ts';
import { runProgram } from './run-program.ts';

const command = 'flite';
const timeoutMs = 15_000;
/** Maximum output in bytes: flite writes audio to a file and almost no bytes to its output. */
const maxBytes = 64 * 1024;

export const flite = (): Synthesizer => ({
  name: command,
  async synthesize(text, language, signal) {
    if (!language.startsWith('en')) throw new UnspokenLanguage(command, language);
    // A file is necessary, because flite seeks back to write the lengths, which a pipe does not allow. The folder is
    // private.
    await using folder = await mkdtempDisposable(join(tmpdir(), 'trunkline-speech-'));
    const file = join(folder.path, 'speech.wav');
    await runProgram({
      command,
      arguments: ['-voice', 'kal16', '-f', '-', '-o', file],
      input: text,
      timeoutMs,
      maxBytes,
      ...(signal === undefined ? {} : { signal }),
    });
    return readWav(await readFile(file));
  },
});
