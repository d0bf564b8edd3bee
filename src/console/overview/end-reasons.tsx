import type { Overview } from '../api/records.ts';
import { texts } from '../language/language.ts';
import { count, percent } from '../parts/figures.ts';
import { Card } from '../parts/page.tsx';
import { callsOf } from './links.ts';

/** Number of calls by end reason, as a bar chart made of a list of links. */
export const EndReasons = ({ overview: { days, end_reasons: reasons } }: { overview: Overview }) => {
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
