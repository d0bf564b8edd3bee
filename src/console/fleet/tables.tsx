/** The numbers of the chart as tables, for keyboards and screen readers, with links to the calls. */
import type { Fleet } from '../api/records.ts';
import { texts } from '../language/language.ts';
import { count, milliseconds, seconds } from '../parts/figures.ts';
import { StateName } from '../parts/state-name.tsx';
import { clockTime } from '../parts/when.tsx';
import { linkTo } from '../shown-page.ts';
import type { Chart, StateRow } from './tallies.ts';

/** Link to the list of the calls that are in a state now, or were in it. */
export const callsLink = (filters: Readonly<Record<string, string>>): string =>
  `${linkTo('calls')}?${new URLSearchParams(filters)}`;

export const duration = (ms: number): string => {
  if (ms < 1_000) return milliseconds(ms);
  return ms < 60_000 ? seconds(ms / 1_000) : clockTime(ms / 1_000);
};

const Calls = ({
  calls,
  filters,
  label,
}: {
  calls: number;
  filters: Record<string, string>;
  label: string;
}) =>
  calls === 0 ? (
    <span class="unknown">0</span>
  ) : (
    <a href={callsLink(filters)}>
      {count(calls)} <span class="unseen">{label}</span>
    </a>
  );

export const StateTable = ({ chart, rows }: { chart: Chart; rows: readonly StateRow[] }) => {
  const t = texts.value.fleet;
  return (
    <table class="figures-table fleet-states">
      <caption class="unseen">{t.states}</caption>
      <thead>
        <tr>
          <th scope="col">{t.state}</th>
          <th scope="col">{t.now}</th>
          <th scope="col">{t.entered}</th>
          <th scope="col">{t.median}</th>
          <th scope="col">{t.failed}</th>
        </tr>
      </thead>
      <tbody>
        {rows.map(({ state, now, entries, medianMs, failed }) => {
          const path = `${chart}.${state}`;
          return (
            <tr key={state}>
              <th scope="row">
                <code>
                  <StateName text={state} />
                </code>
              </th>
              <td>
                <Calls calls={now} filters={{ state: path }} label={t.callsNow(state)} />
              </td>
              <td>
                <Calls calls={entries} filters={{ visited: path }} label={t.callsThen(state)} />
              </td>
              <td>{medianMs === null ? '–' : duration(medianMs)}</td>
              <td class={failed === 0 ? '' : 'failing'}>
                <Calls
                  calls={failed}
                  filters={{ visited: path, status: 'failed' }}
                  label={t.callsFailed(state)}
                />
              </td>
            </tr>
          );
        })}
      </tbody>
    </table>
  );
};

/** Maximum number of transitions in the table, the most frequent first. */
const mostShown = 100;

export const TransitionTable = ({ transitions }: { transitions: Fleet['transitions'] }) => {
  const t = texts.value.fleet;
  return (
    <table class="figures-table fleet-transitions">
      <caption class="unseen">{t.transitions}</caption>
      <thead>
        <tr>
          <th scope="col">{t.from}</th>
          <th scope="col">{t.to}</th>
          <th scope="col">{t.times}</th>
        </tr>
      </thead>
      <tbody>
        {transitions.slice(0, mostShown).map(({ from, to, count: times }) => (
          <tr key={`${from} ${to}`}>
            <th scope="row">
              {from === null ? (
                t.begin
              ) : (
                <code>
                  <StateName text={from} />
                </code>
              )}
            </th>
            <td>
              <code>
                <StateName text={to} />
              </code>
            </td>
            <td>{count(times)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
};
