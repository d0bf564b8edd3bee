/**
 * Speech recognition by OpenAI-compatible servers (platform.openai.com, "Create transcription", POST
 * /audio/transcriptions).
 */
import { baseLanguage } from '#src/domain/language.ts';
import type { EngineWorld } from './engine-world.ts';
import type { RecognitionEngine } from './recognition-engine.ts';
import { openSentenceRecognition, type Transcribe } from './sentence-recognition.ts';
import { readWav } from './read-wav.ts';
import { spokenWords } from './spoken-words.ts';
import { createTranscription } from './transcription-form.ts';

const name = 'openai-transcription';

/**
 * Creates the recognizer. `url` is the server's base, such as https://api.openai.com/v1. `key` is `null` for servers
 * without authentication.
 */
export const openaiTranscription = (
  world: EngineWorld,
  options: { url: string; key: string | null; model: string },
): RecognitionEngine => {
  const ask = createTranscription(world.client, name);
  const transcribe: Transcribe = async (wav, language, signal) => {
    const transcript = await ask({
      url: `${options.url}/audio/transcriptions`,
      headers: options.key === null ? {} : { authorization: `Bearer ${options.key}` },
      wav,
      fields: { model: options.model, language: baseLanguage(language) },
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
