/** The server of whisper.cpp (github.com/ggml-org/whisper.cpp, examples/server, POST /inference). */
import { baseLanguage } from '#src/domain/language.ts';
import type { EngineWorld } from './engine-world.ts';
import type { RecognitionEngine } from './recognition-engine.ts';
import { openSentenceRecognition, type Transcribe } from './sentence-recognition.ts';
import { readWav } from './read-wav.ts';
import { spokenWords } from './spoken-words.ts';
import { stretched } from './stretched.ts';
import { createTranscription } from './transcription-form.ts';
import { writeWav } from './write-wav.ts';

const name = 'whisper-cpp';

/** Creates the recognizer. `url` is the server's address, such as http://127.0.0.1:8080. */
export const whisperCpp = (world: EngineWorld, options: { url: string }): RecognitionEngine => {
  const ask = createTranscription(world.client, name);
  const transcribe: Transcribe = async (wav, language, signal) => {
    const transcript = await ask({
      url: `${options.url}/inference`,
      headers: {},
      wav: writeWav(stretched(wav)),
      fields: { language: baseLanguage(language), temperature: '0.0' },
      signal,
    });
    return spokenWords(transcript, readWav(wav));
  };
  return {
    name,
    reportsTurnEnds: false,
    open: (listen, emit) => openSentenceRecognition(world, { name, transcribe }, listen, emit),
  };
};
