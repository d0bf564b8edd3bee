/** Reads a suite from YAML and reports errors with their position in the file. */
import { isMap, isScalar, LineCounter, parseDocument, type Document, type Node } from 'yaml';
import type { z } from 'zod';
import { stateNames } from './coverage.ts';
import { isPattern, type ReadPattern } from '#src/domain/said-pattern.ts';
import { suiteSchema, type Suite } from './suite-schema.ts';

/** A problem at a position in the file. Lines and columns count from 1. */
export type SuiteProblem = { line: number; column: number; message: string };

type Path = readonly PropertyKey[];
type Found = { path: Path; message: string };

/** Returns the YAML node at a path, or the nearest node above. */
const nodeAt = (document: Document, path: Path): unknown => {
  for (let length = path.length; length > 0; length -= 1) {
    const node: unknown = document.getIn(path.slice(0, length), true);
    if (node !== undefined) return node;
  }
  return document.contents;
};

/** Returns the node of an unknown key, so that the error is reported at the key itself. */
const keyOf = (document: Document, path: Path, key: string): unknown => {
  const map = path.length === 0 ? document.contents : document.getIn(path, true);
  if (!isMap(map)) return map;
  return map.items.find((pair) => isScalar(pair.key) && pair.key.value === key)?.key ?? map;
};

const hasRange = (node: unknown): node is Pick<Node, 'range'> =>
  typeof node === 'object' && node !== null && 'range' in node;

const offsetOf = (node: unknown): number => (hasRange(node) ? (node.range?.[0] ?? 0) : 0);

/** Returns the most specific error of a failed union. */
const innermost = (issue: z.core.$ZodIssue): z.core.$ZodIssue => {
  if (issue.code !== 'invalid_union') return issue;
  const closest = issue.errors.map(([first]) => first).findLast((first) => first !== undefined);
  if (closest === undefined) return issue;
  return innermost({ ...closest, path: [...issue.path, ...closest.path] });
};

const checkPatterns = (suite: Suite, read: ReadPattern): Found[] => {
  const found: Found[] = [];
  const check = (source: string, ...path: PropertyKey[]): void => {
    const pattern = read(source);
    if (!isPattern(pattern)) found.push({ path, message: pattern.problem });
  };
  for (const [index, { caller, callee, expect }] of suite.cases.entries()) {
    const who = caller === undefined ? 'callee' : 'caller';
    for (const [place, { hears }] of (caller ?? callee ?? []).entries())
      if (hears !== undefined) check(hears, 'cases', index, who, place, 'hears');
    for (const name of ['says', 'never_says'] as const)
      for (const [place, source] of (expect?.[name] ?? []).entries())
        check(source, 'cases', index, 'expect', name, place);
    for (const [place, state] of (expect?.visits ?? []).entries())
      if (!stateNames.has(state))
        found.push({
          path: ['cases', index, 'expect', 'visits', place],
          message: `There is no state ${state} in the charts call and conversation`,
        });
  }
  return found;
};

export const readSuite = (
  text: string,
  readPattern: ReadPattern,
): { suite: Suite; problems?: never } | { suite?: never; problems: readonly SuiteProblem[] } => {
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false });
  const placed = (offset: number, message: string): SuiteProblem => {
    const { line, col } = lines.linePos(offset);
    return { line, column: col, message };
  };
  if (document.errors.length > 0)
    return { problems: document.errors.map(({ pos, message }) => placed(pos[0], message)) };
  const parsed = suiteSchema.safeParse(document.toJS());
  if (!parsed.success)
    return {
      problems: parsed.error.issues
        .map(innermost)
        .flatMap((issue) =>
          issue.code === 'unrecognized_keys'
            ? issue.keys.map((key) =>
                placed(offsetOf(keyOf(document, issue.path, key)), `There is no ${key} here`),
              )
            : [placed(offsetOf(nodeAt(document, issue.path)), issue.message)],
        ),
    };
  const problems = checkPatterns(parsed.data, readPattern);
  if (problems.length === 0) return { suite: parsed.data };
  return { problems: problems.map(({ path, message }) => placed(offsetOf(nodeAt(document, path)), message)) };
};
