/**
 * Declares the functions of @echogarden/fvad-wasm (libfvad, the voice activity detection of WebRTC) that are used here.
 */
declare module '@echogarden/fvad-wasm' {
  export type Fvad = {
    /** Memory of the module in 16-bit steps. The property is another object after the memory has grown. */
    readonly HEAP16: Int16Array;
    _malloc(bytes: number): number;
    _free(pointer: number): void;
    /** Creates a detector. Returns 0 when no memory is left. */
    _fvad_new(): number;
    _fvad_free(detector: number): void;
    /** Sets the mode: from 0 (most sounds count as a voice) to 3 (fewest). Returns 0 on success. */
    _fvad_set_mode(detector: number, mode: number): number;
    _fvad_set_sample_rate(detector: number, sampleRate: number): number;
    /** Processes 10, 20 or 30 ms of audio. Returns 1 for a voice, 0 for no voice, -1 for an invalid length. */
    _fvad_process(detector: number, samples: number, length: number): number;
  };

  const load: () => Promise<Fvad>;
  export default load;
}
