/**
 * Verdicts of earlier runs: what was found good is not judged again, where a verdict costs much and always comes out
 * the same. It lies with what else is kept between runs, in `node_modules/.cache`, and is forgotten with it.
 */
import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';

const keptFile = z.object({ judge: z.string(), good: z.array(z.string()) });

export type KeptVerdicts = {
  isGood(what: string): boolean;
  addGood(what: string): void;
  /** For the runs after this one. */
  save(): void;
};

const readKept = (path: string, judge: string): readonly string[] => {
  try {
    const kept = keptFile.parse(JSON.parse(readFileSync(path, 'utf8')));
    return kept.judge === judge ? kept.good : [];
  } catch {
    // There is none, or it is torn: everything is judged again.
    return [];
  }
};

/** `judgedBy` is all that a verdict depends on besides what is judged: where it changes, nothing counts any more. */
export const keptVerdicts = (name: string, judgedBy: readonly string[]): KeptVerdicts => {
  const path = fileURLToPath(new URL(`../../node_modules/.cache/verdicts/${name}.json`, import.meta.url));
  const judge = createHash('sha256').update(JSON.stringify(judgedBy)).digest('hex');
  const good = new Set(readKept(path, judge));
  return {
    isGood: (what) => good.has(what),
    addGood: (what) => void good.add(what),
    save() {
      mkdirSync(dirname(path), { recursive: true });
      writeFileSync(path, JSON.stringify({ judge, good: [...good] }));
    },
  };
};
