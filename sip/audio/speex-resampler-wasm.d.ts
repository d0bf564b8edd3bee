/** The part of @echogarden/speex-resampler-wasm (the resampler of SpeexDSP) that is used here. */
declare module '@echogarden/speex-resampler-wasm/simd' {
  export type Speex = {
    /** The memory of the module in steps of 16 and 32 bits; other objects after it has grown. */
    readonly HEAP16: Int16Array;
    readonly HEAPU32: Uint32Array;
    _malloc(bytes: number): number;
    /** `error` is where the reason is written, or 0. Gives 0 when there is no memory left. */
    _speex_resampler_init(
      channels: number,
      fromRate: number,
      toRate: number,
      quality: number,
      error: number,
    ): number;
    _speex_resampler_destroy(state: number): void;
    /** Forgets what was heard. */
    _speex_resampler_reset_mem(state: number): number;
    /** The first new sample is that of the first old one, and not half a filter before it. */
    _speex_resampler_skip_zeros(state: number): number;
    /** The counts say how much there is and how much fits, and then how much was taken and given. */
    _speex_resampler_process_int(
      state: number,
      channel: number,
      samples: number,
      sampleCount: number,
      result: number,
      resultCount: number,
    ): number;
  };

  const load: () => Promise<Speex>;
  export default load;
}
