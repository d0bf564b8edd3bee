/**
 * PocketSphinx as a child process per sentence, with its American English model (Debian: pocketsphinx,
 * pocketsphinx-en-us). The recognizer is for trials: it needs no account and no server. PocketSphinx understands
 * simple, clearly spoken sentences on wideband calls, and almost no words on narrowband calls.
 */
import { mkdtempDisposable, writeFile } from 'node:fs/promises';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { baseLanguage } from '#src/domain/language.ts';
import { bytesOf } from '#src/domain/sample-bytes.ts';
import { createPlaces, type InPlace } from '#src/domain/places.ts';
import { EngineFailure } from './engine-failure.ts';
import type { EngineWorld } from './engine-world.ts';
import { pocketsphinxProgram } from './pocketsphinx-program.ts';
import type { RecognitionEngine } from './recognition-engine.ts';
import { runProgram } from './run-program.ts';
import { openSentenceRecognition, type Transcribe } from './sentence-recognition.ts';
import { stretched } from './stretched.ts';

const name = 'pocketsphinx';

/** Time limit of the program, longer than any sentence takes, because callers have shorter limits. */
const timeoutMs = 60_000;
const maxBytes = 64 * 1024;

const run = async (wav: Buffer, signal: AbortSignal): Promise<Buffer> => {
  // PocketSphinx opens its input by name, and Node's standard input has no name, so a file is used. The folder is
  // private.
  await using folder = await mkdtempDisposable(join(tmpdir(), 'trunkline-speech-'));
  const file = join(folder.path, 'sentence.raw');
  await writeFile(file, bytesOf(stretched(wav).samples));
  return await runProgram({
    command: pocketsphinxProgram,
    // The log is discarded, because it would contain the recognized words.
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

/** Creates the recognizer, which processes one sentence per processor at a time. */
export const pocketsphinx = (world: EngineWorld): RecognitionEngine => {
  const engine = { name, transcribe: transcribe(createPlaces(availableParallelism())) };
  return {
    name,
    reportsTurnEnds: false,
    hears: isEnglish,
    open: (listen, emit) => openSentenceRecognition(world, engine, listen, emit),
  };
};
