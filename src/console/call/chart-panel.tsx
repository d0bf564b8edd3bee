import type { ComponentChildren } from 'preact';
import { useMemo, useState } from 'preact/hooks';
import { getChart, getChartDefinition } from '../api.ts';
import type { ChartState } from '../api/records.ts';
import { statesInPicture } from '../fleet/tallies.ts';
import { texts } from '../language/language.ts';
import { Choices } from '../parts/choices.tsx';
import { NestedStates } from '../parts/nested-states.tsx';
import { nestedStates } from '../parts/state-boxes.ts';
import { Card } from '../parts/page.tsx';
import { usePolled } from '../polled.ts';
import { isTransferred } from './floor.ts';
import { ChartPicture } from './chart-picture.tsx';
import type { ChartName } from '#src/domain/chart-name.ts';
import { Action } from '../parts/action.tsx';
import { saveFile } from '../parts/save-file.ts';

/** Saves a chart's definition for Stately Studio and XState. */
const SaveDefinition = ({ name }: { name: ChartName }) => (
  <Action
    isForAll
    label={texts.value.calls.one.definition}
    act={async () => {
      const definition = JSON.stringify(await getChartDefinition(name), null, 2);
      saveFile(new Blob([definition], { type: 'application/json' }), `${name}.json`);
    }}
  />
);

const names = ['call', 'conversation', 'voicemail'] as const;
/** Charts that are shown only during a call, because their transitions are not stored. */
const lineNames = ['line-life', 'outbound-leg', 'inbound-leg'] as const;

type Name = (typeof names | typeof lineNames)[number];

/**
 * Selects the innermost chart that is active. While the call rings there is no conversation, and voicemail is rare.
 * During a transfer the conversation only waits, so `call` is selected.
 */
const busiest = (state: ChartState): (typeof names)[number] =>
  isTransferred(state) ? 'call' : (names.findLast((one) => state[one] !== null) ?? 'call');

/** Forms of the chart: all states as boxes, or the part of the picture around the current state. */
const views = ['map', 'picture'] as const;

type View = (typeof views)[number];

/** All states of a chart as boxes, with the current one filled. */
const CurrentBoxes = ({ picture, current }: { picture: string; current: string }) => {
  const boxes = useMemo(() => nestedStates(statesInPicture(picture)), [picture]);
  return <NestedStates boxes={boxes} contentOf={(state) => ({ looks: state === current ? ['busy'] : [] })} />;
};

/** The charts of a call with the current states highlighted. */
export const ChartPanel = ({
  state,
  title,
  asOf = null,
  isReadOut = true,
  firstView = 'picture',
  children,
}: {
  state: ChartState;
  title: string;
  /** Time of day of the state; `null` for a current or chosen state. */
  asOf?: string | null;
  /** Whether a screen reader announces each state. */
  isReadOut?: boolean;
  firstView?: View;
  /** Content above the picture. */
  children?: ComponentChildren;
}) => {
  const t = texts.value.calls.one;
  // The chart that the user chose. Until then the innermost active chart is shown.
  const [chosen, setName] = useState<Name>();
  const name = chosen ?? busiest(state);
  const [view, setView] = useState(firstView);
  const { view: form, views: forms } = texts.value.fleet;
  const picture = usePolled(name, () => getChart(name)).value;
  const current = state[name] ?? '';
  return (
    <Card
      title={title}
      beside={
        <div class="buttons">
          <Choices
            label={t.chart}
            options={[...names, ...lineNames.filter((one) => state[one] !== undefined)]}
            chosen={name}
            nameOf={(one) => t.charts[one]}
            choose={setName}
          />
          <Choices label={form} options={views} chosen={view} nameOf={(one) => forms[one]} choose={setView} />
        </div>
      }
    >
      {children}
      <p class="hint chart-now" aria-live={isReadOut ? 'polite' : 'off'}>
        {asOf === null ? t.chartNow : t.chartThen(asOf)} <code>{current === '' ? '–' : current}</code>
      </p>
      {picture === undefined && <div class="chart-frame" />}
      {picture !== undefined && view === 'map' && (
        <div class="chart-boxes">
          <CurrentBoxes picture={picture} current={current} />
          <SaveDefinition name={name} />
        </div>
      )}
      {picture !== undefined && view === 'picture' && (
        <ChartPicture key={name} picture={picture} current={current} isStale={asOf !== null}>
          <SaveDefinition name={name} />
        </ChartPicture>
      )}
    </Card>
  );
};
