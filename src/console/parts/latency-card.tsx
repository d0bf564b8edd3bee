/** How long the other party waits for replies: one line with the shares, percentiles as bars, and the same as a table. */
import type { ComponentChildren } from 'preact';
import type { LatencySummary } from '../api/records.ts';
import { texts } from '../language/language.ts';
import { count, milliseconds } from './figures.ts';
import { Card } from './page.tsx';

const partNames = ['endpointing', 'gateway', 'agent', 'voice'] as const;

/** Returns the line, such as "420 ms: 310 your agent, 60 end of speech, 50 voice". */
export const shareLine = ({ share }: LatencySummary): string => {
  const t = texts.value.latency;
  const parts = partNames
    .map((name) => ({ name, ms: share[`${name}_ms`] }))
    .filter(({ ms }) => ms > 0)
    .toSorted((one, other) => other.ms - one.ms)
    .map(({ name, ms }) => t.parts[name](count(ms)));
  return t.share(milliseconds(share.wait_ms), parts.join(', '));
};

/** The shares of the median wait as one bar, which repeats the line above it. */
const ShareBar = ({ share }: LatencySummary) => {
  let from = 0;
  return (
    <svg class="share-bar" viewBox="0 0 100 4" preserveAspectRatio="none" aria-hidden="true">
      {partNames.map((name) => {
        const width = share.wait_ms === 0 ? 0 : (share[`${name}_ms`] / share.wait_ms) * 100;
        const x = from;
        from += width;
        return <rect key={name} class={name} x={x} width={width} height={4} />;
      })}
    </svg>
  );
};

const percentiles = ['p50', 'p90', 'p99'] as const;

/** Number of turns below which a percentile is the slowest turn. */
const enough = { p50: 2, p90: 10, p99: 100 } as const;

const slowestOf = ({ turns }: LatencySummary) => percentiles.find((one) => turns < enough[one]);

/** Percentiles of the wait as bars; a mark is the value of the time before. */
const Bars = ({ now, before }: { now: LatencySummary; before: LatencySummary | null }) => {
  const top = Math.max(now.wait_ms.p99, before?.wait_ms.p99 ?? 0, 1);
  return (
    <div class="percentiles" aria-hidden="true">
      {percentiles.map((one) => (
        <p key={one}>
          <span>{one}</span>
          <svg viewBox="0 0 100 4" preserveAspectRatio="none">
            <rect class="track" width={100} height={4} />
            <rect class="wait" width={(now.wait_ms[one] / top) * 100} height={4} />
            {before !== null && (
              <rect class="before" x={(before.wait_ms[one] / top) * 99.2} width={0.8} height={4} />
            )}
          </svg>
          <span class="digits">
            {milliseconds(now.wait_ms[one])}
            {before !== null && (
              <small> {texts.value.latency.before(milliseconds(before.wait_ms[one]))}</small>
            )}
          </span>
        </p>
      ))}
    </div>
  );
};

const stages = [
  'wait_ms',
  'endpointing_ms',
  'first_token_ms',
  'first_sentence_ms',
  'first_audio_ms',
] as const;

const Table = ({ now, before }: { now: LatencySummary; before: LatencySummary | null }) => {
  const t = texts.value.latency;
  return (
    <table class="figures-table">
      <caption class="unseen">{t.title}</caption>
      <thead>
        <tr>
          <th scope="col">{t.stage}</th>
          {percentiles.map((one) => (
            <th key={one} scope="col">
              {one}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {stages.map((stage) => (
          <tr key={stage}>
            <th scope="row">{t.stages[stage]}</th>
            {percentiles.map((one) => (
              <td key={one}>
                {milliseconds(now[stage][one])}
                {before !== null && <small> {t.before(milliseconds(before[stage][one]))}</small>}
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  );
};

export const LatencyCard = ({
  now,
  before,
  beside,
  children,
}: {
  /** Null without a measured turn. */
  now: LatencySummary | null;
  before: LatencySummary | null;
  beside?: ComponentChildren;
  children?: ComponentChildren;
}) => {
  const t = texts.value.latency;
  const slowest = now === null ? undefined : slowestOf(now);
  return (
    <Card title={t.title} lead={t.shareLead} beside={beside}>
      {now === null ? (
        <p>{t.none}</p>
      ) : (
        <>
          <p class="share-line">{shareLine(now)}</p>
          <ShareBar {...now} />
          <Bars now={now} before={before} />
          <p class="hint">
            {t.measured(count(now.turns), count(now.calls))} {slowest !== undefined && t.slowest(slowest)}
          </p>
          {children}
          <details>
            <summary>{t.asTable}</summary>
            <Table now={now} before={before} />
          </details>
        </>
      )}
    </Card>
  );
};
