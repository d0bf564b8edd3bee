/**
 * Sound of all calls that came in since it was told last: sound at each beat while a voice may be in it, and where it
 * is quiet in blocks, all of them at one beat in five. To tell, take and listen costs more than the samples do.
 */
import { joinSamples } from '#src/domain/sample-bytes.ts';
import { levelOf } from '../../samples.ts';
import type { FromSoundThread } from './sound-thread-messages.ts';

type TellHeard = (message: Extract<FromSoundThread, { type: 'heard' }>) => void;

/** Quieter than whatever is taken for a voice (`floorDb` of config/listening-policy.ts). */
export const quietDb = -50;
/** So many beats after the last sound that was not quiet, the silence is told at once: it may end a turn. */
const promptBeats = 75;
const blockBeats = 5;

type OfCall = {
  frames: Int16Array[];
  /** Until this beat, sound is told at once. */
  promptUntil: number;
};

export const createHeard = (tell: TellHeard) => {
  const calls = new Map<number, OfCall>();
  let keys: { id: number; key: string }[] = [];
  let beats = 0;

  const isDue = ({ frames, promptUntil }: OfCall): boolean =>
    frames.length > 0 && (beats <= promptUntil || beats % blockBeats === 0);

  return {
    /** What a session of this call hears. */
    of(id: number) {
      const call: OfCall = { frames: [], promptUntil: 0 };
      calls.set(id, call);
      return {
        onSound(samples: Int16Array): void {
          call.frames.push(samples);
          if (levelOf(samples) > quietDb) call.promptUntil = beats + promptBeats;
        },
        onKey: (key: string) => void keys.push({ id, key }),
      };
    },
    /** To be called at each beat. */
    tell(): void {
      beats += 1;
      const due = [...calls].filter(([, call]) => isDue(call));
      if (due.length === 0 && keys.length === 0) return;
      tell({
        type: 'heard',
        sounds: due.map(([id, { frames }]) => ({ id, samples: joinSamples(frames.splice(0)) })),
        keys,
      });
      keys = [];
    },
    /** The call is over: what of its sound was not told yet is not told any more. */
    forget: (id: number) => void calls.delete(id),
  };
};
