/** Journal of a simulation, one line for each event in order: two runs of a seed write the same bytes. */
import { createHash } from 'node:crypto';

export type SimulationJournal = {
  note(line: string): void;
  lines(): readonly string[];
  /** Hash of all lines. */
  digest(): string;
};

export const createSimulationJournal = (now: () => number, beginningMs: number): SimulationJournal => {
  const lines: string[] = [];
  return {
    note: (line) => void lines.push(`${((now() - beginningMs) / 1_000).toFixed(3).padStart(9)} ${line}`),
    lines: () => lines,
    digest: () => createHash('sha256').update(lines.join('\n')).digest('hex').slice(0, 16),
  };
};
