/** Voice activity as WebRTC measures it: one instance of the library for the process, an object of it per call. */
import loadFvad from '@echogarden/fvad-wasm';

/** All sound here is a telephone's, at 8000 Hz, looked at 20 ms at a time. */
export const frameMs = 20;
export const frameLength = 160;

export type VoiceDetector = {
  /** Whether these `frameLength` samples sound like a voice; it learns from all frames that it has seen. */
  isVoice(frame: Int16Array): boolean;
  /** Gives its memory back. Idempotent. */
  close(): void;
};

/** `mode` is WebRTC's: from 0, which takes most sounds for a voice, to 3, which takes fewest. */
export type OpenVoiceDetector = (mode: number) => VoiceDetector;

export const loadVoiceDetector = async (): Promise<OpenVoiceDetector> => {
  const fvad = await loadFvad();
  // The library reads a frame before it returns, so all calls hand theirs over in the same place.
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
