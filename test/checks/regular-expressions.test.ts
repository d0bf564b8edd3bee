/**
 * Checks that every regular expression of the gateway takes time proportional to the text: callers, agents and API
 * clients can send the text that an expression is slow on, and one thread serves all calls.
 *
 * Rewrite an expression that fails: avoid neighbours that match the same characters, use `(?<!x)x+` for the start of a
 * run, `[^<>]` instead of `[^>]` after a `<`, or a bound; or replace it by a few lines of code.
 */
import { setImmediate } from 'node:timers/promises';
import test from 'ava';
import { needsAnalysis, problemOf, shownExpression } from './judge-expression.ts';
import { allExpressions, readExpressions } from './read-expressions.ts';
import { readLinear } from './recorded-expressions.ts';

const slow = test.macro<[source: string, flags?: string]>({
  exec: (t, source, flags = '') => t.not(problemOf({ source, flags }), undefined),
  title: (_, source) => `classifies /${source}/ as slow`,
});

test(slow, '^(?:아+하?|응+)+$', 'u');
test(slow, String.raw`\/+$`);
test(slow, String.raw`\s*,\s*`);
test(slow, '<([^>]+)>');
test(slow, String.raw`!?\[(?![^\]]*\])`, 'gu');
test(slow, String.raw`(?<!\[[^\]]*)\]`, 'gu');
test(slow, String.raw`(\w+)\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^\s,]+))`, 'g');

test('reads literals and constant RegExp arguments, and reports other RegExp calls', (t) => {
  const text = [
    String.raw`const one: RegExp = /a\/[/]+/gu;`,
    "const letter = '[a-z]'; const word = String.raw`\\b${letter}+`;",
    "export const made = (name: string) => [new RegExp(`^${word}$`, 'i'), new RegExp(`${name}*`), RegExp(name, 'u')];",
    "// /no+/ 'and /none+/'",
  ].join('\n');
  t.deepEqual(readExpressions('some.ts', text), {
    expressions: [
      { source: String.raw`a\/[/]+`, flags: 'gu' },
      { source: String.raw`^\b[a-z]+$`, flags: 'i' },
    ],
    unknown: ['new RegExp(`${name}*`)', "RegExp(name, 'u')"],
  });
});

const files = allExpressions();

test('every regular expression is constant', (t) => {
  t.deepEqual(
    files.flatMap(({ path, unknown }) => unknown.map((text) => `${path}: ${text}`)),
    [],
  );
});

test('every regular expression takes linear time', async (t) => {
  const known = new Set(readLinear());
  const problems: string[] = [];
  let count = 0;
  let analysed = 0;
  for (const { path, expressions } of files)
    for (const expression of expressions) {
      count += 1;
      if (!needsAnalysis(expression) || known.has(shownExpression(expression))) continue;
      // Lets the test runner send reports: one analysis takes up to seconds.
      await setImmediate();
      analysed += 1;
      const problem = problemOf(expression);
      if (problem === undefined) known.add(shownExpression(expression));
      else problems.push(`${path}: ${problem}`);
    }
  t.deepEqual(problems, []);
  t.true(count > 250, String(count));
  if (analysed > 0) t.log(`Analysed ${analysed} new expressions. Record them: npm run record-expressions`);
});
