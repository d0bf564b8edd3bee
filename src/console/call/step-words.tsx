import type { ReplayStep } from '../api/records.ts';
import { texts } from '../language/language.ts';
import type { Playback } from './playback.ts';

/** Returns the name of a step's event. An event that is newer than this page is shown by its raw name. */
export const stepName = ({ event }: ReplayStep): string => {
  const words: Record<string, string> = texts.value.replay.event;
  return words[event] ?? event;
};

/** Describes the current step. */
export const StepWords = ({ playback, step }: { playback: Playback; step: ReplayStep }) => (
  <p class="step-words" aria-live={playback.isPlaying.value ? 'off' : 'polite'}>
    <b>{stepName(step)}</b>{' '}
    <small class="digits">{texts.value.replay.step(playback.index.value + 1, playback.steps.length)}</small>
  </p>
);
