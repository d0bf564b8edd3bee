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
  const hash = createHash('sha256');
  return {
    note(line) {
      const text = `${((now() - beginningMs) / 1_000).toFixed(3).padStart(9)} ${line}`;
      lines.push(text);
      hash.update(`${text}\n`);
    },
    lines: () => lines,
    digest: () => hash.copy().digest('hex').slice(0, 16),
  };
};
