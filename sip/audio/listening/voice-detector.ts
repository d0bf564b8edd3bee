/** Voice activity detection by WebRTC: one library instance per process, one detector per call. */
import loadFvad from '@echogarden/fvad-wasm';

/** Input is 8000 Hz audio in frames of 20 ms. */
export const frameMs = 20;
export const frameLength = 160;

export type VoiceDetector = {
  /**
   * Returns whether these `frameLength` samples sound like a voice; the detector adapts to all frames it has processed.
   */
  isVoice(frame: Int16Array): boolean;
  /** Frees its memory. Idempotent. */
  close(): void;
};

/** `mode` is WebRTC's, from 0 (most sounds are a voice) to 3 (fewest). */
export type OpenVoiceDetector = (mode: number) => VoiceDetector;

export const loadVoiceDetector = async (): Promise<OpenVoiceDetector> => {
  const fvad = await loadFvad();
  // The library reads a frame before it returns, so all calls share one buffer.
  const place = fvad._malloc(frameLength * 2);
  return (mode) => {
    let handle = fvad._fvad_new();
    if (handle === 0) throw new Error('There is no memory for another voice detector');
    fvad._fvad_set_mode(handle, mode);
    fvad._fvad_set_sample_rate(handle, 8_000);
    return {
      isVoice(frame) {
        fvad.HEAP16.set(frame, place / 2);
        return handle !== 0 && fvad._fvad_process(handle, place, frameLength) === 1;
      },
      close() {
        if (handle !== 0) fvad._fvad_free(handle);
        handle = 0;
      },
    };
  };
};
