/** The waits of a number, or of the workspace, over a day or a week. */
import { useState } from 'preact/hooks';
import { getLatency } from '../api.ts';
import type { LatencyReport } from '../api/records.ts';
import { texts } from '../language/language.ts';
import { usePolled } from '../polled.ts';
import { LatencyCard, shareLine } from './latency-card.tsx';
import { Loading } from './page.tsx';

const pollMs = 30_000;

const periods = ['day', 'week'] as const;

/** One line for each kind of agent; a single kind is the line above already. */
const Agents = ({ agents }: Pick<LatencyReport, 'agents'>) => {
  const { latency: t, numbers } = texts.value;
  if (agents.length < 2) return null;
  return (
    <dl class="facts" aria-label={t.agents}>
      {agents.map(({ agent, latency }) => (
        <div key={agent}>
          <dt>{agent === 'builtin' ? numbers.agent.builtin : numbers.agent.types[agent]}</dt>
          <dd>{shareLine(latency)}</dd>
        </div>
      ))}
    </dl>
  );
};

export const LatencyPanel = ({ numberId }: { numberId?: string }) => {
  const t = texts.value.latency;
  const [period, setPeriod] = useState<(typeof periods)[number]>('day');
  const { value, problem } = usePolled(
    `latency ${numberId} ${period}`,
    () => getLatency(period, numberId),
    () => pollMs,
  );
  const choice = (
    <div class="spans" role="group" aria-label={t.period}>
      {periods.map((one) => (
        <button
          key={one}
          type="button"
          aria-pressed={one === period}
          aria-label={`${t.title}: ${t.periods[one]}`}
          onClick={() => setPeriod(one)}
        >
          {t.periods[one]}
        </button>
      ))}
    </div>
  );
  if (problem !== undefined) return null;
  if (value === undefined) return <Loading />;
  return (
    <LatencyCard now={value.current} before={value.before} beside={choice}>
      <Agents agents={value.agents} />
    </LatencyCard>
  );
};
