/**
 * Line below the heading of a call in progress: duration, floor, and until when the page is current. The page itself
 * reports a lost connection.
 */
import type { Call, ChartState } from '../api/records.ts';
import { texts } from '../language/language.ts';
import { CallState } from '../parts/call-words.tsx';
import { Pill } from '../parts/pill.tsx';
import { useNow } from '../parts/use-now.ts';
import { clockTime, deviceTime } from '../parts/when.tsx';
import { floorOf } from './floor.ts';

export const LiveLine = ({
  call,
  state,
  lostAt,
}: {
  call: Call;
  /** Current states of the charts; `null` while they are unknown. */
  state: ChartState | null;
  /** Time until which the page is current, in milliseconds since the epoch; `null` while it is connected. */
  lostAt: number | null;
}) => {
  const t = texts.value.calls.one;
  return (
    <span class={lostAt === null ? 'live-line' : 'live-line stale'}>
      <CallState call={call} />
      <Elapsed call={call} lostAt={lostAt} />
      {state !== null && <FloorMark state={state} />}
      {lostAt === null ? (
        <Pill tone="live">{t.live}</Pill>
      ) : (
        <span class="digits">{t.asOf(deviceTime(lostAt, call.started_at))}</span>
      )}
    </span>
  );
};

/** Time since the answer; before the answer, the time since the start of the call. */
const Elapsed = ({ call, lostAt }: { call: Call; lostAt: number | null }) => {
  const t = texts.value.calls.one;
  const since = Date.parse(call.answered_at ?? call.started_at);
  const now = useNow(lostAt === null);
  const seconds = ((lostAt ?? now) - since) / 1_000;
  return (
    <span class="elapsed digits" role="timer" aria-label={t.elapsed}>
      {clockTime(seconds)}
    </span>
  );
};

const FloorMark = ({ state }: { state: ChartState }) => {
  const { who, doing } = floorOf(state);
  return (
    <span class={`floor ${who} ${doing}`}>
      <svg viewBox="0 0 16 12" aria-hidden="true">
        <path d="M2 6v0" />
        <path d="M6 6v0" />
        <path d="M10 6v0" />
        <path d="M14 6v0" />
      </svg>
      {texts.value.calls.one.floor[doing]}
    </span>
  );
};
