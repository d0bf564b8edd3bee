/** The common part of synthesizers that are HTTP servers: a request for a sentence, linear sound as it is made. */
import type { Audio, Synthesizer } from '#sip/speech.ts';
import { createDeadline } from './deadline.ts';
import { EngineFailure, EngineRefusal, VoiceRefused } from './engine-failure.ts';
import type { EngineWorld } from './engine-world.ts';
import { createSampleReader, wholeAudio } from './sample-reader.ts';

export type SpeechRequest = {
  url: string;
  headers: Readonly<Record<string, string>>;
  /** Sent as JSON. */
  body: object;
};

/** First bytes of files that are no bare samples; played as samples they would be a loud noise. */
const otherFormats = ['RIFF', 'OggS', 'fLaC', 'ID3'];

const isSound = (mediaType: string, beginning: Uint8Array): boolean => {
  const text = Buffer.from(beginning.subarray(0, 4)).toString('latin1');
  return !/json|^text\//.test(mediaType) && !otherFormats.some((mark) => text.startsWith(mark));
};

const hasWords = (text: string): boolean => /[\p{L}\p{N}]/u.test(text);

export const serverSynthesizer = (
  world: EngineWorld,
  engine: {
    name: string;
    /** Of what it sends. */
    sampleRate: number;
    /** Whether it is asked to speak with a voice of a number's choice; a refusal may be one of the voice alone then. */
    hasChosenVoice: boolean;
    /** Throws UnspokenLanguage. `language` is BCP 47. */
    request: (text: string, language: string) => SpeechRequest;
  },
): Synthesizer => {
  const { client, clock, limits } = world;
  const { name, sampleRate } = engine;
  const failure = (what: string): EngineFailure => new EngineFailure(`${name} ${what}`);

  async function* stream(text: string, language: string, outer?: AbortSignal): AsyncGenerator<Audio> {
    outer?.throwIfAborted();
    if (!hasWords(text)) return;
    const { url, headers, body } = engine.request(text, language);
    const begun = clock.now();
    const deadline = createDeadline(clock);
    const signal = outer === undefined ? deadline.signal : AbortSignal.any([outer, deadline.signal]);
    deadline.set(limits.firstSoundMs, failure('made no sound in time'));
    try {
      const response = await client.post(name, {
        url,
        headers: { ...headers, 'content-type': 'application/json' },
        body: JSON.stringify(body),
        signal,
      });
      const read = createSampleReader();
      let count = 0;
      for await (const bytes of response.body) {
        if (count === 0 && !isSound(response.mediaType, bytes))
          throw failure('answered with something else than linear sound');
        const samples = read(bytes);
        if (samples.length === 0) continue;
        if (count === 0) {
          const restMs = Math.max(0, limits.wholeSpeechMs - (clock.now() - begun));
          deadline.set(restMs, failure('did not finish a sentence in time'));
        }
        count += samples.length;
        if (count > (limits.longestSpeechMs * sampleRate) / 1_000)
          throw failure('made more sound than a sentence can have');
        yield { sampleRate, samples };
      }
      if (count === 0) throw failure('answered without sound');
    } catch (error) {
      throw engine.hasChosenVoice && error instanceof EngineRefusal ? new VoiceRefused(name, error) : error;
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
