/**
 * Judges whether a regular expression takes time proportional to the text. recheck builds the automaton of an
 * expression, or searches for attack strings where it cannot. recheck does not analyse lookaheads and lookbehinds, so
 * unbounded repetition in them is rejected.
 *
 * The optional native and Java backends of recheck are excluded by `overrides` in package.json.
 */
import { checkSync } from 'recheck';
import type { Expression } from './read-expressions.ts';

process.env['RECHECK_SYNC_BACKEND'] = 'pure';

const withoutCharacters = (source: string): string =>
  source.replaceAll(/\\p\{[^}]*\}|\\[^]/g, 'x').replaceAll(/\[[^\]]*\]/g, 'x');

const repeatsWithoutBound = (source: string): boolean => /[*+]|\{\d+,\}/.test(withoutCharacters(source));

/** Bodies of lookaheads and lookbehinds; supports one level of nested parentheses. */
const lookarounds = (source: string): string[] =>
  [...withoutCharacters(source).matchAll(/\(\?<?[=!]((?:[^()]|\([^()]*\))*)\)/g)].map(
    ([, inner = '']) => inner,
  );

export const shownExpression = ({ source, flags }: Expression): string => `/${source}/${flags}`;

/** False for expressions that are linear because they repeat nothing without a bound. */
export const needsAnalysis = ({ source }: Expression): boolean => repeatsWithoutBound(source);

/** Returns why an expression can take more than linear time; undefined if it cannot. Takes up to seconds. */
export const problemOf = (expression: Expression): string | undefined => {
  const { source, flags } = expression;
  const shown = shownExpression(expression);
  if (!needsAnalysis(expression)) return undefined;
  if (lookarounds(source).some(repeatsWithoutBound))
    return `${shown} repeats without a bound in a lookaround`;
  // The limits are counts, not times: a busy machine reaches the same verdict.
  // A sticky expression is tried at one position only.
  const isSticky = flags.includes('y');
  const verdict = checkSync(isSticky ? `^(?:${source})` : source, flags.replace('y', ''), {
    timeout: null,
    attackTimeout: null,
    incubationTimeout: null,
    randomSeed: 1,
    maxIteration: 4,
  });
  if (verdict.status === 'safe') return undefined;
  return verdict.status === 'vulnerable'
    ? `${shown} is ${verdict.complexity.summary}, for example with ${verdict.attack.pattern}`
    : `${shown} cannot be judged: ${JSON.stringify(verdict.error)}`;
};
