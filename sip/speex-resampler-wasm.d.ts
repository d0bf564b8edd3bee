/** The part of @echogarden/speex-resampler-wasm (the resampler of SpeexDSP) that is used here. */
declare module '@echogarden/speex-resampler-wasm/simd' {
  const loadSpeexResampler: () => Promise<{
    HEAP16: Int16Array;
    HEAPU32: Uint32Array;
    _malloc(bytes: number): number;
    _free(place: number): void;
    /** Gives 0 where there is no memory. */
    _speex_resampler_init_frac(
      channels: number,
      numerator: number,
      denominator: number,
      inRate: number,
      outRate: number,
      quality: number,
      error: number,
    ): number;
    _speex_resampler_destroy(state: number): void;
    _speex_resampler_reset_mem(state: number): number;
    /** The first new sample is that of the first old one, and not half a filter before it. */
    _speex_resampler_skip_zeros(state: number): number;
    /** The counts say how much there is and how much fits, and then how much was taken and given. */
    _speex_resampler_process_int(
      state: number,
      channel: number,
      samples: number,
      sampleCount: number,
      out: number,
      outCount: number,
    ): number;
  }>;
  export default loadSpeexResampler;
}
