import { computed } from '@preact/signals';
import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import type { Call, CallEvent, Latency, Turn } from '../api/records.ts';
import { texts } from '../language/language.ts';
import { isOver } from '../parts/call-words.tsx';
import { Card } from '../parts/page.tsx';
import { clockTime } from '../parts/when.tsx';
import { isMeasured, LatencyBar, LatencyLegend } from './latency-bar.tsx';
import { current, type Playback } from './playback.ts';

/** Distance from the end in pixels beyond which a user who has scrolled up is not moved to the newest turn. */
const nearEndPx = 80;

/**
 * Returns the turn at the position of the playback: the last one that began before it, or the one that the current step
 * reports. A step is stored shortly before the turn's first audio.
 */
const playedTurn = (
  turns: readonly Turn[],
  events: readonly CallEvent[],
  { place, fact }: Playback,
): number | undefined => {
  const begun = turns.findLast(({ t_offset_sec: from }) => from <= place.value)?.sequence ?? 0;
  const told = events.find(({ sequence }) => sequence === fact.value)?.data.turn ?? 0;
  return begun === 0 && told === 0 ? undefined : Math.max(begun, told);
};

/** Keeps the newest turn visible during the call, and the played turn afterwards. */
const useFollowing = (isLive: boolean, shown: string, reached: number | undefined) => {
  const ref = useRef<HTMLDivElement>(null);
  const wasAt = useRef(0);
  useEffect(() => {
    const frame = ref.current;
    if (frame === null || !isLive) return;
    if (wasAt.current - frame.scrollTop - frame.clientHeight < nearEndPx)
      frame.scrollTop = frame.scrollHeight;
    wasAt.current = frame.scrollHeight;
  }, [shown]);
  useEffect(() => {
    const frame = ref.current;
    const turn = frame?.querySelector('[aria-current]')?.getBoundingClientRect();
    if (frame === null || turn === undefined) return;
    const seen = frame.getBoundingClientRect();
    if (turn.top < seen.top || turn.bottom > seen.bottom) frame.scrollBy({ top: turn.top - seen.top - 16 });
  }, [reached]);
  return ref;
};

/**
 * Time in milliseconds for which the last words remain visible after the end of a turn that is not yet in the
 * transcript.
 */
const lateTurnMs = 2_000;

/** Returns the words that the agent is saying; after the turn, its last words until the turn is in the transcript. */
const useSaying = (saying: string | null, turns: number): string | null => {
  const [kept, setKept] = useState<{ words: string; turns: number } | null>(null);
  useEffect(() => {
    if (saying !== null) {
      setKept({ words: saying, turns });
      return undefined;
    }
    const timer = setTimeout(() => setKept(null), lateTurnMs);
    return () => clearTimeout(timer);
  }, [saying, turns]);
  if (saying !== null) return saying;
  return kept !== null && kept.turns === turns ? kept.words : null;
};

/**
 * The transcript as it was heard, turn by turn, followed by the words that the agent is saying. During the call, a
 * screen reader announces new turns.
 */
export const Transcript = ({
  call,
  turns,
  events,
  playback,
  saying: told,
}: {
  call: Call;
  turns: Turn[];
  events: CallEvent[];
  playback: Playback | null;
  /** Words that the agent is saying now. */
  saying: string | null;
}) => {
  const saying = useSaying(told, turns.length);
  const latencies = new Map(events.map(({ data }) => [data.turn, data.latency]));
  // The position changes ten times a second, but the transcript renders again only when the played turn changes.
  const reached = useMemo(
    () =>
      computed(() => (playback?.isTouched.value === true ? playedTurn(turns, events, playback) : undefined)),
    [playback, turns, events],
  ).value;
  const t = texts.value.calls.one;
  const isLive = !isOver(call);
  const ref = useFollowing(isLive, `${turns.length} ${saying}`, reached);
  const hasLatency = [...latencies.values()].some((latency) => latency !== undefined && isMeasured(latency));
  return (
    <Card title={t.transcript}>
      <div
        class="transcript"
        ref={ref}
        tabIndex={0}
        role="region"
        aria-label={t.transcript}
        aria-live={isLive ? 'polite' : 'off'}
      >
        {turns.length === 0 && saying === null && (
          <p class="hint">{isLive ? t.transcriptWaiting : t.transcriptEmpty}</p>
        )}
        <ol class="turns">
          {turns.map((turn) => (
            <TurnItem
              key={turn.sequence}
              turn={turn}
              language={call.language}
              latency={latencies.get(turn.sequence)}
              isReached={turn.sequence === reached}
              seek={playback === null ? null : () => playback.seek(turn.t_offset_sec)}
            />
          ))}
          {saying !== null && (
            <li class="assistant saying" aria-live="off">
              <span class="speaker">
                <b>{t.speaker.assistant}</b> {t.speakingNow}
              </span>
              <p lang={call.language}>{saying}</p>
            </li>
          )}
        </ol>
      </div>
      {hasLatency && <LatencyLegend />}
    </Card>
  );
};

/** Whether text is selected. Selecting text, for example to copy it, must not seek. */
const hasSelected = (): boolean => getSelection()?.isCollapsed === false;

type TurnItemProps = {
  turn: Turn;
  language: string;
  latency: Latency | undefined;
  isReached: boolean;
  /** Plays from this turn. Null if there are neither steps nor a recording to play. */
  seek: (() => void) | null;
};

const TurnItem = ({ turn, language, latency, isReached, seek }: TurnItemProps) => {
  const t = texts.value.calls.one;
  const at = clockTime(turn.t_offset_sec);
  return (
    <li
      class={`${turn.role} ${seek === null ? '' : 'seekable'}`}
      {...(seek === null ? {} : { onClick: () => !hasSelected() && seek() })}
      {...current(isReached)}
    >
      <span class="speaker">
        <b>{t.speaker[turn.role]}</b>{' '}
        {seek === null ? (
          <span class="digits">{at}</span>
        ) : (
          <button type="button" class="turn-time digits" aria-label={t.playFrom(at)}>
            {at}
          </button>
        )}
        {latency !== undefined && turn.role === 'assistant' && <LatencyBar latency={latency} />}
      </span>
      <p lang={language}>{turn.text}</p>
    </li>
  );
};
