/** The scrubber of both calls, with a mark where they part. */
import { useEffect, useState } from 'preact/hooks';
import { stepName } from '../call/step-words.tsx';
import { texts } from '../language/language.ts';
import { StateName } from '../parts/state-name.tsx';
import type { ReplayStep } from '../api/records.ts';
import { stepMs } from './in-step.ts';
import type { LoadedCall } from './loaded-call.ts';

const statesOf = ({ call, conversation, voicemail }: ReplayStep): string => voicemail ?? conversation ?? call;

/** Plays the steps of both calls until the last one. */
const usePlaying = (
  calls: readonly LoadedCall[],
  index: number,
  last: number,
  move: (to: number) => void,
) => {
  const [isPlaying, setPlaying] = useState(false);
  useEffect(() => {
    if (!isPlaying) return undefined;
    if (index >= last) {
      setPlaying(false);
      return undefined;
    }
    const timer = setTimeout(() => move(index + 1), stepMs(calls, index));
    return () => clearTimeout(timer);
  }, [isPlaying, index, calls]);
  return { isPlaying, setPlaying };
};

const StepOf = ({ step, name }: { step: ReplayStep | undefined; name: string }) => {
  const t = texts.value.compare;
  return (
    <li>
      <b>{name}</b>{' '}
      {step === undefined ? (
        t.over
      ) : (
        <>
          {stepName(step)}{' '}
          <code>
            <StateName text={statesOf(step)} />
          </code>
        </>
      )}
    </li>
  );
};

export const Transport = ({
  calls,
  names,
  index,
  parting,
  move,
}: {
  calls: readonly LoadedCall[];
  names: readonly string[];
  index: number;
  /** The first step that differs; null if none does, or with one call. */
  parting: number | null;
  move: (to: number) => void;
}) => {
  const t = texts.value.compare;
  const last = Math.max(0, ...calls.map(({ steps }) => steps.length - 1));
  const { isPlaying, setPlaying } = usePlaying(calls, index, last, move);
  const hasParted = parting !== null && index >= parting;
  const go = (to: number): void => {
    setPlaying(false);
    move(Math.min(last, Math.max(0, to)));
  };
  return (
    <div class="card in-step" role="group" aria-label={texts.value.replay.title}>
      <div class="in-step-range">
        {parting !== null && (
          <i
            class="parting"
            style={{ left: `${last === 0 ? 0 : (parting / last) * 100}%` }}
            aria-hidden="true"
          />
        )}
        <input
          type="range"
          min={0}
          max={last}
          value={index}
          aria-label={t.place}
          aria-valuetext={texts.value.replay.step(index + 1, last + 1)}
          onInput={(event) => go(Number(event.currentTarget.value))}
        />
      </div>
      <div class="buttons">
        <button
          type="button"
          onClick={() => (isPlaying ? setPlaying(false) : (index >= last && move(0), setPlaying(true)))}
        >
          {isPlaying ? texts.value.calls.one.pause : texts.value.calls.one.play}
        </button>
        <button type="button" aria-disabled={index === 0} onClick={() => go(index - 1)}>
          {texts.value.replay.back}
        </button>
        <button type="button" aria-disabled={index === last} onClick={() => go(index + 1)}>
          {texts.value.replay.forward}
        </button>
        {parting !== null && (
          <button type="button" class="primary" onClick={() => go(parting)}>
            {t.toParting}
          </button>
        )}
        <span class="digits">{texts.value.replay.step(index + 1, last + 1)}</span>
      </div>
      {calls.length > 1 && (
        <p class={parting === null ? 'same' : 'parted'} role="status">
          {parting === null ? t.same : t.partAt(parting + 1)} {hasParted && t.parted}
        </p>
      )}
      <ul class="in-step-now" aria-live={isPlaying ? 'off' : 'polite'}>
        {calls.map(({ steps }, place) => (
          <StepOf key={names[place]} name={names[place] ?? ''} step={steps[index]} />
        ))}
      </ul>
    </div>
  );
};
