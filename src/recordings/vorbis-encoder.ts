import { readFile } from 'node:fs/promises';
import { createEncoder } from 'wasm-media-encoders';
import { recordingSampleRate } from '#sip/recording.ts';

export const vorbisContentType = 'audio/ogg';

/** Vorbis quality, -1 to 10; speech of a telephone does not gain from more. */
const quality = 2;

export type Stretch = { counterparty: Int16Array; agent: Int16Array };

/** Encodes one recording: the counterparty on the left, the agent on the right. */
export type VorbisEncoder = {
  /** What has become complete by this, often nothing. */
  encode(stretch: Stretch): Uint8Array;
  /** The rest. */
  finish(): Uint8Array;
};

const toFloats = (samples: Int16Array): Float32Array =>
  Float32Array.from(samples, (sample) => sample / 32_768);

/**
 * A source of encoders. The code is compiled once, for the first. An encoder is never used again: configuring one anew
 * leaves some of its memory behind.
 */
export const createVorbisEncoders = (): (() => Promise<VorbisEncoder>) => {
  let code: Parameters<typeof createEncoder>[1];
  return async () => {
    code ??= await readFile(new URL(import.meta.resolve('wasm-media-encoders/wasm/ogg')));
    const encoder = await createEncoder(vorbisContentType, code, (compiled) => {
      code = compiled;
    });
    encoder.configure({ channels: 2, sampleRate: recordingSampleRate, vbrQuality: quality });
    return {
      // What the encoder hands out lies in its memory and is gone with its next call.
      encode: ({ counterparty, agent }) => encoder.encode([toFloats(counterparty), toFloats(agent)]).slice(),
      finish: () => encoder.finalize().slice(),
    };
  };
};
