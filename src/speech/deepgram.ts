/**
 * Deepgram's streaming recognizer (developers.deepgram.com, "Live Audio", wss …/v1/listen).
 *
 * The server sends `speech_final` after 300 ms of silence (`endpointing`), which is a pause rather than the end of a
 * turn, so the words count as final but not as a turn. `UtteranceEnd`, after a second without words, ends a turn.
 */
import { z } from 'zod';
import { baseLanguage } from '#src/domain/language.ts';
import { EngineFailure } from './engine-failure.ts';
import type { EngineWorld } from './engine-world.ts';
import type { EngineEvent, RecognitionEngine } from './recognition-engine.ts';
import { openSocketRecognition } from './socket-recognition.ts';

const name = 'deepgram';
const messageMs = 20;
const endpointingMs = 300;
/** Silence in milliseconds after which a turn ends; the server accepts no smaller value. */
const utteranceEndMs = 1_000;
/** Interval of keep-alive messages, because the server closes a connection after ten seconds without audio. */
const keepAliveMs = 4_000;

const anyMessage = z.object({ type: z.string() });

const resultsMessage = z.object({
  start: z.number().nonnegative(),
  duration: z.number().nonnegative(),
  is_final: z.boolean(),
  channel: z.object({ alternatives: z.array(z.object({ transcript: z.string() })) }),
});

const readResults = (message: unknown, sampleRate: number): EngineEvent[] | null => {
  const results = resultsMessage.safeParse(message);
  if (!results.success) return null;
  const { start, duration, is_final: isFinal, channel } = results.data;
  const text = channel.alternatives[0]?.transcript.trim() ?? '';
  if (!isFinal) return [{ type: 'partial', text }];
  return [
    { type: 'final', text },
    { type: 'settled', samples: Math.floor((start + duration) * sampleRate) },
  ];
};

/** Converts a message to events. Unknown message types are ignored. */
const read = (message: unknown, sampleRate: number): EngineEvent[] | null => {
  const known = anyMessage.safeParse(message);
  if (!known.success) return null;
  switch (known.data.type) {
    case 'Results':
      return readResults(message, sampleRate);
    case 'UtteranceEnd':
      return [{ type: 'turn-complete' }];
    case 'Error':
      return [{ type: 'failed', error: new EngineFailure(`${name} reported an error`) }];
    default:
      return [];
  }
};

const queryOf = (language: string, sampleRate: number): URLSearchParams =>
  new URLSearchParams({
    model: 'nova-3',
    language: baseLanguage(language),
    encoding: 'linear16',
    sample_rate: String(sampleRate),
    channels: '1',
    interim_results: 'true',
    smart_format: 'true',
    vad_events: 'true',
    endpointing: String(endpointingMs),
    utterance_end_ms: String(utteranceEndMs),
  });

/** Creates the recognizer. `url` is the server's base, such as https://api.deepgram.com. */
export const deepgram = (
  world: EngineWorld,
  { url, key }: { url: string; key: string },
): RecognitionEngine => ({
  name,
  reportsTurnEnds: true,
  open(options, emit) {
    const { language, sampleRate } = options;
    const engine = {
      name,
      url: `${url.replace(/^http/, 'ws')}/v1/listen?${queryOf(language, sampleRate).toString()}`,
      headers: { authorization: `Token ${key}` },
      messageSamples: (messageMs * sampleRate) / 1_000,
      goodbye: JSON.stringify({ type: 'CloseStream' }),
      // The message finalizes the words so far, because noise can hide the pause from Deepgram.
      pause: JSON.stringify({ type: 'Finalize' }),
      keepAlive: { message: JSON.stringify({ type: 'KeepAlive' }), everyMs: keepAliveMs },
      read: (message: unknown) => read(message, sampleRate),
    };
    return openSocketRecognition(world, engine, options, emit);
  },
});
