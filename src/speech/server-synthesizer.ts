/** Base of synthesizers that are HTTP servers: one request per sentence, linear audio as a stream. */
import type { Audio, Synthesizer } from '#sip/audio/speech.ts';
import { createDeadline } from './deadline.ts';
import { EngineFailure, EngineRefusal, VoiceRefused } from './engine-failure.ts';
import type { EngineWorld } from './engine-world.ts';
import { wholeAudio } from './sample-reader.ts';
import { NotLinearPcm } from './audio-description.ts';
import { createAudioReader } from './audio-reader.ts';

export type SpeechRequest = {
  url: string;
  headers: Readonly<Record<string, string>>;
  /** Request body, sent as JSON. */
  body: object;
};

/**
 * Statuses of an engine that may concern only the chosen voice. Others, such as 401, 429 and 503, concern the key, the
 * rate or the engine.
 */
const voiceRefusals: ReadonlySet<number> = new Set([400, 403, 404, 422]);

const hasWords = (text: string): boolean => /[\p{L}\p{N}]/u.test(text);

export const serverSynthesizer = (
  world: EngineWorld,
  engine: {
    name: string;
    /** Requested sample rate. The response may state another one. */
    sampleRate: number;
    /** Whether the request contains a voice that the number chose, so that a refusal may concern only the voice. */
    hasChosenVoice: boolean;
    /** Creates the request for a text. Throws UnspokenLanguage. `language` is BCP 47. */
    request: (text: string, language: string) => SpeechRequest;
  },
): Synthesizer => {
  const { client, clock, limits } = world;
  const { name } = engine;
  const failure = (what: string): EngineFailure => new EngineFailure(`${name} ${what}`);

  async function* stream(text: string, language: string, outer?: AbortSignal): AsyncGenerator<Audio> {
    outer?.throwIfAborted();
    if (!hasWords(text)) return;
    const { url, headers, body } = engine.request(text, language);
    const begun = clock.now();
    const deadline = createDeadline(clock);
    const signal = outer === undefined ? deadline.signal : AbortSignal.any([outer, deadline.signal]);
    deadline.set(limits.firstAudioMs, failure('made no sound in time'));
    try {
      const response = await client.post(name, {
        url,
        headers: { ...headers, 'content-type': 'application/json' },
        body: JSON.stringify(body),
        signal,
      });
      const sound = createAudioReader(response.contentType, engine.sampleRate);
      let count = 0;
      const piece = (samples: Int16Array): Audio => {
        const sampleRate = sound.sampleRate();
        if (count === 0) {
          const leftMs = Math.max(0, limits.wholeSpeechMs - (clock.now() - begun));
          deadline.set(leftMs, failure('did not finish a sentence in time'));
        }
        count += samples.length;
        if (count > (limits.longestSpeechMs * sampleRate) / 1_000)
          throw failure('made more sound than a sentence can have');
        return { sampleRate, samples };
      };
      for await (const bytes of response.body) {
        const samples = sound.take(bytes);
        if (samples.length > 0) yield piece(samples);
      }
      const last = sound.end();
      if (last.length > 0) yield piece(last);
      if (count === 0) throw failure('answered without sound');
    } catch (error) {
      if (error instanceof NotLinearPcm) throw failure('answered with something else than linear sound');
      const isVoiceRefused =
        engine.hasChosenVoice && error instanceof EngineRefusal && voiceRefusals.has(error.status);
      throw isVoiceRefused ? new VoiceRefused(name, error) : error;
    } finally {
      deadline.stop();
    }
  }

  return {
    name,
    stream,
    synthesize: (text, language, signal) => wholeAudio(stream(text, language, signal)),
  };
};
