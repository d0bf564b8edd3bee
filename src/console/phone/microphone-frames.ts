/** Splits microphone audio into the gateway's frames. */
import { phoneFrameHead, phoneFrameSamples } from '#src/domain/web-phone.ts';

/** Creates a splitter that emits each frame as soon as the frame is full, and calls `played` at that moment. */
export const createMicrophoneFrames = (
  played: () => number,
  give: (frame: ArrayBuffer) => void,
): { add: (samples: Float32Array) => void } => {
  const newFrame = () => new DataView(new ArrayBuffer(phoneFrameHead + phoneFrameSamples * 2));
  let frame = newFrame();
  let filled = 0;
  return {
    add(samples) {
      for (const sample of samples) {
        const value = Math.round(Math.max(-1, Math.min(1, sample)) * 32_767);
        frame.setInt16(phoneFrameHead + filled * 2, value, true);
        filled += 1;
        if (filled < phoneFrameSamples) continue;
        frame.setUint32(0, played(), true);
        give(frame.buffer);
        frame = newFrame();
        filled = 0;
      }
    },
  };
};
