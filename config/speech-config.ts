/** Speech engines in the operator's order, each with its settings. */
import type { z } from 'zod';
import { ConfigError } from './parse-settings.ts';
import type { settings } from './settings.ts';

export type RecognizerConfig = Readonly<
  | { engine: 'deepgram' | 'deepgram-flux'; url: string; key: string }
  | { engine: 'openai-transcription'; url: string; key: string | null; model: string }
  | { engine: 'vosk' | 'whisper-cpp'; url: string }
  | { engine: 'pocketsphinx' }
>;

export type SynthesizerConfig = Readonly<
  | { engine: 'deepgram-aura'; url: string; key: string }
  | { engine: 'openai-speech'; url: string; key: string | null; model: string; voice: string }
  | { engine: 'elevenlabs'; url: string; key: string; voice: string }
  | { engine: 'espeak-ng' }
>;

export type SpeechConfig = Readonly<{
  /** Recognizers; if the list is empty, speech on real lines is not recognized. */
  recognizers: readonly RecognizerConfig[];
  /** Synthesizers; if the list is empty, the synthesizer installed on this machine is used. */
  synthesizers: readonly SynthesizerConfig[];
}>;

type Values = z.infer<typeof settings>;

/** Returns the setting's value. Throws a ConfigError if it is absent. */
const needed = (values: Values, name: keyof Values, engine: string): string => {
  const value = values[name];
  if (typeof value !== 'string') throw new ConfigError(`${name} is required with the engine ${engine}`);
  return value;
};

const recognizerOf = (engine: Values['GW_RECOGNIZERS'][number], values: Values): RecognizerConfig => {
  switch (engine) {
    case 'deepgram':
    case 'deepgram-flux':
      return { engine, url: values.GW_DEEPGRAM_URL, key: needed(values, 'GW_DEEPGRAM_API_KEY', engine) };
    case 'openai-transcription':
      return {
        engine,
        url: needed(values, 'GW_SPEECH_BASE_URL', engine),
        key: values.GW_SPEECH_API_KEY ?? null,
        model: values.GW_SPEECH_RECOGNITION_MODEL,
      };
    case 'vosk':
      return { engine, url: needed(values, 'GW_VOSK_URL', engine) };
    case 'whisper-cpp':
      return { engine, url: needed(values, 'GW_WHISPER_URL', engine) };
    default:
      return { engine };
  }
};

const synthesizerOf = (engine: Values['GW_SYNTHESIZERS'][number], values: Values): SynthesizerConfig => {
  switch (engine) {
    case 'deepgram-aura':
      return { engine, url: values.GW_DEEPGRAM_URL, key: needed(values, 'GW_DEEPGRAM_API_KEY', engine) };
    case 'openai-speech':
      return {
        engine,
        url: needed(values, 'GW_SPEECH_BASE_URL', engine),
        key: values.GW_SPEECH_API_KEY ?? null,
        model: values.GW_SPEECH_SYNTHESIS_MODEL,
        voice: values.GW_SPEECH_VOICE,
      };
    case 'elevenlabs':
      return {
        engine,
        url: values.GW_ELEVENLABS_URL,
        key: needed(values, 'GW_ELEVENLABS_API_KEY', engine),
        voice: needed(values, 'GW_ELEVENLABS_VOICE', engine),
      };
    default:
      return { engine };
  }
};

export const speechOf = (values: Values): SpeechConfig => ({
  recognizers: values.GW_RECOGNIZERS.map((engine) => recognizerOf(engine, values)),
  synthesizers: values.GW_SYNTHESIZERS.map((engine) => synthesizerOf(engine, values)),
});
