/**
 * Deepgram's Flux (developers.deepgram.com, "Turn-based Audio", wss …/v2/listen), a recognizer that hears by meaning and
 * tone where a turn ends. Where its ends are wanted it is left to find them alone; where others decide, it finds none
 * ("Bring Your Own Turn Detection") and is told to settle its words at each pause (`ForceEndTurn`).
 */
import { z } from 'zod';
import { baseLanguage } from '#src/domain/language.ts';
import { EngineFailure } from './engine-failure.ts';
import type { EngineWorld } from './engine-world.ts';
import type { EngineEvent, ListenOptions, RecognitionEngine } from './recognition-engine.ts';
import { openSocketRecognition } from './socket-recognition.ts';

const name = 'deepgram-flux';
/** As it advises. */
const messageMs = 80;
const keepAliveMs = 4_000;
/** Measures of how sure it must be that a turn is over: the usual one, and one that it never reaches. */
const usualSureness = 0.7;
const neverSure = 1;
/** It ends a turn of its own accord after so much silence, long after a line has. */
const longestSilenceMs = 30_000;

/** Languages that `flux-general-multi` understands. */
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

/** Kinds of messages that are not known bring nothing that is needed. */
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

/** `url` is the server's base, such as https://api.deepgram.com. */
export const deepgramFlux = (
  world: EngineWorld,
  { url, key }: { url: string; key: string },
): RecognitionEngine => ({
  name,
  tellsTurnEnds: true,
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
