/** Speech engines: the operator's choice, or the programs that are installed. */
import { availableParallelism } from 'node:os';
import type { Logger } from 'pino';
import type { RecognizerConfig, SpeechConfig, SynthesizerConfig } from '#config/speech-config.ts';
import type { Engines } from '#src/administration/choose-speech.ts';
import type { Clock } from '#src/domain/clock.ts';
import { languages } from '#src/domain/language.ts';
import { StartError } from '#src/domain/start-error.ts';
import type { VoiceSamples } from '#src/domain/voice.ts';
import { atMost } from '#src/speech/at-most.ts';
import { deepgramAura } from '#src/speech/deepgram-aura.ts';
import { deepgramFlux } from '#src/speech/deepgram-flux.ts';
import { deepgram } from '#src/speech/deepgram.ts';
import { elevenLabs } from '#src/speech/elevenlabs.ts';
import { createEngineClient } from '#src/speech/engine-client.ts';
import type { EngineLimits, EngineWorld } from '#src/speech/engine-world.ts';
import { espeakNg } from '#src/speech/espeak-ng.ts';
import { espeakVoices } from '#src/speech/espeak-voices.ts';
import { findSynthesizer } from '#src/speech/find-synthesizer.ts';
import { isInstalled } from '#src/speech/run-program.ts';
import { isVoice } from '#src/speech/is-voice.ts';
import { openaiSpeech } from '#src/speech/openai-speech.ts';
import { openaiTranscription } from '#src/speech/openai-transcription.ts';
import { pocketsphinx, pocketsphinxProgram } from '#src/speech/pocketsphinx.ts';
import type { RecognitionEngine } from '#src/speech/recognition-engine.ts';
import { rememberSentences } from '#src/speech/remember-sentences.ts';
import { createSpeechEngines, type VoiceEngine } from '#src/speech/speech-engines.ts';
import { createVoiceSamples } from '#src/speech/voice-samples.ts';
import { vosk } from '#src/speech/vosk.ts';
import { whisperCpp } from '#src/speech/whisper-cpp.ts';

export type Speech = ReturnType<typeof createSpeechEngines> & {
  /** Engines that a number may choose. */
  engines: Omit<Engines, 'turnModel'>;
  voiceSamples: VoiceSamples;
  /** Closes the synthesizers' connections. Calls own the connections of recognizers. */
  close(): Promise<void>;
};

/** Engines that are local programs. */
const programs: ReadonlyMap<string, string> = new Map([
  ['espeak-ng', 'espeak-ng'],
  ['pocketsphinx', pocketsphinxProgram],
]);

const createRecognizer = (world: EngineWorld, config: RecognizerConfig): RecognitionEngine => {
  switch (config.engine) {
    case 'deepgram':
      return deepgram(world, config);
    case 'deepgram-flux':
      return deepgramFlux(world, config);
    case 'openai-transcription':
      return openaiTranscription(world, config);
    case 'vosk':
      return vosk(world, config);
    case 'whisper-cpp':
      return whisperCpp(world, config);
    default:
      return pocketsphinx(world);
  }
};

const createSynthesizer = (world: EngineWorld, config: SynthesizerConfig): VoiceEngine['speakingWith'] => {
  switch (config.engine) {
    case 'deepgram-aura':
      return (voice) => deepgramAura(world, { ...config, voice });
    case 'openai-speech':
      return (voice) => openaiSpeech(world, { ...config, usualVoice: config.voice, voice });
    case 'elevenlabs':
      return (voice) => elevenLabs(world, { ...config, usualVoice: config.voice, voice });
    default: {
      const taken = atMost(availableParallelism());
      return (voice) => taken(espeakNg(voice));
    }
  }
};

/** Returns the engines that a number may choose. `recognizers` are the configured ones. */
export const enginesOf = (
  { synthesizers }: SpeechConfig,
  recognizers: readonly RecognitionEngine[],
): Speech['engines'] => ({
  recognizers: recognizers.map(({ name }) => name),
  synthesizers: synthesizers.map(({ engine }) => engine),
  languagesOf(name) {
    const { hears } = recognizers.find((engine) => engine.name === name) ?? {};
    return languages.filter((language) => hears?.(language) ?? true);
  },
  reportTurnEnds: recognizers.filter(({ reportsTurnEnds }) => reportsTurnEnds).map(({ name }) => name),
  isVoice,
});

export const recognizersOf = ({ recognizers }: SpeechConfig, world: EngineWorld): RecognitionEngine[] =>
  recognizers.map((each) => createRecognizer(world, each));

/** Throws a StartError for an unavailable engine. `path` is the search path for programs. */
const requireInstalled = async ({ synthesizers, recognizers }: SpeechConfig, path: string): Promise<void> => {
  const chosen = [
    ...synthesizers.map(({ engine }) => ({ engine, setting: 'GW_SYNTHESIZERS' })),
    ...recognizers.map(({ engine }) => ({ engine, setting: 'GW_RECOGNIZERS' })),
  ];
  for (const { engine, setting } of chosen) {
    const program = programs.get(engine);
    if (program !== undefined && !(await isInstalled(program, path)))
      throw new StartError(`${setting} names ${engine}, which is not installed on this machine`);
  }
};

/**
 * Starts the engines. Throws a StartError for a chosen program that is not installed. `path` is the search path for
 * programs.
 */
export const startSpeech = async (
  config: SpeechConfig,
  options: {
    limits: EngineLimits;
    failOver: Parameters<typeof createSpeechEngines>[0]['failOver'];
    rememberedBytes: number;
    clock: Clock;
    path: string;
    logger: Logger;
  },
): Promise<Speech> => {
  const { limits, failOver, rememberedBytes, clock, path, logger } = options;
  await requireInstalled(config, path);
  const client = createEngineClient({ connectMs: limits.connectMs });
  const world: EngineWorld = { client, clock, limits, logger };
  const recognizers = recognizersOf(config, world);
  const synthesizers = config.synthesizers.map((each): VoiceEngine => {
    const speakingWith = createSynthesizer(world, each);
    const remember = rememberSentences(rememberedBytes);
    return {
      name: each.engine,
      speakingWith: (voice) => remember(speakingWith(voice), voice),
      ...(each.engine === 'espeak-ng' ? { voices: espeakVoices } : {}),
    };
  });
  const installed = async (): Promise<VoiceEngine[]> => {
    const found = await findSynthesizer({ logger, path });
    return [{ name: found.name, speakingWith: () => found }];
  };
  const voices = synthesizers.length === 0 ? await installed() : synthesizers;
  return {
    voiceSamples: createVoiceSamples(voices),
    ...createSpeechEngines({
      recognizers,
      synthesizers: voices,
      failOver,
      clock,
      logger,
    }),
    engines: enginesOf(config, recognizers),
    close: () => client.close(),
  };
};
