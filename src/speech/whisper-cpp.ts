/** The server of whisper.cpp (github.com/ggml-org/whisper.cpp, examples/server, POST /inference). */
import { baseLanguage } from '#src/domain/language.ts';
import type { EngineWorld } from './engine-world.ts';
import { readWav } from './read-wav.ts';
import type { RecognitionEngine } from './recognition-engine.ts';
import { openSentenceRecognition, type Transcribe } from './sentence-recognition.ts';
import { postForTranscription } from './transcription-form.ts';
import { writeWav } from './write-wav.ts';

const name = 'whisper-cpp';

/** It takes no rate but this one, unless it was started with a converter. */
const sampleRate = 16_000;

/** Samples between the samples: no frequencies are there to be won, so straight lines do. */
const stretched = (wav: Buffer): Buffer => {
  const { sampleRate: from, samples } = readWav(wav);
  const result = new Int16Array(Math.floor((samples.length * sampleRate) / from));
  for (let index = 0; index < result.length; index += 1) {
    const at = (index * from) / sampleRate;
    const before = samples[Math.floor(at)] ?? 0;
    const behind = samples[Math.floor(at) + 1] ?? before;
    result[index] = Math.round(before + (behind - before) * (at % 1));
  }
  return writeWav({ sampleRate, samples: result });
};

/** `[BLANK_AUDIO]`, `(music)`: what it noticed, and nobody said. */
const withoutRemarks = (text: string): string => text.replaceAll(/\[[^[\]]*\]|\([^()]*\)|（[^（）]*）/g, ' ');

/** `url` is the server's address, such as http://127.0.0.1:8080. */
export const whisperCpp = (world: EngineWorld, options: { url: string }): RecognitionEngine => {
  const transcribe: Transcribe = async (wav, language, signal) => {
    const text = await postForTranscription(world.client, name, {
      url: `${options.url}/inference`,
      headers: {},
      wav: stretched(wav),
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
