import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { getChart, getChartDefinition } from '../api.ts';
import type { ChartState } from '../api/records.ts';
import { texts } from '../language/language.ts';
import { Card } from '../parts/page.tsx';
import { usePolled } from '../polled.ts';
import { isTransferred } from './floor.ts';
import { ChartPicture } from './chart-picture.tsx';
import type { ChartName } from '#src/domain/chart-name.ts';
import { Action, GatewayButton } from '../parts/action.tsx';
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

/** The charts of a call with the current states highlighted. */
export const ChartPanel = ({
  state,
  title,
  asOf = null,
  isReadOut = true,
  children,
}: {
  state: ChartState;
  title: string;
  /** Time of day of the state; `null` for a current or chosen state. */
  asOf?: string | null;
  /** Whether a screen reader announces each state. */
  isReadOut?: boolean;
  /** Content above the picture. */
  children?: ComponentChildren;
}) => {
  const t = texts.value.calls.one;
  // The chart that the user chose. Until then the innermost active chart is shown.
  const [chosen, setName] = useState<Name>();
  const name = chosen ?? busiest(state);
  const picture = usePolled(name, () => getChart(name)).value;
  const current = state[name] ?? '';
  return (
    <Card
      title={title}
      beside={
        <div class="languages" role="group" aria-label={t.chart}>
          {[...names, ...lineNames.filter((one) => state[one] !== undefined)].map((one) => (
            <GatewayButton key={one} aria-pressed={one === name} onClick={() => setName(one)}>
              {t.charts[one]}
            </GatewayButton>
          ))}
        </div>
      }
    >
      {children}
      <p class="hint chart-now" aria-live={isReadOut ? 'polite' : 'off'}>
        {asOf === null ? t.chartNow : t.chartThen(asOf)} <code>{current === '' ? '–' : current}</code>
      </p>
      {picture === undefined ? (
        <div class="chart-frame" />
      ) : (
        <ChartPicture key={name} picture={picture} current={current} isStale={asOf !== null}>
          <SaveDefinition name={name} />
        </ChartPicture>
      )}
    </Card>
  );
};
