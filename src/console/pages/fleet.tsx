/** The calls in progress by state on the picture of a chart, and where the calls of the last hours went. */
import { useCallback, useMemo, useState } from 'preact/hooks';
import { journalledChartNames } from '#src/domain/chart-name.ts';
import { getChart, getFleet } from '../api.ts';
import { ChartPicture } from '../call/chart-picture.tsx';
import { drawingOf } from '../fleet/draw-tallies.ts';
import { callsLink, StateTable, TransitionTable } from '../fleet/tables.tsx';
import { callsIn, stateRows, type Chart } from '../fleet/tallies.ts';
import { useFleet, type FleetNow } from '../fleet/use-fleet.ts';
import { language, texts } from '../language/language.ts';
import { GatewayButton } from '../parts/action.tsx';
import { count } from '../parts/figures.ts';
import { Card, Page } from '../parts/page.tsx';
import { Pill } from '../parts/pill.tsx';
import { usePolled } from '../polled.ts';
import { go } from '../shown-page.ts';

/** Periods in hours. */
const periods = [1, 6, 24] as const;

/** Interval of reading the past, which the gateway caches for ten seconds. */
const historyMs = 15_000;

const tones = { joining: 'calm', open: 'live', lost: 'warn' } as const;

const Summary = ({ counts, link }: FleetNow) => {
  const t = texts.value.fleet;
  return (
    <>
      <span role="status">
        <Pill tone={tones[link]}>{t.link[link]}</Pill>
      </span>{' '}
      {counts === null ? t.lead : t.inProgress(counts.calls, counts.gateways)}
    </>
  );
};

const Choices = <One extends string | number>({
  label,
  options,
  chosen,
  nameOf,
  choose,
}: {
  label: string;
  options: readonly One[];
  chosen: One;
  nameOf: (one: One) => string;
  choose: (one: One) => void;
}) => (
  <div class="languages" role="group" aria-label={label}>
    {options.map((one) => (
      <GatewayButton key={one} aria-pressed={one === chosen} onClick={() => choose(one)}>
        {nameOf(one)}
      </GatewayButton>
    ))}
  </div>
);

export const FleetPage = () => {
  const t = texts.value.fleet;
  const [chart, setChart] = useState<Chart>('call');
  const [hours, setHours] = useState<(typeof periods)[number]>(1);
  const { counts, link } = useFleet();
  const picture = usePolled(chart, () => getChart(chart)).value;
  const history = usePolled(
    `fleet/${hours}`,
    () => getFleet(hours * 60),
    () => historyMs,
  ).value;
  const now = counts?.states[chart];
  const draw = useMemo(() => drawingOf(chart, now ?? {}, history), [chart, now, history, language.value]);
  const choose = useCallback(
    (state: string) => {
      const isNow = now !== undefined && callsIn(now, state) > 0;
      go(callsLink({ [isNow ? 'state' : 'visited']: `${chart}.${state}` }));
    },
    [chart, now],
  );
  const rows = stateRows(chart, picture ?? '', counts, history);
  const transitions = (history?.transitions ?? []).filter((one) => one.chart === chart);
  return (
    <Page
      title={t.title}
      lead={<Summary counts={counts} link={link} />}
      beside={
        <Choices label={t.period} options={periods} chosen={hours} nameOf={t.lastHours} choose={setHours} />
      }
    >
      <div class="fleet">
        <Card
          title={t.chart}
          lead={t.chartLead}
          beside={
            <Choices
              label={texts.value.calls.one.chart}
              options={journalledChartNames}
              chosen={chart}
              nameOf={(name) => texts.value.calls.one.charts[name]}
              choose={setChart}
            />
          }
        >
          {picture === undefined ? (
            <div class="chart-frame" />
          ) : (
            <ChartPicture
              key={chart}
              picture={picture}
              current=""
              isStale={link === 'lost'}
              label={t.chartLabel(texts.value.calls.one.charts[chart])}
              marks={{ draw, choose }}
            />
          )}
        </Card>
        <Card
          title={t.states}
          lead={history === undefined ? '' : t.read(count(history.calls), history.is_whole)}
        >
          {rows.length === 0 ? <p class="hint">{t.none}</p> : <StateTable chart={chart} rows={rows} />}
        </Card>
        {transitions.length > 0 && (
          <Card title={t.transitions} lead={t.transitionsLead}>
            <TransitionTable transitions={transitions} />
          </Card>
        )}
      </div>
    </Page>
  );
};
