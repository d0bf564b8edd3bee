/** The server of whisper.cpp (github.com/ggml-org/whisper.cpp, examples/server, POST /inference). */
import { baseLanguage } from '#src/domain/language.ts';
import type { EngineWorld } from './engine-world.ts';
import type { RecognitionEngine } from './recognition-engine.ts';
import { openSentenceRecognition, type Transcribe } from './sentence-recognition.ts';
import { stretched } from './stretched.ts';
import { postForTranscription } from './transcription-form.ts';
import { writeWav } from './write-wav.ts';

const name = 'whisper-cpp';

/** `[BLANK_AUDIO]`, `(music)`: what it noticed, and nobody said. */
const withoutRemarks = (text: string): string => text.replaceAll(/\[[^[\]]*\]|\([^()]*\)|（[^（）]*）/g, ' ');

/** `url` is the server's address, such as http://127.0.0.1:8080. */
export const whisperCpp = (world: EngineWorld, options: { url: string }): RecognitionEngine => {
  const transcribe: Transcribe = async (wav, language, signal) => {
    const text = await postForTranscription(world.client, name, {
      url: `${options.url}/inference`,
      headers: {},
      wav: writeWav(stretched(wav)),
      fields: { language: baseLanguage(language), temperature: '0.0', response_format: 'json' },
      signal,
    });
    return withoutRemarks(text).replaceAll(/\s+/g, ' ');
  };
  return {
    name,
    tellsTurnEnds: false,
    open: (listen, emit) => openSentenceRecognition(world, { name, transcribe }, listen, emit),
  };
};
