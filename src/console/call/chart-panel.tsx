import type { ComponentChildren } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { getChart } from '../api.ts';
import type { ChartState } from '../api/records.ts';
import { texts } from '../language/language.ts';
import { Card } from '../parts/page.tsx';
import { usePolled } from '../polled.ts';

const names = ['call', 'conversation', 'voicemail'] as const;

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
  // Until somebody chooses, the innermost one: there is no conversation while it rings, and seldom a voicemail.
  const [chosen, setName] = useState<(typeof names)[number]>();
  const name = chosen ?? names.findLast((one) => state[one] !== null) ?? 'call';
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
      <p class="hint" aria-live={isReadOut ? 'polite' : 'off'}>
        {t.chartNow} <code>{current === '' ? '–' : current}</code>
      </p>
      {picture !== undefined && <Picture key={name} picture={picture} current={current} />}
    </Card>
  );
};

/** The picture is made by the gateway and holds nothing of anybody else's. It is moved to where the call is. */
const Picture = ({ picture, current }: { picture: string; current: string }) => {
  const ref = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const frame = ref.current;
    if (frame === null) return;
    if (frame.firstChild === null) frame.innerHTML = picture;
    for (const node of frame.querySelectorAll('[data-state]')) {
      const id = node.getAttribute('data-state') ?? '';
      node.classList.toggle('current', id !== '' && id === current);
      node.classList.toggle('around', current.startsWith(`${id}.`));
    }
    const lit = frame.querySelector('.current')?.getBoundingClientRect();
    if (lit === undefined) return;
    const seen = frame.getBoundingClientRect();
    frame.scrollBy({
      left: lit.x + lit.width / 2 - seen.x - seen.width / 2,
      top: lit.y + lit.height / 2 - seen.y - seen.height / 2,
    });
  }, [picture, current]);
  return (
    <div
      class="chart"
      // It can be scrolled, also with the keyboard.
      tabIndex={0}
      role="img"
      aria-label={`${texts.value.calls.one.chart}: ${current}`}
      ref={ref}
    />
  );
};
