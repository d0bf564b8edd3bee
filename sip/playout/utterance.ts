/** An utterance in synthesis; the engine starts when it is queued. */
import type { Logger } from 'pino';
import type { SampleRate } from '../samples.ts';
import type { Speak } from './synthesis.ts';

export type Utterance = {
  readonly utterance: number;
  readonly text: string;
  /** Synthesized pieces that were not taken yet. */
  readonly pieces: Int16Array[];
  /** `broken off`: the engine failed before the end. */
  state: 'coming' | 'whole' | 'broken off';
  /** Stops synthesis; `onMore` is not called again. */
  abort(): void;
};

export const synthesizeUtterance = (options: {
  utterance: number;
  text: string;
  language: string | undefined;
  speak: Speak;
  sampleRate: SampleRate;
  /** Called in a later task when pieces were added or synthesis is complete. */
  onMore: (utterance: Utterance) => void;
  logger: Logger;
}): Utterance => {
  const { utterance, text, language, speak, sampleRate, onMore, logger } = options;
  const controller = new AbortController();
  const { signal } = controller;
  const made: Utterance = {
    utterance,
    text,
    pieces: [],
    state: 'coming',
    abort: () => controller.abort(),
  };

  const make = async (): Promise<void> => {
    for await (const piece of speak(text, sampleRate, signal, language)) {
      if (signal.aborted) return;
      made.pieces.push(piece);
      onMore(made);
    }
  };

  const outcome = async (): Promise<'whole' | 'broken off'> => {
    try {
      // The await lets an empty text complete in a later task, like any other.
      await (text.trim() === '' ? undefined : make());
      return 'whole';
    } catch (error) {
      if (!signal.aborted) logger.error({ err: error, utterance }, 'an utterance could not be synthesized');
      return 'broken off';
    }
  };

  const run = async (): Promise<void> => {
    const state = await outcome();
    if (signal.aborted) return;
    made.state = state;
    onMore(made);
  };

  void run();
  return made;
};
