/** The part of @echogarden/fvad-wasm (libfvad, the voice activity detection of WebRTC) that is used here. */
declare module '@echogarden/fvad-wasm' {
  export type Fvad = {
    /** The memory of the module in 16-bit steps; another object after it has grown. */
    readonly HEAP16: Int16Array;
    _malloc(bytes: number): number;
    _free(pointer: number): void;
    /** 0 when there is no memory left. */
    _fvad_new(): number;
    _fvad_free(detector: number): void;
    /** From 0, which takes most sounds for a voice, to 3, which takes fewest. 0 on success. */
    _fvad_set_mode(detector: number, mode: number): number;
    _fvad_set_sample_rate(detector: number, sampleRate: number): number;
    /** 10, 20 or 30 ms of sound: 1 is a voice, 0 is none, -1 is a wrong length. */
    _fvad_process(detector: number, samples: number, length: number): number;
  };

  const load: () => Promise<Fvad>;
  export default load;
}
