/**
 * A web phone with a microphone and a speaker, on a simulated clock: it handles the audio of a call as a browser does.
 */
import { phoneFrameHead, phoneFrameSamples, type ToPhone } from '#src/domain/web-phone.ts';
import type { OrderedClock } from '#test/contract/ordered-clock.ts';
import type { TestPhone } from './phone-network.ts';

const frameMs = 20;

/** A microphone frame of a phone that has played this many samples. */
export const soundFrame = (played: number, sample = 0): Uint8Array => {
  const bytes = new Uint8Array(phoneFrameHead + phoneFrameSamples * 2);
  const view = new DataView(bytes.buffer);
  view.setUint32(0, played, true);
  for (let at = phoneFrameHead; at < bytes.length; at += 2) view.setInt16(at, sample, true);
  return bytes;
};

export const createSoundingPhone = (
  clock: OrderedClock,
  connect: (act: (message: ToPhone) => void, play: (frame: Uint8Array) => void) => TestPhone,
) => {
  let waiting: number[] = [];
  const heard: number[] = [];
  let mostWaiting = 0;
  const phone: TestPhone = connect(
    ({ type }) => {
      if (type !== 'sound_flush') return;
      const samples = waiting.length;
      waiting = [];
      phone.send({ type: 'sound_flushed', samples });
    },
    (frame) => {
      const { buffer, byteOffset, length } = frame;
      const view = new DataView(buffer, byteOffset, length);
      for (let at = 0; at < length; at += 2) waiting.push(view.getInt16(at, true));
      mostWaiting = Math.max(mostWaiting, waiting.length);
    },
  );
  return {
    phone,
    /** All samples that the phone has played. */
    heard,
    mostWaiting: () => mostWaiting,
    /** Advances the clock with this sample at the microphone. */
    pass(milliseconds: number, sample = 0): void {
      for (let passed = 0; passed < milliseconds; passed += frameMs) {
        heard.push(...waiting.splice(0, phoneFrameSamples));
        phone.sendBytes(soundFrame(heard.length, sample));
        clock.advance(frameMs);
      }
    },
  };
};
