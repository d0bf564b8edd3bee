/** Speech engines: the operator's choice, or the programs that are installed. */
import { availableParallelism } from 'node:os';
import type { Logger } from 'pino';
import type { RecognizerConfig, SpeechConfig, SynthesizerConfig } from '#config/speech-config.ts';
import type { Synthesizer } from '#sip/audio/speech.ts';
import type { Engines } from '#src/administration/choose-speech.ts';
import { createCircuitBreaker } from '#src/domain/circuit-breaker.ts';
import type { Clock } from '#src/domain/clock.ts';
import { languages } from '#src/domain/language.ts';
import { StartError } from '#src/domain/start-error.ts';
import type { VoiceSamples } from '#src/domain/voice.ts';
import { atMost } from '#src/speech/at-most.ts';
import { createEngineClient } from '#src/speech/engine-client.ts';
import type { EngineLimits, EngineWorld } from '#src/speech/engine-world.ts';
import { espeakVoices } from '#src/speech/espeak-voices.ts';
import { findSynthesizer } from '#src/speech/find-synthesizer.ts';
import { isInstalled } from '#src/speech/run-program.ts';
import { isVoice } from '#src/speech/is-voice.ts';
import { pocketsphinxProgram } from '#src/speech/pocketsphinx-program.ts';
import type { RecognitionEngine } from '#src/speech/recognition-engine.ts';
import { rememberSentences } from '#src/speech/remember-sentences.ts';
import { reportHealth } from '#src/speech/report-health.ts';
import {
  createSpeechEngines,
  type GuardedVoiceEngine,
  type VoiceEngine,
} from '#src/speech/speech-engines.ts';
import { toneSynthesizer, withTones } from '#src/speech/tone-synthesizer.ts';
import { createVoiceSamples } from '#src/speech/voice-samples.ts';

export type Speech = ReturnType<typeof createSpeechEngines> & {
  /** Engines that a number may choose. */
  engines: Omit<Engines, 'turnModel' | 'languageModels'>;
  voiceSamples: VoiceSamples;
  /** Closes the synthesizers' connections. Calls own the connections of recognizers. */
  close(): Promise<void>;
};

/** Engines that are local programs. */
const programs: ReadonlyMap<string, string> = new Map([
  ['espeak-ng', 'espeak-ng'],
  ['pocketsphinx', pocketsphinxProgram],
]);

/**
 * Creates an engine. Only the configured ones are imported, because calls of a dead process wait for the modules of the
 * start.
 */
const createRecognizer = async (world: EngineWorld, config: RecognizerConfig): Promise<RecognitionEngine> => {
  switch (config.engine) {
    case 'deepgram':
      return (await import('#src/speech/deepgram.ts')).deepgram(world, config);
    case 'deepgram-flux':
      return (await import('#src/speech/deepgram-flux.ts')).deepgramFlux(world, config);
    case 'openai-transcription':
      return (await import('#src/speech/openai-transcription.ts')).openaiTranscription(world, config);
    case 'vosk':
      return (await import('#src/speech/vosk.ts')).vosk(world, config);
    case 'whisper-cpp':
      return (await import('#src/speech/whisper-cpp.ts')).whisperCpp(world, config);
    default:
      return (await import('#src/speech/pocketsphinx.ts')).pocketsphinx(world);
  }
};

const createSynthesizer = async (
  world: EngineWorld,
  config: SynthesizerConfig,
): Promise<VoiceEngine['speakingWith']> => {
  switch (config.engine) {
    case 'deepgram-aura': {
      const { deepgramAura } = await import('#src/speech/deepgram-aura.ts');
      return (voice) => deepgramAura(world, { ...config, voice });
    }
    case 'openai-speech': {
      const { openaiSpeech } = await import('#src/speech/openai-speech.ts');
      return (voice) => openaiSpeech(world, { ...config, usualVoice: config.voice, voice });
    }
    case 'elevenlabs': {
      const { elevenLabs } = await import('#src/speech/elevenlabs.ts');
      return (voice) => elevenLabs(world, { ...config, usualVoice: config.voice, voice });
    }
    default: {
      const { espeakNg } = await import('#src/speech/espeak-ng.ts');
      const taken = atMost(availableParallelism());
      return (voice) => taken(espeakNg(voice));
    }
  }
};

/** The engine of English that is used only without settings. */
const createFlite = async (): Promise<VoiceEngine> => {
  const { flite } = await import('#src/speech/flite.ts');
  const engine = atMost(availableParallelism())(flite());
  return { name: engine.name, speakingWith: () => engine };
};

