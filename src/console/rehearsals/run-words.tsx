/** The state of a run in words. */
import type { Rehearsal } from '../api/records.ts';
import { rehearsalWords } from '../language/rehearsal-words.ts';
import { Pill, type Tone } from '../parts/pill.tsx';

const tones: Readonly<Record<Rehearsal['status'], Tone>> = {
  queued: 'calm',
  running: 'live',
  passed: 'fine',
  failed: 'bad',
  cancelled: 'calm',
  interrupted: 'warn',
};

export const RunState = ({ status }: Pick<Rehearsal, 'status'>) => (
  <Pill tone={tones[status]}>{rehearsalWords.value.status[status]}</Pill>
);

export const isUnfinished = ({ status }: Pick<Rehearsal, 'status'>): boolean =>
  status === 'queued' || status === 'running';

/** Numbers of cases by outcome, or of calls while the run goes on. */
export const countsOf = (run: Rehearsal): string => {
  const t = rehearsalWords.value;
  const counts = (['passed', 'flaky', 'failed'] as const)
    .filter((outcome) => run.cases[outcome] > 0)
    .map((outcome) => t.counts[outcome](run.cases[outcome]));
  return [...(isUnfinished(run) ? [t.calls(run.calls_done, run.calls)] : []), ...counts].join(' · ');
};
