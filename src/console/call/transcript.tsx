import { computed } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import type { Call, CallEvent, Latency, Turn } from '../api/records.ts';
import { texts } from '../language/language.ts';
import { isOver } from '../parts/call-words.tsx';
import { Card } from '../parts/page.tsx';
import { clockTime } from '../parts/when.tsx';
import { floorOf } from './floor.ts';
import { isMeasured, LatencyBar, LatencyLegend } from './latency-bar.tsx';
import { current, type Playback } from './playback.ts';
import type { WatchedState } from './watched.ts';
import { spokenAfter, type SpokenWords } from './words-of-turn.ts';

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

/** Whether an element is in sight as a whole. */
const isInSight = (element: Element): boolean => {
  const { top, bottom } = element.getBoundingClientRect();
  return top >= 0 && bottom <= innerHeight;
};

/**
 * Keeps the newest turn visible during the call. Afterwards the page scrolls from the played turn to the next one, as
 * long as the user has the played turn in sight.
 */
const useFollowing = (isLive: boolean, shown: string, reached: number | undefined) => {
  const ref = useRef<HTMLDivElement>(null);
  const wasAt = useRef(0);
  const played = useRef<Element | null>(null);
  useEffect(() => {
    const frame = ref.current;
    if (frame === null || !isLive) return;
    if (wasAt.current - frame.scrollTop - frame.clientHeight < nearEndPx)
      frame.scrollTop = frame.scrollHeight;
    wasAt.current = frame.scrollHeight;
  }, [shown]);
  useEffect(() => {
    const before = played.current;
    played.current = ref.current?.querySelector('[aria-current]') ?? null;
    if (before === null || before.nextElementSibling !== played.current) return;
    if (isInSight(before)) played.current?.scrollIntoView({ block: 'nearest' });
  }, [reached]);
  return ref;
};

/**
 * Time in milliseconds for which the last words remain visible after the end of a turn that is not yet in the
 * transcript.
 */
const lateTurnMs = 2_000;

/** Returns the words that the agent is saying; after the turn, its last words until the turn is in the transcript. */
const useSaying = (saying: string | null, turns: number): SpokenWords | null => {
  const [kept, setKept] = useState<(SpokenWords & { turns: number; isOver: boolean }) | null>(null);
  const now = saying === null ? null : spokenAfter(kept?.isOver === true ? null : kept, saying);
  useEffect(() => {
    if (now !== null) {
      setKept({ ...now, turns, isOver: false });
      return undefined;
    }
    setKept((last) => last && { ...last, spoken: last.words.length, isOver: true });
    const timer = setTimeout(() => setKept(null), lateTurnMs);
    return () => clearTimeout(timer);
  }, [saying, turns]);
  return now ?? (kept?.turns === turns ? kept : null);
};

/** Returns the preliminary words of the other party; after its turn, the last ones until the turn is in the transcript. */
const useHearing = (hearing: string | null, turns: number): string | null => {
  const [kept, setKept] = useState<{ words: string; turns: number } | null>(null);
  useEffect(() => {
    if (hearing !== null) {
      setKept({ words: hearing, turns });
      return undefined;
    }
    const timer = setTimeout(() => setKept(null), lateTurnMs);
    return () => clearTimeout(timer);
  }, [hearing, turns]);
  return hearing ?? (kept?.turns === turns ? kept.words : null);
};

/** A turn in progress, which is not in the transcript yet. */
const TurnNow = ({ of, children }: { of: Turn['role']; children: ComponentChildren }) => {
  const t = texts.value.calls.one;
  return (
    <li class={`${of === 'user' ? 'counterparty' : of} saying`} aria-live="off">
      <span class="speaker">
        <b>{t.speaker[of]}</b> {t.speakingNow}
      </span>
      {children}
    </li>
  );
};

/** The agent's turn in progress, with the sentence that is being spoken marked. */
const AgentNow = ({ saying, language }: { saying: SpokenWords; language: string }) => (
  <TurnNow of="assistant">
    <p lang={language}>
      {saying.words.slice(0, saying.spoken)}
      <span class="sounding">{saying.words.slice(saying.spoken)}</span>
    </p>
  </TurnNow>
);

/** The other party's turn in progress: its preliminary words, if the recognizer has them before the end of the turn. */
const CounterpartyNow = ({ words, language }: { words: string | null; language: string }) => (
  <TurnNow of="user">
    <p {...(words === null ? {} : { lang: language })}>
      <span class="preliminary">{words === null ? '…' : `${words} …`}</span>
    </p>
  </TurnNow>
);

/**
 * The transcript as it was heard, turn by turn, followed by the turns in progress. During the call, a screen reader
 * announces new turns.
 */
export const Transcript = ({
  call,
  turns,
  events,
  playback,
  state,
}: {
  call: Call;
  turns: Turn[];
  events: CallEvent[];
  playback: Playback | null;
  /** Current state of the call; null if it is over or unknown. */
  state: WatchedState | null;
}) => {
  const saying = useSaying(state?.saying ?? null, turns.length);
  const hearing = useHearing(state?.hearing ?? null, turns.length);
  const isHearing =
    state !== null && floorOf(state).doing === 'hearing' && (saying === null || hearing !== null);
  const hasCounterparty = isHearing || hearing !== null;
  const latencies = new Map(events.map(({ data }) => [data.turn, data.latency]));
  // The position changes ten times a second, but the transcript renders again only when the played turn changes.
  const reached = useMemo(
    () =>
      computed(() => (playback?.isTouched.value === true ? playedTurn(turns, events, playback) : undefined)),
    [playback, turns, events],
  ).value;
  const t = texts.value.calls.one;
  const isLive = !isOver(call);
  const ref = useFollowing(isLive, `${turns.length} ${hasCounterparty} ${hearing} ${saying?.words}`, reached);
  const hasLatency = [...latencies.values()].some((latency) => latency !== undefined && isMeasured(latency));
  return (
    <Card title={t.transcript}>
      <div
        class="transcript"
        ref={ref}
        {...(isLive ? { tabIndex: 0 } : {})}
        role="region"
        aria-label={t.transcript}
        aria-live={isLive ? 'polite' : 'off'}
      >
        {turns.length === 0 && saying === null && !hasCounterparty && (
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
          {/* The agent answers words that were heard, and is interrupted by words that are being spoken. */}
          {saying !== null && isHearing && <AgentNow saying={saying} language={call.language} />}
          {hasCounterparty && <CounterpartyNow words={hearing} language={call.language} />}
          {saying !== null && !isHearing && <AgentNow saying={saying} language={call.language} />}
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
