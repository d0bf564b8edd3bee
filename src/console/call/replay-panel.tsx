import type { Turn, CallEvent, ReplayStep } from '../api/records.ts';
import { texts } from '../language/language.ts';
import { clockTime } from '../parts/when.tsx';
import { ChartPanel } from './chart-panel.tsx';
import type { Playback } from './playback.ts';

type Told = { playback: Playback; turns: readonly Turn[]; events: readonly CallEvent[] };

/** The charts of a finished call, and the way through its steps; the last one is shown at first. */
export const ReplayPanel = ({ playback, turns, events }: Told) => {
  const t = texts.value.replay;
  const step = playback.steps[playback.index.value];
  if (step === undefined) return null;
  return (
    <ChartPanel state={step} title={t.title} isReadOut={!playback.isPlaying.value}>
      <div class="replay" role="group" aria-label={t.title}>
        <Transport playback={playback} />
        <StepWords playback={playback} turns={turns} events={events} step={step} />
      </div>
    </ChartPanel>
  );
};

const wordsOf = ({ event }: ReplayStep): string => {
  const words: Record<string, string> = texts.value.replay.event;
  return words[event] ?? event;
};

const Transport = ({ playback }: { playback: Playback }) => {
  const t = texts.value.replay;
  const { steps, from, to } = playback;
  const place = playback.place.value;
  const index = playback.index.value;
  const isPlaying = playback.isPlaying.value;
  const step = steps[index];
  const shareOf = (one: ReplayStep): number =>
    to === from ? 0 : (playback.placeOf(one) - from) / (to - from);
  return (
    <div class="transport">
      <StepButton
        label={t.back}
        path="M7 5v14M18 5l-8 7 8 7z"
        isOff={index === 0}
        act={() => playback.stepTo(index - 1)}
      />
      <button
        type="button"
        class="play"
        aria-label={isPlaying ? t.pause : t.play}
        onClick={() => (isPlaying ? playback.pause() : playback.play())}
      >
        <svg viewBox="0 0 24 24" aria-hidden="true">
          <path d={isPlaying ? 'M8 5h3v14H8zM14 5h3v14h-3z' : 'M8 5l11 7-11 7z'} />
        </svg>
      </button>
      <StepButton
        label={t.forward}
        path="M17 5v14M6 5l8 7-8 7z"
        isOff={index === steps.length - 1}
        act={() => playback.stepTo(index + 1)}
      />
      <div class="scrubber">
        <svg viewBox="0 0 1000 12" preserveAspectRatio="none" aria-hidden="true">
          <path d={steps.map((one) => `M${(shareOf(one) * 1000).toFixed(1)} 0v12`).join('')} />
        </svg>
        <input
          type="range"
          min={from}
          max={to}
          step="any"
          value={place}
          aria-label={t.place}
          aria-valuetext={`${clockTime(place - from)}${step === undefined ? '' : `, ${wordsOf(step)}`}`}
          onInput={(event) => playback.seek(Number(event.currentTarget.value))}
        />
      </div>
      <span class="digits">
        {clockTime(place - from)} / {clockTime(to - from)}
      </span>
    </div>
  );
};

const StepButton = ({
  label,
  path,
  isOff,
  act,
}: {
  label: string;
  path: string;
  isOff: boolean;
  act: () => void;
}) => (
  // Not `disabled`: at the last step the focus would be lost.
  <button
    type="button"
    class="step-button"
    aria-label={label}
    aria-disabled={isOff}
    onClick={() => !isOff && act()}
  >
    <svg viewBox="0 0 24 24" aria-hidden="true">
      <path d={path} />
    </svg>
  </button>
);

/** What happened in this step, and the words that were spoken. */
const StepWords = ({ playback, turns, events, step }: Told & { step: ReplayStep }) => {
  const t = texts.value.replay;
  const fact = events.find(({ sequence }) => sequence === step.fact);
  const turn = turns.find(({ sequence }) => sequence === fact?.data.turn);
  return (
    <div class="step-words" aria-live={playback.isPlaying.value ? 'off' : 'polite'}>
      <small class="digits">{t.step(playback.index.value + 1, playback.steps.length)}</small>
      <b>{wordsOf(step)}</b>
      {turn !== undefined && (
        <p>
          {t.says[turn.role]}: “{turn.text}”
        </p>
      )}
    </div>
  );
};
