/** The charts of a call with the states and transitions that a run visited, and the names of the others. */
import { useMemo, useState } from 'preact/hooks';
import { getChart } from '../api.ts';
import type { ChartCoverage } from '../api/records.ts';
import { ChartPicture } from '../call/chart-picture.tsx';
import { statesInPicture } from '../fleet/tallies.ts';
import { texts } from '../language/language.ts';
import { rehearsalWords } from '../language/rehearsal-words.ts';
import { Card } from '../parts/page.tsx';
import { Choices } from '../parts/choices.tsx';
import { NestedStates } from '../parts/nested-states.tsx';
import { nestedStates } from '../parts/state-boxes.ts';
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

const views = ['map', 'picture'] as const;

type View = (typeof views)[number];

/** The states as boxes: large charts are illegible as a whole picture. */
const VisitedStates = ({ picture, never }: { picture: string; never: readonly string[] }) => {
  const boxes = useMemo(() => nestedStates(statesInPicture(picture)), [picture]);
  const unvisited = new Set(never);
  return (
    <NestedStates
      boxes={boxes}
      contentOf={(state) => ({ looks: [unvisited.has(state) ? 'unvisited' : 'busy'] })}
    />
  );
};

const ChartOf = ({
  coverage: { chart, states, transitions },
  view,
}: {
  coverage: ChartCoverage;
  view: View;
}) => {
  const t = rehearsalWords.value;
  const picture = usePolled(chart, () => getChart(chart)).value;
  const counts = [
    t.states(states.visited, states.all),
    t.transitions(transitions.visited, transitions.all),
  ].join(', ');
  return (
    <>
      <p class="chart-now">{counts}</p>
      {picture === undefined && <div class="chart-frame" />}
      {picture !== undefined && view === 'map' && <VisitedStates picture={picture} never={states.never} />}
      {picture !== undefined && view === 'picture' && (
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
  const { view: form, views: forms } = texts.value.fleet;
  const [chosen, choose] = useState<ChartCoverage['chart']>('call');
  const [view, setView] = useState<View>('map');
  const shown = coverage.find(({ chart }) => chart === chosen);
  return (
    <Card
      title={t.coverage}
      lead={t.coverageHint}
      beside={
        <div class="buttons">
          <Choices
            label={about}
            options={coverage.map(({ chart }) => chart)}
            chosen={chosen}
            nameOf={(chart) => charts[chart]}
            choose={choose}
          />
          <Choices label={form} options={views} chosen={view} nameOf={(one) => forms[one]} choose={setView} />
        </div>
      }
    >
      {shown !== undefined && <ChartOf key={shown.chart} coverage={shown} view={view} />}
    </Card>
  );
};
