import { useState } from 'preact/hooks';
import { getChart } from '../api.ts';
import type { ChartState } from '../api/records.ts';
import { texts } from '../language/language.ts';
import { Card } from '../parts/page.tsx';
import { usePolled } from '../polled.ts';

const names = ['call', 'conversation'] as const;

/** The charts of a call, with the states lit that it is in; the last ones that were seen, when it is over. */
export const ChartPanel = ({ state }: { state: ChartState }) => {
  const t = texts.value.calls.one;
  const [name, setName] = useState<(typeof names)[number]>('conversation');
  const picture = usePolled(name, () => getChart(name)).value;
  const current = state[name] ?? '';
  return (
    <Card
      title={t.chart}
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
      <p class="hint" aria-live="polite">
        {t.chartNow} <code>{current === '' ? '–' : current}</code>
      </p>
      {picture !== undefined && <Picture key={name} picture={picture} current={current} />}
    </Card>
  );
};

/** The picture is made by the gateway and holds nothing of anybody else's. */
const Picture = ({ picture, current }: { picture: string; current: string }) => (
  <div
    class="chart"
    // It can be scrolled, also with the keyboard.
    tabIndex={0}
    role="img"
    aria-label={`${texts.value.calls.one.chart}: ${current}`}
    ref={(place) => {
      if (place === null) return;
      if (place.firstChild === null) place.innerHTML = picture;
      for (const node of place.querySelectorAll('[data-state]')) {
        const id = node.getAttribute('data-state') ?? '';
        node.classList.toggle('current', id === current);
        node.classList.toggle('around', current.startsWith(`${id}.`));
      }
    }}
  />
);
