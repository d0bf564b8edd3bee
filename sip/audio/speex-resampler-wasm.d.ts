/** Declares the functions of @echogarden/speex-resampler-wasm (the resampler of SpeexDSP) that are used here. */
declare module '@echogarden/speex-resampler-wasm/simd' {
  export type Speex = {
    /** Memory of the module in steps of 16 and 32 bits. The properties are other objects after the memory has grown. */
    readonly HEAP16: Int16Array;
    readonly HEAPU32: Uint32Array;
    _malloc(bytes: number): number;
    /** Creates a resampler. `error` is the address for the error code, or 0. Returns 0 when no memory is left. */
    _speex_resampler_init(
      channels: number,
      fromRate: number,
      toRate: number,
      quality: number,
      error: number,
    ): number;
    _speex_resampler_destroy(state: number): void;
    /** Clears the resampler's memory of earlier samples. */
    _speex_resampler_reset_mem(state: number): number;
    /**
     * Aligns the first output sample with the first input sample; otherwise the output begins half a filter length
     * earlier.
     */
    _speex_resampler_skip_zeros(state: number): number;
    /**
     * Resamples. Before the call, the two counts contain the number of input samples and the room for output; after it,
     * the numbers that were read and written.
     */
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
