/**
 * Deepgram's Flux (developers.deepgram.com, "Turn-based Audio", wss …/v2/listen), a recognizer that detects turn ends
 * by meaning and tone. If another judge decides, the recognizer's own detection is disabled ("Bring Your Own Turn
 * Detection") and each pause finalizes the words (`ForceEndTurn`).
 */
import { z } from 'zod';
import { baseLanguage } from '#src/domain/language.ts';
import { EngineFailure } from './engine-failure.ts';
import type { EngineWorld } from './engine-world.ts';
import type { EngineEvent, ListenOptions, RecognitionEngine } from './recognition-engine.ts';
import { openSocketRecognition } from './socket-recognition.ts';

const name = 'deepgram-flux';
/** Recommended size of an audio message. */
const messageMs = 80;
const keepAliveMs = 4_000;
/** Confidence thresholds of a turn end: the default, and a threshold that is never reached. */
const usualSureness = 0.7;
const neverSure = 1;
/** Silence after which the engine itself ends a turn, later than the line does. */
const longestSilenceMs = 30_000;

/** Languages of `flux-general-multi`. */
const languages: ReadonlySet<string> = new Set(['en', 'es', 'fr', 'de', 'hi', 'ru', 'pt', 'ja', 'it', 'nl']);

const anyMessage = z.object({ type: z.string() });

const turnInfo = z.object({
  event: z.string(),
  transcript: z.string(),
  audio_window_end: z.number().nonnegative(),
});

const readTurn = (message: unknown, { sampleRate, turnEnds }: ListenOptions): EngineEvent[] | null => {
  const turn = turnInfo.safeParse(message);
  if (!turn.success) return null;
  const { event, transcript, audio_window_end: heardSec } = turn.data;
  const text = transcript.trim();
  if (event !== 'EndOfTurn') return [{ type: 'partial', text }];
  return [
    { type: 'final', text },
    { type: 'settled', samples: Math.floor(heardSec * sampleRate) },
    ...(turnEnds ? [{ type: 'turn-complete' } as const] : []),
  ];
};

/** Converts a message to events. Unknown message types are ignored. */
const read = (message: unknown, options: ListenOptions): EngineEvent[] | null => {
  const known = anyMessage.safeParse(message);
  if (!known.success) return null;
  switch (known.data.type) {
    case 'TurnInfo':
      return readTurn(message, options);
    case 'Error':
    case 'FatalError':
      return [{ type: 'failed', error: new EngineFailure(`${name} reported an error`) }];
    default:
      return [];
  }
};

const queryOf = ({ language, sampleRate, turnEnds }: ListenOptions): URLSearchParams => {
  const base = baseLanguage(language);
  const isHint = base !== 'en' && languages.has(base);
  return new URLSearchParams({
    model: base === 'en' ? 'flux-general-en' : 'flux-general-multi',
    ...(isHint ? { language_hint: base } : {}),
    encoding: 'linear16',
    sample_rate: String(sampleRate),
    eot_threshold: String(turnEnds ? usualSureness : neverSure),
    eot_timeout_ms: String(longestSilenceMs),
  });
};

/** Creates the recognizer. `url` is the server's base, such as https://api.deepgram.com. */
export const deepgramFlux = (
  world: EngineWorld,
  { url, key }: { url: string; key: string },
): RecognitionEngine => ({
  name,
  reportsTurnEnds: true,
  hears: (language) => languages.has(baseLanguage(language)),
  open(options, emit) {
    const engine = {
      name,
      url: `${url.replace(/^http/, 'ws')}/v2/listen?${queryOf(options).toString()}`,
      headers: { authorization: `Token ${key}` },
      messageSamples: (messageMs * options.sampleRate) / 1_000,
      goodbye: JSON.stringify({ type: 'CloseStream' }),
      ...(options.turnEnds ? {} : { pause: JSON.stringify({ type: 'ForceEndTurn' }) }),
      keepAlive: { message: JSON.stringify({ type: 'KeepAlive' }), everyMs: keepAliveMs },
      read: (message: unknown) => read(message, options),
    };
    return openSocketRecognition(world, engine, options, emit);
  },
});
