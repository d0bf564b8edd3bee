/** The first page, with call statistics and problems that need attention. */
import { getOverview } from '../api.ts';
import type { Overview } from '../api/records.ts';
import { texts } from '../language/language.ts';
import { DayChart, rateOf } from '../overview/day-chart.tsx';
import { Failing, isFailing } from '../overview/failing.tsx';
import { FirstSteps } from '../overview/first-steps.tsx';
import { callsOf } from '../overview/links.ts';
import { count, milliseconds, percent } from '../parts/figures.ts';
import { LatencyPanel } from '../parts/latency-panel.tsx';
import { Loading, Page, Card } from '../parts/page.tsx';
import { usePolled } from '../polled.ts';
import { route, setQueries } from '../shown-page.ts';

/** Number of calls by end reason, as a bar chart made of a list of links. */
const EndReasons = ({ overview: { days, end_reasons: reasons } }: { overview: Overview }) => {
  const t = texts.value.overview;
  const all = reasons.reduce((sum, { calls }) => sum + calls, 0);
  const most = reasons[0]?.calls ?? 0;
  return (
    <Card title={t.endReasons}>
      {all === 0 && <p class="hint">{t.noneEnded}</p>}
      <ul class="shares">
        {reasons.map(({ end_reason: reason, calls }) => (
          <li key={reason}>
            <a href={callsOf(days, { end_reason: reason })}>
              <span>{texts.value.calls.ended[reason]}</span>
              <span class="digits">
                {count(calls)} <small>{percent(calls / all)}</small>
              </span>
              <svg viewBox="0 0 100 4" preserveAspectRatio="none" aria-hidden="true">
                <rect class="track" width={100} height={4} />
                <rect class="answered" width={(calls / most) * 100} height={4} />
              </svg>
            </a>
          </li>
        ))}
      </ul>
    </Card>
  );
};

const pollMs = 15_000;

const spans = [7, 30] as const;

/**
 * Returns the number of days in the page's address. The address may contain any value, and an invalid one selects the
 * default.
 */
const spanNow = (): number =>
  spans.find((days) => String(days) === route.value.query.get('days')) ?? spans[0];

export const OverviewPage = () => {
  const t = texts.value.overview;
  const days = spanNow();
  const overview = usePolled(
    `overview ${days}`,
    () => getOverview(days),
    () => pollMs,
  ).value;
  return (
    <Page
      title={texts.value.shell.nav.overview}
      lead={t.lead}
      beside={
        <div class="spans" role="group" aria-label={t.days}>
          {spans.map((span) => (
            <button
              key={span}
              type="button"
              aria-pressed={span === days}
              onClick={() => setQueries({ days: span === spans[0] ? '' : String(span) })}
            >
              {t.lastDays(span)}
            </button>
          ))}
        </div>
      }
    >
      {overview === undefined ? <Loading /> : <Figures overview={overview} />}
    </Page>
  );
};

const Figures = ({ overview }: { overview: Overview }) => {
  const { days } = overview;
  const hasCalls = days.some(({ calls }) => calls > 0);
  // After the first call, the remaining steps stay for the rest of the day.
  const isBeginning = days.slice(0, -1).every(({ calls }) => calls === 0);
  return (
    <div class="overview">
      {isBeginning && <FirstSteps hasCalls={hasCalls} />}
      {hasCalls ? (
        <>
          <Today overview={overview} />
          <DayChart days={days} />
          <LatencyPanel />
          <div class="overview-pair">
            <EndReasons overview={overview} />
            <Failing overview={overview} />
          </div>
        </>
      ) : (
        isFailing(overview) && <Failing overview={overview} />
      )}
    </div>
  );
};

const Today = ({ overview: { days, latency } }: { overview: Overview }) => {
  const t = texts.value.overview;
  const [today, yesterday] = days.toReversed();
  if (today === undefined || yesterday === undefined) return null;
  const waited = (figure: number | null) => (figure === null ? t.none : milliseconds(figure));
  const figures: [string, string, string][] = [
    [t.calls, count(today.calls), count(yesterday.calls)],
    [t.answerRate, rateOf(today), rateOf(yesterday)],
    [t.middle, waited(latency.today.p50), waited(latency.yesterday.p50)],
    [t.slow, waited(latency.today.p95), waited(latency.yesterday.p95)],
  ];
  return (
    <>
      <dl class="today">
        {figures.map(([name, now, before]) => (
          <div key={name} class="card">
            <dt>{name}</dt>
            <dd>
              <a href={callsOf([today])}>{now}</a>
            </dd>
            <dd class="hint">{t.yesterday(before)}</dd>
          </div>
        ))}
      </dl>
      <p class="hint">{t.waited}</p>
    </>
  );
};
