/** The charts of a call with the states and transitions that a run visited, and the names of the others. */
import { useState } from 'preact/hooks';
import { getChart } from '../api.ts';
import type { ChartCoverage } from '../api/records.ts';
import { ChartPicture } from '../call/chart-picture.tsx';
import { texts } from '../language/language.ts';
import { rehearsalWords } from '../language/rehearsal-words.ts';
import { Card } from '../parts/page.tsx';
import { usePolled } from '../polled.ts';

const Names = ({ title, names }: { title: string; names: readonly string[] }) =>
  names.length === 0 ? null : (
    <details class="never">
      <summary>
        {title} ({names.length})
      </summary>
      <ul>
        {names.map((name) => (
          <li key={name}>
            <code>{name}</code>
          </li>
        ))}
      </ul>
    </details>
  );

const ChartOf = ({ coverage: { chart, states, transitions } }: { coverage: ChartCoverage }) => {
  const t = rehearsalWords.value;
  const picture = usePolled(chart, () => getChart(chart)).value;
  const counts = [
    t.states(states.visited, states.all),
    t.transitions(transitions.visited, transitions.all),
  ].join(', ');
  return (
    <>
      <p class="chart-now">{counts}</p>
      {picture === undefined ? (
        <div class="chart-frame" />
      ) : (
        <ChartPicture
          picture={picture}
          current=""
          isStale={false}
          coverage={{ states: states.never, transitions: transitions.never }}
          label={`${texts.value.calls.one.charts[chart]}: ${counts}`}
        />
      )}
      <Names title={t.neverStates} names={states.never} />
      <Names title={t.neverTransitions} names={transitions.never} />
    </>
  );
};

export const CoverageCard = ({ coverage }: { coverage: readonly ChartCoverage[] }) => {
  const t = rehearsalWords.value;
  const { charts, chart: about } = texts.value.calls.one;
  const [chosen, choose] = useState<ChartCoverage['chart']>('call');
  const shown = coverage.find(({ chart }) => chart === chosen);
  return (
    <Card
      title={t.coverage}
      lead={t.coverageHint}
      beside={
        <div class="languages" role="group" aria-label={about}>
          {coverage.map(({ chart }) => (
            <button key={chart} type="button" aria-pressed={chart === chosen} onClick={() => choose(chart)}>
              {charts[chart]}
            </button>
          ))}
        </div>
      }
    >
      {shown !== undefined && <ChartOf key={shown.chart} coverage={shown} />}
    </Card>
  );
};
