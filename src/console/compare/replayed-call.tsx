/** One of two calls at the current step: its chart, its words, and its SIP messages. */
import { useEffect, useMemo, useRef } from 'preact/hooks';
import { ChartPanel } from '../call/chart-panel.tsx';
import { current } from '../call/playback.ts';
import { SipAttempts } from '../call/sip-ladder.tsx';
import { stepName } from '../call/step-words.tsx';
import { texts } from '../language/language.ts';
import { CallState, counterpartyOf, DirectionMark } from '../parts/call-words.tsx';
import { clockTime, placeTime, When } from '../parts/when.tsx';
import { linkTo } from '../shown-page.ts';
import type { Shown } from './align.ts';
import { placeOf, turnAt } from './in-step.ts';
import type { LoadedCall } from './loaded-call.ts';

const Audio = ({ file, name }: { file: Blob; name: string }) => {
  const url = useMemo(() => URL.createObjectURL(file), [file]);
  useEffect(() => () => URL.revokeObjectURL(url), [url]);
  return <audio controls src={url} preload="metadata" aria-label={name} />;
};

const Turns = ({
  title,
  loaded,
  reached,
}: {
  title: string;
  loaded: LoadedCall;
  reached: number | undefined;
}) => {
  const t = texts.value.calls.one;
  const frame = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const turn = frame.current?.querySelector<HTMLElement>('[aria-current]');
    if (frame.current !== null && turn != null)
      frame.current.scrollTop = turn.offsetTop - frame.current.offsetTop - frame.current.clientHeight / 2;
  }, [reached]);
  return (
    <div
      class="compared-turns"
      ref={frame}
      tabIndex={0}
      role="region"
      aria-label={`${title}: ${t.transcript}`}
    >
      {loaded.turns.length === 0 && <p class="hint">{t.transcriptEmpty}</p>}
      <ol class="turns">
        {loaded.turns.map((turn) => (
          <li key={turn.sequence} class={turn.role} {...current(turn.sequence === reached)}>
            <span class="speaker">
              <b>{t.speaker[turn.role]}</b> <span class="digits">{clockTime(turn.t_offset_sec)}</span>
            </span>
            <p lang={loaded.call.language}>{turn.text}</p>
          </li>
        ))}
      </ol>
    </div>
  );
};

export const ReplayedCall = ({
  title,
  loaded,
  shown: { step: index, isGap, isOver },
  onClose,
}: {
  title: string;
  loaded: LoadedCall;
  shown: Shown;
  onClose: () => void;
}) => {
  const t = texts.value.compare;
  const { call, source, steps, sip, audio } = loaded;
  const step = index === null ? undefined : steps[index];
  return (
    <section class="compared" aria-label={title}>
      <header class="card compared-head">
        <h2>
          <DirectionMark direction={call.direction} /> <span class="digits">{counterpartyOf(call)}</span>
        </h2>
        <p>
          <When at={call.started_at} /> <CallState call={call} />
        </p>
        <p class="hint">
          {source.is === 'file' ? (
            <>
              {t.fromFile(source.name)} {source.masked && t.masked}
            </>
          ) : (
            <a href={linkTo('calls', call.id)}>{t.page}</a>
          )}
        </p>
        <button type="button" onClick={onClose}>
          {t.another}
        </button>
      </header>
      {step === undefined ? (
        <p class="hint">{t.noSteps}</p>
      ) : (
        <ChartPanel state={step} title={title} isReadOut={false}>
          <p class="step-words">
            <b>{stepName(step)}</b>{' '}
            <small class="digits">
              {placeTime(placeOf(loaded, step))}
              {isGap && ` · ${isOver ? t.over : t.gap}`}
            </small>
          </p>
        </ChartPanel>
      )}
      <div class="card">
        <Turns title={title} loaded={loaded} reached={turnAt(loaded, step)} />
        {audio !== null && <Audio file={audio} name={texts.value.calls.one.recording} />}
        {sip.length > 0 && (
          <details>
            <summary>{texts.value.sip.title}</summary>
            <SipAttempts messages={sip} />
          </details>
        )}
      </div>
    </section>
  );
};
