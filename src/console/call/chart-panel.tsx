import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { getChart } from '../api.ts';
import type { ChartState } from '../api/records.ts';
import { texts } from '../language/language.ts';
import { Card } from '../parts/page.tsx';
import { usePolled } from '../polled.ts';
import { isTransferred } from './floor.ts';
import { ChartPicture } from './chart-picture.tsx';
import { SaveDefinition } from './save-definition.tsx';

const names = ['call', 'conversation', 'voicemail'] as const;

/**
 * The innermost one: there is no conversation while it rings, and seldom a voicemail. While the call is transferred the
 * conversation only waits.
 */
const busiest = (state: ChartState): (typeof names)[number] =>
  isTransferred(state) ? 'call' : (names.findLast((one) => state[one] !== null) ?? 'call');

/** The charts of a call, with the states lit that it is in. */
export const ChartPanel = ({
  state,
  title,
  isReadOut = true,
  children,
}: {
  state: ChartState;
  title: string;
  /** Whether a screen reader tells of each state. */
  isReadOut?: boolean;
  /** Above the picture. */
  children?: ComponentChildren;
}) => {
  const t = texts.value.calls.one;
  // Until somebody chooses, the one in which something happens.
  const [chosen, setName] = useState<(typeof names)[number]>();
  const name = chosen ?? busiest(state);
  const picture = usePolled(name, () => getChart(name)).value;
  const current = state[name] ?? '';
  return (
    <Card
      title={title}
      beside={
        <div class="languages" role="group" aria-label={t.chart}>
          {names.map((one) => (
            <button key={one} type="button" aria-pressed={one === name} onClick={() => setName(one)}>
              {t.charts[one]}
            </button>
          ))}
        </div>
      }
    >
      {children}
      <p class="hint chart-now" aria-live={isReadOut ? 'polite' : 'off'}>
        {t.chartNow} <code>{current === '' ? '–' : current}</code>
      </p>
      {picture !== undefined && (
        <ChartPicture key={name} picture={picture} current={current}>
          <SaveDefinition name={name} />
        </ChartPicture>
      )}
    </Card>
  );
};
