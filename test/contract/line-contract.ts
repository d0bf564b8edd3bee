/**
 * The contract of a line (`machines/line.ts`) as a suite that every driver runs. A driver brings its line and, for
 * each kind of far end that it can reach, the number to dial.
 */
import { createClause, type DeclareTest } from './clause.ts';
import { answerClauses } from './line/answers.ts';
import { closeClauses, endClauses } from './line/ends.ts';
import { hearingClauses } from './line/hearing.ts';
import { keyClauses } from './line/keys.ts';
import { utteranceClauses } from './line/utterances.ts';
import type { FarEndKind, LineDriver } from './line-driver.ts';

export const lineContract = (
  test: DeclareTest,
  name: string,
  makeDriver: () => LineDriver | Promise<LineDriver>,
  /** The far ends that this driver cannot reach: their clauses are reported as not run. */
  unreached: readonly FarEndKind[] = [],
): void => {
  const clause = createClause(test, name, makeDriver, unreached);
  answerClauses(clause);
  utteranceClauses(clause);
  hearingClauses(clause);
  keyClauses(clause);
  endClauses(clause);
  closeClauses(clause);
};
