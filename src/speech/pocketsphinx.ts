/**
 * PocketSphinx as a process of its own for each sentence, with the model of American English that its packages bring
 * (Debian: pocketsphinx, pocketsphinx-en-us). For trying out: it needs no account and no server, and understands simple
 * sentences that are spoken clearly, where the call is wideband; of what a telephone carries it understands next to nothing.
 */
import { mkdtempDisposable, writeFile } from 'node:fs/promises';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { baseLanguage } from '#src/domain/language.ts';
import { bytesOf } from '#src/domain/sample-bytes.ts';
import { createPlaces, type InPlace } from './at-most.ts';
import { EngineFailure } from './engine-failure.ts';
import type { EngineWorld } from './engine-world.ts';
import type { RecognitionEngine } from './recognition-engine.ts';
import { runProgram } from './run-program.ts';
import { openSentenceRecognition, type Transcribe } from './sentence-recognition.ts';
import { stretched } from './stretched.ts';

const name = 'pocketsphinx';

export const pocketsphinxProgram = 'pocketsphinx_continuous';

/** Beyond any sentence; what waits for it gives up earlier. */
const timeoutMs = 60_000;
const maxBytes = 64 * 1024;

const run = async (wav: Buffer, signal: AbortSignal): Promise<Buffer> => {
  // It opens its input by a name, which what Node gives it as standard input has not. Nobody else may enter the folder.
  await using folder = await mkdtempDisposable(join(tmpdir(), 'trunkline-speech-'));
  const file = join(folder.path, 'sentence.raw');
  await writeFile(file, bytesOf(stretched(wav).samples));
  return await runProgram({
    command: pocketsphinxProgram,
    // Its log would hold the words that were said.
    arguments: ['-infile', file, '-logfn', '/dev/null'],
    input: '',
    timeoutMs,
    maxBytes,
    signal,
  });
};

const isEnglish = (language: string): boolean => baseLanguage(language) === 'en';

const transcribe =
  (inPlace: InPlace): Transcribe =>
  async (wav, language, signal) => {
    if (!isEnglish(language)) throw new EngineFailure(`${name} understands English alone`);
    const written = await inPlace(() => run(wav, signal), signal);
    return written.toString('utf8').trim().replaceAll(/\s+/g, ' ');
  };

/** As many sentences are worked on at the same time as the machine has processors. */
export const pocketsphinx = (world: EngineWorld): RecognitionEngine => {
  const engine = { name, transcribe: transcribe(createPlaces(availableParallelism())) };
  return {
    name,
    tellsTurnEnds: false,
    hears: isEnglish,
    open: (listen, emit) => openSentenceRecognition(world, engine, listen, emit),
  };
};
