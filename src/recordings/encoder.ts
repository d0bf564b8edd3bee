import { readFile } from 'node:fs/promises';
import { createEncoder } from 'wasm-media-encoders';
import { recordingSampleRate } from '#sip/audio/recording-sink.ts';
import { contentTypes, mp3Bitrate, type RecordingFormat } from './recording-format.ts';

/** Vorbis quality, -1 to 10; higher values do not improve telephone speech. */
const vorbisQuality = 2;

/** Audio of both parties from the same time and of the same length. */
export type Stretch = { counterparty: Int16Array; agent: Int16Array };

/** Encodes one recording: counterparty on the left, agent on the right. */
export type Encoder = {
  /** Encodes audio. Returns the completed bytes, which are often none. */
  encode(stretch: Stretch): Uint8Array;
  /** Returns the remaining bytes. */
  finish(): Uint8Array;
};

type Code = Parameters<typeof createEncoder>[1];

/** Converts samples to floats in a loop, because `Float32Array.from` would take a third of the encoding time. */
const toFloats = (samples: Int16Array): Float32Array => {
  const floats = new Float32Array(samples.length);
  for (let at = 0; at < samples.length; at += 1) floats[at] = (samples[at] ?? 0) / 32_768;
  return floats;
};

const common = { channels: 2, sampleRate: recordingSampleRate } as const;

/**
 * Creates a factory of encoders. The encoders' code is compiled once, for the first encoder. Encoders are never reused,
 * because reconfiguring an encoder leaks some of its memory.
 */
export const createEncoders = (format: RecordingFormat): (() => Promise<Encoder>) => {
  let code: Code;
  const keep = (compiled: Code): void => {
    code = compiled;
  };
  const configured = async (compiled: Code) => {
    if (format === 'ogg') {
      const vorbis = await createEncoder(contentTypes.ogg, compiled, keep);
      vorbis.configure({ ...common, vbrQuality: vorbisQuality });
      return vorbis;
    }
    const mp3 = await createEncoder(contentTypes.mp3, compiled, keep);
    mp3.configure({ ...common, bitrate: mp3Bitrate });
    return mp3;
  };
  return async () => {
    code ??= await readFile(new URL(import.meta.resolve(`wasm-media-encoders/wasm/${format}`)));
    const encoder = await configured(code);
    return {
      // The bytes are copied, because they are in the encoder's own memory, which the next call overwrites.
      encode: ({ counterparty, agent }) => encoder.encode([toFloats(counterparty), toFloats(agent)]).slice(),
      finish: () => encoder.finalize().slice(),
    };
  };
};
