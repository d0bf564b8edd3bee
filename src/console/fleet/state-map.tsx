/** The states of a chart as boxes with the numbers of calls that are in them, and what became of the calls of the past. */
import { useMemo } from 'preact/hooks';
import type { Fleet } from '../api/records.ts';
import { texts } from '../language/language.ts';
import { count } from '../parts/figures.ts';
import { NestedStates, type BoxLook, type ContentOf } from '../parts/nested-states.tsx';
import { lastName, nestedStates } from '../parts/state-boxes.ts';
import { callsLink, duration } from './tables.tsx';
import { callsIn, isWithin, type Chart, type StateRow } from './tallies.ts';

/** Maximum number of transitions in a box, the most frequent first. */
const mostWays = 3;

const Past = ({ row: { entries, medianMs, failed } }: { row: StateRow }) => {
  const t = texts.value.fleet;
  return (
    <p class="map-past">
      {t.enteredTimes(count(entries))}
      {medianMs !== null && ` · ${duration(medianMs)}`}
      {failed > 0 && <span class="map-failed"> · {t.failedTimes(count(failed))}</span>}
    </p>
  );
};

const Ways = ({ ways }: { ways: Fleet['transitions'] }) => (
  <ul class="map-ways" aria-label={texts.value.fleet.next}>
    {ways.map(({ to, count: times }) => (
      <li key={to} title={to}>
        <span aria-hidden="true">→ </span>
        <code>{lastName(to)}</code> {count(times)}
      </li>
    ))}
  </ul>
);

export const StateMap = ({
  chart,
  order,
  now,
  rows,
  transitions,
}: {
  chart: Chart;
  /** The states of the chart in the order of its picture. */
  order: readonly string[];
  now: Readonly<Record<string, number>>;
  rows: readonly StateRow[];
  transitions: Fleet['transitions'];
}) => {
  const boxes = useMemo(() => nestedStates(order), [order]);
  const contentOf: ContentOf = (state, isInnermost) => {
    const calls = callsIn(now, state);
    const within = rows.filter((row) => row.entries > 0 && isWithin(row.state, state));
    const filter = calls > 0 ? 'state' : 'visited';
    const linked = {
      href: calls > 0 || within.length > 0 ? callsLink({ [filter]: `${chart}.${state}` }) : undefined,
      beside: calls > 0 && (
        <b class="map-now">
          {count(calls)} <span class="unseen">{texts.value.fleet.now}</span>
        </b>
      ),
    };
    if (!isInnermost) return linked;
    const row = rows.find((one) => one.state === state);
    const ways = transitions.filter((one) => one.chart === chart && one.from === state).slice(0, mostWays);
    const looks: BoxLook[] = [];
    if (calls > 0) looks.push('busy');
    if (row !== undefined && row.failed > 0) looks.push('failing');
    if (calls === 0 && within.length === 0) looks.push('unvisited');
    return {
      ...linked,
      looks,
      below: (
        <>
          {row !== undefined && row.entries > 0 && <Past row={row} />}
          {ways.length > 0 && <Ways ways={ways} />}
        </>
      ),
    };
  };
  return <NestedStates boxes={boxes} contentOf={contentOf} />;
};
