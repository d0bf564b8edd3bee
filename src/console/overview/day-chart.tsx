/**
 * Calls per day, as bars and as a table. The bars have the same links as the table, which is the accessible version for
 * keyboards and screen readers.
 */
import type { Overview } from '../api/records.ts';
import { texts, language } from '../language/language.ts';
import { count, percent } from '../parts/figures.ts';
import { Card } from '../parts/page.tsx';
import { callsOf, dateOf } from './links.ts';
import { topOf } from './scale.ts';

/** Formats a date such as `2026-11-21` in a short form of the page's language. */
const dayName = (date: string): string =>
  new Intl.DateTimeFormat(language.value, { month: 'short', day: 'numeric', timeZone: 'UTC' }).format(
    new Date(`${date}T00:00:00Z`),
  );

/** Formats a date for narrow places, in every language: `11/21`. */
const dayNumber = (date: string): string => date.split('-').slice(1).map(Number).join('/');

type Day = Overview['days'][number];

const height = 160;
/** Width of a bar as a percentage of the width of a day; the rest is the gap. */
const barWidth = 62;

export const rateOf = ({ calls, answered }: Pick<Day, 'calls' | 'answered'>): string =>
  calls === 0 ? texts.value.overview.none : percent(answered / calls);

const Bar = ({ day, place, top }: { day: Day; place: number; top: number }) => {
  const whole = (day.calls / top) * height;
  const answered = (day.answered / top) * height;
  const x = place * 100 + (100 - barWidth) / 2;
  return (
    <a href={callsOf([day])} tabindex={-1}>
      <title>{`${dayName(dateOf(day))}: ${count(day.calls)}, ${rateOf(day)}`}</title>
      <rect class="reach" x={place * 100} y={0} width={100} height={height} />
      <rect class="unanswered" x={x} y={height - whole} width={barWidth} height={whole - answered} />
      <rect class="answered" x={x} y={height - answered} width={barWidth} height={answered} />
    </a>
  );
};

/** Line of the answer rate, from 0 at the bottom to 100 % at the top. Days without calls are skipped. */
const RateLine = ({ days }: { days: readonly Day[] }) => (
  <polyline
    class="rate"
    points={days
      .map(({ calls, answered }, place) =>
        calls === 0 ? '' : `${place * 100 + 50},${height - (answered / calls) * height}`,
      )
      .join(' ')}
  />
);

/** Whether a day has a label. Weekly labels are at the middle of each week, where there is room on both sides. */
const hasLabel = (place: number, count: number): boolean => count <= 10 || place % 7 === 3;

const Bars = ({ days }: { days: readonly Day[] }) => {
  const top = topOf(Math.max(...days.map(({ calls }) => calls)));
  return (
    <div class="day-chart" aria-hidden="true">
      <div class="scale">
        <span>{count(top)}</span>
        <span>{count(top / 2)}</span>
        <span>0</span>
      </div>
      <svg viewBox={`0 0 ${days.length * 100} ${height}`} preserveAspectRatio="none">
        {[0, 0.5, 1].map((share) => (
          <line key={share} x1={0} x2={days.length * 100} y1={share * height} y2={share * height} />
        ))}
        {days.map((day, place) => (
          <Bar key={day.from} day={day} place={place} top={top} />
        ))}
        <RateLine days={days} />
      </svg>
      <div class="day-names">
        {days.map((day, place) => (
          <span key={day.from}>
            {hasLabel(place, days.length) && (
              <>
                {dayNumber(dateOf(day))}
                <small>{rateOf(day)}</small>
              </>
            )}
          </span>
        ))}
      </div>
    </div>
  );
};

const DayTable = ({ days }: { days: readonly Day[] }) => {
  const t = texts.value.overview;
  return (
    <table class="figures-table">
      <caption class="unseen">{t.byDay}</caption>
      <thead>
        <tr>
          <th scope="col">{t.day}</th>
          <th scope="col">{t.allCalls}</th>
          <th scope="col">{t.answered}</th>
          <th scope="col">{t.rate}</th>
        </tr>
      </thead>
      <tbody>
        {days.toReversed().map((day) => (
          <tr key={day.from}>
            <th scope="row">
              <a href={callsOf([day])}>{dayName(dateOf(day))}</a>
            </th>
            <td>{count(day.calls)}</td>
            <td>{count(day.answered)}</td>
            <td>{rateOf(day)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
};

export const DayChart = ({ days }: { days: readonly Day[] }) => {
  const t = texts.value.overview;
  return (
    <Card title={t.byDay} lead={t.byDayLead}>
      <p class="legend" aria-hidden="true">
        <span>
          <i class="answered" /> {t.answered}
        </span>
        <span>
          <i class="unanswered" /> {t.unanswered}
        </span>
        <span>
          <i class="rate" /> {t.rate}
        </span>
      </p>
      <Bars days={days} />
      <details>
        <summary>{t.asTable}</summary>
        <DayTable days={days} />
      </details>
    </Card>
  );
};
