/** Voice activity detection by WebRTC: one library instance per process, one detector per call. */
import loadFvad from '@echogarden/fvad-wasm';

/** Duration of an input frame of 8000 Hz audio in milliseconds. */
export const frameMs = 20;
export const frameLength = 160;

export type VoiceDetector = {
  /**
   * Whether these `frameLength` samples sound like a voice. The detector adapts to all frames that it has processed.
   */
  isVoice(frame: Int16Array): boolean;
  /** Frees the detector's memory. Idempotent. */
  close(): void;
};

/** Opens a detector. `mode` is WebRTC's, from 0 (most sounds are a voice) to 3 (fewest). */
export type OpenVoiceDetector = (mode: number) => VoiceDetector;

export const loadVoiceDetector = async (): Promise<OpenVoiceDetector> => {
  const fvad = await loadFvad();
  // All calls share one buffer, because the library reads a frame before it returns.
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
