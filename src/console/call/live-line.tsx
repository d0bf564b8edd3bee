/**
 * Line below the heading of a call in progress: duration, floor, and whether the page is up to date. While its event
 * stream is disconnected, the page polls the call every second and does not know the states of the charts.
 */
import { isConnected } from '../api/request.ts';
import type { Call, ChartState } from '../api/records.ts';
import { texts } from '../language/language.ts';
import { CallState } from '../parts/call-words.tsx';
import { Pill } from '../parts/pill.tsx';
import { useNow } from '../parts/use-now.ts';
import { clockTime } from '../parts/when.tsx';
import { floorOf } from './floor.ts';
import type { Watched } from './watched.ts';

export const LiveLine = ({ call, watched: { state, link } }: { call: Call; watched: Watched }) => {
  const t = texts.value.calls.one;
  return (
    <span class="live-line">
      <CallState call={call} />
      <Elapsed call={call} />
      {isConnected.value && link !== 'lost' && state !== null && <FloorMark state={state} />}
      <span role="status">
        {isConnected.value ? <Pill tone="live">{t.live}</Pill> : <Pill tone="warn">{t.lost}</Pill>}
      </span>
    </span>
  );
};

/** Time since the answer; before the answer, the time since the start of the call. */
const Elapsed = ({ call }: { call: Call }) => {
  const t = texts.value.calls.one;
  const since = Date.parse(call.answered_at ?? call.started_at);
  const seconds = (useNow(true) - since) / 1_000;
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
