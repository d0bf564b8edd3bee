/** Any server that speaks as OpenAI's does (platform.openai.com, "Create transcription", POST /audio/transcriptions). */
import { baseLanguage } from '#src/domain/language.ts';
import type { EngineWorld } from './engine-world.ts';
import type { RecognitionEngine } from './recognition-engine.ts';
import { openSentenceRecognition, type Transcribe } from './sentence-recognition.ts';
import { postForTranscription } from './transcription-form.ts';

const name = 'openai-transcription';

/** `url` is the server's base, such as https://api.openai.com/v1; `key` is `null` for a server that wants none. */
export const openaiTranscription = (
  world: EngineWorld,
  options: { url: string; key: string | null; model: string },
): RecognitionEngine => {
  const transcribe: Transcribe = (wav, language, signal) =>
    postForTranscription(world.client, name, {
      url: `${options.url}/audio/transcriptions`,
      headers: options.key === null ? {} : { authorization: `Bearer ${options.key}` },
      wav,
      fields: { model: options.model, language: baseLanguage(language), response_format: 'json' },
      signal,
    });
  return {
    name,
    tellsTurnEnds: false,
    open: (listen, emit) => openSentenceRecognition(world, { name, transcribe }, listen, emit),
  };
};