type InstalledSynthesizer = Awaited<ReturnType<typeof findSynthesizer>>;

/**
 * Returns the program that speaks if no synthesizer is configured, otherwise `null`. `path` is the search path for
 * programs.
 */
export const installedSynthesizer = async (
  { synthesizers }: SpeechConfig,
  path: string,
): Promise<InstalledSynthesizer> => (synthesizers.length > 0 ? null : findSynthesizer(path));

/**
 * Returns the engines that a number may choose. `recognizers` are the configured ones. Without configured synthesizers,
 * a number may choose the installed one if that has voices.
 */
export const enginesOf = (
  { synthesizers }: SpeechConfig,
  recognizers: readonly RecognitionEngine[],
  installed: InstalledSynthesizer,
): Speech['engines'] => ({
  recognizers: recognizers.map(({ name }) => name),
  synthesizers: installed === 'espeak-ng' ? [installed] : synthesizers.map(({ engine }) => engine),
  languagesOf(name) {
    const { hears } = recognizers.find((engine) => engine.name === name) ?? {};
    return languages.filter((language) => hears?.(language) ?? true);
  },
  reportTurnEnds: recognizers.filter(({ reportsTurnEnds }) => reportsTurnEnds).map(({ name }) => name),
  isVoice,
});

export const recognizersOf = (
  { recognizers }: SpeechConfig,
  world: EngineWorld,
): Promise<RecognitionEngine[]> => Promise.all(recognizers.map((each) => createRecognizer(world, each)));

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
 * programs. `synthesizer` speaks where no engine is configured; `null` for an installed program.
 */
export const startSpeech = async (
  config: SpeechConfig,
  options: {
    limits: EngineLimits;
    failOver: Parameters<typeof createSpeechEngines>[0]['failOver'];
    rememberedBytes: number;
    clock: Clock;
    path: string;
    synthesizer: Synthesizer | null;
    logger: Logger;
  },
): Promise<Speech> => {
  const { limits, failOver, rememberedBytes, clock, path, synthesizer, logger } = options;
  await requireInstalled(config, path);
  const client = createEngineClient({ connectMs: limits.connectMs });
  const world: EngineWorld = { client, clock, limits, logger };
  const recognizers = await recognizersOf(config, world);
  /** Adds health to an engine, and above it the cache: one for all voices of the engine. */
  const guarded = (
    { speakingWith, ...engine }: VoiceEngine,
    remember = rememberSentences(rememberedBytes),
  ): GuardedVoiceEngine => {
    const breaker = createCircuitBreaker(clock, failOver.coolDown);
    return {
      ...engine,
      breaker,
      speakingWith: (voice) => remember(reportHealth(speakingWith(voice), { voice, breaker, logger }), voice),
    };
  };
  const createVoiceEngine = async (each: SynthesizerConfig): Promise<GuardedVoiceEngine> =>
    guarded({
      name: each.engine,
      speakingWith: await createSynthesizer(world, each),
      ...(each.engine === 'espeak-ng' ? { voices: espeakVoices } : {}),
    });
  /** An engine that costs less than its cache would. */
  const uncached = (engine: Synthesizer): GuardedVoiceEngine =>
    guarded({ name: engine.name, speakingWith: () => engine }, (speaking) => speaking);
  const program = synthesizer === null ? await installedSynthesizer(config, path) : null;
  const installed = async (): Promise<GuardedVoiceEngine> => {
    if (program === null) {
      logger.warn(
        'no synthesizer is installed: recordings of simulated calls carry tones in the rhythm of the words instead of voices (install espeak-ng for voices)',
      );
      return uncached(toneSynthesizer());
    }
    const engine =
      program === 'flite' ? guarded(await createFlite()) : await createVoiceEngine({ engine: program });
    const speaking = withTones(engine.speakingWith(null));
    return { ...engine, speakingWith: (voice) => (voice === null ? speaking : engine.speakingWith(voice)) };
  };
  const synthesizers = await Promise.all(config.synthesizers.map(createVoiceEngine));
  const usual = async (): Promise<GuardedVoiceEngine> =>
    synthesizer === null ? installed() : uncached(synthesizer);
  const voices = synthesizers.length === 0 ? [await usual()] : synthesizers;
  return {
    voiceSamples: createVoiceSamples(voices),
    ...createSpeechEngines({
      recognizers,
      synthesizers: voices,
      failOver,
      clock,
      logger,
    }),
    engines: enginesOf(config, recognizers, program),
    close: () => client.close(),
  };
};
