/** The calls in progress by state of a chart, and where the calls of the last hours went. */
import { useCallback, useMemo, useRef, useState } from 'preact/hooks';
import { journalledChartNames } from '#src/domain/chart-name.ts';
import { getChart, getFleet } from '../api.ts';
import { ChartPicture } from '../call/chart-picture.tsx';
import { drawingOf } from '../fleet/draw-tallies.ts';
import { StateMap } from '../fleet/state-map.tsx';
import { callsLink, StateTable, TransitionTable } from '../fleet/tables.tsx';
import { callsIn, stateRows, statesInPicture, type Chart } from '../fleet/tallies.ts';
import { useFleet, type FleetNow } from '../fleet/use-fleet.ts';
import { language, texts } from '../language/language.ts';
import { GatewayButton } from '../parts/action.tsx';
import { Choices } from '../parts/choices.tsx';
import { count } from '../parts/figures.ts';
import { Card, Page } from '../parts/page.tsx';
import { Pill } from '../parts/pill.tsx';
import { timeOfDay } from '../parts/when.tsx';
import { usePolled } from '../polled.ts';
import { go } from '../shown-page.ts';

/** Periods in hours. */
const periods = [1, 6, 24] as const;

/** Forms of the chart. The whole picture of a large chart is too wide to be legible at once. */
const views = ['map', 'picture'] as const;

/** Interval of reading the past. The gateway reads it for all watchers at most once in this time. */
const historyMs = 60_000;

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

/** Reads the past of these hours now and then, and at once on request. */
const useHistory = (hours: number) => {
  const isRequested = useRef(false);
  const { value, reload } = usePolled(
    `fleet/${hours}`,
    () => {
      const isNew = isRequested.current;
      isRequested.current = false;
      return getFleet(hours * 60, isNew);
    },
    () => historyMs,
  );
  return {
    history: value,
    readAgain() {
      isRequested.current = true;
      reload();
    },
  };
};

export const FleetPage = () => {
  const t = texts.value.fleet;
  const [chart, setChart] = useState<Chart>('call');
  const [view, setView] = useState<(typeof views)[number]>('map');
  const [hours, setHours] = useState<(typeof periods)[number]>(1);
  const { counts, link } = useFleet();
  const picture = usePolled(chart, () => getChart(chart)).value;
  const { history, readAgain } = useHistory(hours);
  const now = counts?.states[chart];
  const draw = useMemo(() => drawingOf(chart, now ?? {}, history), [chart, now, history, language.value]);
  const choose = useCallback(
    (state: string) => {
      const isNow = now !== undefined && callsIn(now, state) > 0;
      go(callsLink({ [isNow ? 'state' : 'visited']: `${chart}.${state}` }));
    },
    [chart, now],
  );
  const order = useMemo(() => statesInPicture(picture ?? ''), [picture]);
  const rows = stateRows(chart, order, counts, history);
  // The table has up to a hundred rows, which do not change with the counts of each second.
  const transitions = useMemo(() => {
    const some = (history?.transitions ?? []).filter((one) => one.chart === chart);
    return some.length === 0 ? null : (
      <Card title={t.transitions} lead={t.transitionsLead}>
        <TransitionTable transitions={some} />
      </Card>
    );
  }, [chart, history, t]);
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
          lead={view === 'map' ? t.mapLead : t.chartLead}
          beside={
            <div class="buttons">
              <Choices
                label={texts.value.calls.one.chart}
                options={journalledChartNames}
                chosen={chart}
                nameOf={(name) => texts.value.calls.one.charts[name]}
                choose={setChart}
              />
              <Choices
                label={t.view}
                options={views}
                chosen={view}
                nameOf={(one) => t.views[one]}
                choose={setView}
              />
            </div>
          }
        >
          {picture === undefined && <div class="chart-frame" />}
          {picture !== undefined && view === 'map' && (
            <StateMap
              chart={chart}
              order={order}
              now={now ?? {}}
              rows={rows}
              transitions={history?.transitions ?? []}
            />
          )}
          {picture !== undefined && view === 'picture' && (
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
          lead={
            history === undefined
              ? ''
              : `${t.read(count(history.calls), history.is_whole)} ${t.asOf(timeOfDay(history.until))}`
          }
          beside={<GatewayButton onClick={readAgain}>{t.readAgain}</GatewayButton>}
        >
          {rows.length === 0 ? <p class="hint">{t.none}</p> : <StateTable chart={chart} rows={rows} />}
        </Card>
        {transitions}
      </div>
    </Page>
  );
};
