/** The scrubber of both calls, with marks where they differ. */
import { useEffect, useMemo, useState } from 'preact/hooks';
import { stepName } from '../call/step-words.tsx';
import { texts } from '../language/language.ts';
import { StateName } from '../parts/state-name.tsx';
import type { ReplayStep } from '../api/records.ts';
import { differencesOf, marksOf, shownAt, type Alignment, type Row, type RowKind } from './align.ts';
import { stepMs } from './in-step.ts';
import type { LoadedCall } from './loaded-call.ts';

const statesOf = ({ call, conversation, voicemail }: ReplayStep): string => voicemail ?? conversation ?? call;

/** Plays the steps of both calls until the last one. */
const usePlaying = (
  calls: readonly LoadedCall[],
  rows: readonly Row[],
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
    const timer = setTimeout(() => move(index + 1), stepMs(calls, rows[index]?.steps ?? []));
    return () => clearTimeout(timer);
  }, [isPlaying, index, calls]);
  return { isPlaying, setPlaying };
};

const StepOf = ({
  step,
  isOver,
  name,
}: {
  /** Undefined in a gap. */
  step: ReplayStep | undefined;
  isOver: boolean;
  name: string;
}) => {
  const t = texts.value.compare;
  return (
    <li>
      <b>{name}</b>{' '}
      {step === undefined ? (
        <span class="unknown">{isOver ? t.over : t.gap}</span>
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

/** How many steps differ, and whether all could be aligned. */
const Summary = ({ alignment: { rows, numberedFrom } }: { alignment: Alignment }) => {
  const t = texts.value.compare;
  const first = differencesOf(rows)[0];
  const numberOf = (kind: RowKind): number => rows.filter((row) => row.kind === kind).length;
  if (first === undefined) return <p role="status">{t.same}</p>;
  return (
    <p role="status">
      <b class="parted">{t.partAt(first + 1)}</b>{' '}
      {numberedFrom === null
        ? t.differences(numberOf('first'), numberOf('second'), numberOf('changed'))
        : t.byNumber(numberedFrom + 1)}
    </p>
  );
};

const Marks = ({ rows }: { rows: readonly Row[] }) => (
  <div class="in-step-marks" aria-hidden="true">
    {marksOf(rows).map(({ kind, from, to }) => (
      <i key={from} class={kind} style={{ left: `${from * 100}%`, width: `${(to - from) * 100}%` }} />
    ))}
  </div>
);

export const Transport = ({
  calls,
  names,
  index,
  alignment,
  move,
}: {
  calls: readonly LoadedCall[];
  names: readonly string[];
  /** The row that is shown. */
  index: number;
  alignment: Alignment;
  move: (to: number) => void;
}) => {
  const t = texts.value.compare;
  const { rows } = alignment;
  const last = Math.max(0, rows.length - 1);
  const { isPlaying, setPlaying } = usePlaying(calls, rows, index, last, move);
  const differences = useMemo(() => differencesOf(rows), [rows]);
  const [before, next] = [
    differences.findLast((place) => place < index),
    differences.find((place) => place > index),
  ];
  const summary = useMemo(() => <Summary alignment={alignment} />, [alignment, t]);
  const marks = useMemo(() => <Marks rows={rows} />, [rows]);
  const go = (to: number | undefined): void => {
    setPlaying(false);
    if (to !== undefined) move(Math.min(last, Math.max(0, to)));
  };
  const kind = rows[index]?.kind ?? 'same';
  return (
    <div class="card in-step" role="group" aria-label={texts.value.replay.title}>
      <div class="in-step-range">
        {marks}
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
        {differences.length > 0 && (
          <>
            <button type="button" aria-disabled={before === undefined} onClick={() => go(before)}>
              {t.previousDifference}
            </button>
            <button type="button" class="primary" aria-disabled={next === undefined} onClick={() => go(next)}>
              {t.nextDifference}
            </button>
          </>
        )}
        <span class="digits">{texts.value.replay.step(index + 1, last + 1)}</span>
      </div>
      {calls.length > 1 && summary}
      <div class="in-step-now" aria-live={isPlaying ? 'off' : 'polite'}>
        {calls.length > 1 && <p class={`row-kind ${kind}`}>{t.kind[kind]}</p>}
        <ul>
          {calls.map(({ steps }, side) => {
            const { step, isGap, isOver } = shownAt(rows, side, index);
            const here = isGap || step === null ? undefined : steps[step];
            return <StepOf key={names[side]} name={names[side] ?? ''} step={here} isOver={isOver} />;
          })}
        </ul>
      </div>
    </div>
  );
};
