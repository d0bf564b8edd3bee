import { texts } from '../language/language.ts';
import { ChartPanel } from './chart-panel.tsx';
import type { Playback } from './playback.ts';
import { StepWords } from './step-words.tsx';

/** The charts of a finished call at the player's current step; initially the last step. */
export const ReplayPanel = ({ playback }: { playback: Playback }) => {
  const step = playback.steps[playback.index.value];
  if (step === undefined) return null;
  return (
    <ChartPanel state={step} title={texts.value.calls.one.chart} isReadOut={!playback.isPlaying.value}>
      <StepWords playback={playback} step={step} />
    </ChartPanel>
  );
};
