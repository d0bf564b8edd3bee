/**
 * Expressions that were judged linear before, in `linear-expressions.json`: analysing all of them takes a minute. The
 * verdicts count only for the version of recheck and the text of `judge-expression.ts` that they were made with.
 */
import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';

const file = join(import.meta.dirname, 'linear-expressions.json');

const recordSchema = z.object({ judge: z.string(), linear: z.array(z.string()) });

const recheckSchema = z.object({ version: z.string() });

const judge = (): string => {
  const recheck = join(import.meta.dirname, '../../node_modules/recheck/package.json');
  const { version } = recheckSchema.parse(JSON.parse(readFileSync(recheck, 'utf8')));
  const code = createHash('sha256').update(readFileSync(join(import.meta.dirname, 'judge-expression.ts')));
  return `recheck ${version}, judge-expression.ts ${code.digest('hex')}`;
};

/** Returns the recorded linear expressions; none if they were judged differently. */
export const readLinear = (): ReadonlySet<string> => {
  const record = recordSchema.parse(JSON.parse(readFileSync(file, 'utf8')));
  return new Set(record.judge === judge() ? record.linear : []);
};

export const writeLinear = (linear: Iterable<string>): void =>
  writeFileSync(file, `${JSON.stringify({ judge: judge(), linear: [...linear].sort() }, null, 2)}\n`);
