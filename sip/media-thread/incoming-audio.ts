/**
 * Batches the incoming audio of all calls for the main thread. A call's audio is delivered at each beat while it may
 * contain a voice, and in blocks while it is quiet; the blocks of all quiet calls are delivered together at one beat in
 * five. Posting and handling messages costs more than processing the samples.
 */
import { joinSamples } from '#src/domain/sample-bytes.ts';
import { levelOf, quietDb } from '#sip/audio/samples.ts';
import type { FromMediaThread } from './media-thread-messages.ts';

type TellHeard = (message: Extract<FromMediaThread, { type: 'heard' }>) => void;

/**
 * Number of beats after the last audible sound during which silence is delivered at once, because the silence may end a
 * turn.
 */
const promptBeats = 75;
const blockBeats = 5;

type OfCall = {
  frames: Int16Array[];
  /** Tick until which audio is delivered at once. */
  promptUntil: number;
};

export type Heard = ReturnType<typeof createHeard>;

export const createHeard = (tell: TellHeard) => {
  const calls = new Map<number, OfCall>();
  let digits: { id: number; digit: string }[] = [];
  let beats = 0;

  const isDue = ({ frames, promptUntil }: OfCall): boolean =>
    frames.length > 0 && (beats <= promptUntil || beats % blockBeats === 0);

  return {
    /** Returns the audio listener of a call's session. */
    of(id: number) {
      const call: OfCall = { frames: [], promptUntil: 0 };
      calls.set(id, call);
      return {
        onAudio(samples: Int16Array): void {
          call.frames.push(samples);
          if (levelOf(samples) > quietDb) call.promptUntil = beats + promptBeats;
        },
        onDigit: (digit: string) => void digits.push({ id, digit }),
      };
    },
    /** Delivers audio that is due. Must be called at each beat. */
    tell(): void {
      beats += 1;
      const due = [...calls].filter(([, call]) => isDue(call));
      if (due.length === 0 && digits.length === 0) return;
      tell({
        type: 'heard',
        audio: due.map(([id, { frames }]) => ({ id, samples: joinSamples(frames.splice(0)) })),
        digits,
      });
      digits = [];
    },
    /** Drops the undelivered audio of an ended call. */
    forget: (id: number) => void calls.delete(id),
  };
};
