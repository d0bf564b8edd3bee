/**
 * Every regular expression of the gateway takes time in proportion to the text: whoever calls, answers or asks can
 * write the text that it is slow on, and one thread serves all calls. Most are judged by recheck, which builds the
 * automaton of an expression, or breeds attacks where it cannot. It does not look into what stands ahead or behind, so
 * nothing may repeat without a bound there.
 *
 * An expression that fails is to be written in another way: without two neighbours that take the same characters, with
 * `(?<!x)x+` for the beginning of a run, `[^<>]` instead of `[^>]` behind a `<`, or a bound; or as a few lines of code.
 *
 * recheck's other editions, a Java archive and programs for each system, are left out by `overrides` in package.json.
 * What it found linear once is not given to it again, for it takes half a minute for them all.
 */
import { globSync, readFileSync } from 'node:fs';
import { setImmediate } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import test from 'ava';
import { checkSync } from 'recheck';
import { keptVerdicts } from './helpers/kept-verdicts.ts';
import { readExpressions, type Expression } from './helpers/read-expressions.ts';

process.env['RECHECK_SYNC_BACKEND'] = 'pure';

const root = fileURLToPath(new URL('..', import.meta.url));

/** The console runs in the browser of the person who uses it. */
const files = globSync('{config,machines,sip,src}/**/*.{ts,tsx,mjs}', { cwd: root })
  .filter((path) => !path.startsWith('src/console/'))
  .sort();

const withoutCharacters = (source: string): string =>
  source.replaceAll(/\\p\{[^}]*\}|\\[^]/g, 'x').replaceAll(/\[[^\]]*\]/g, 'x');

const repeatsWithoutBound = (source: string): boolean => /[*+]|\{\d+,\}/.test(withoutCharacters(source));

/** What stands within the looks ahead and behind; they hold no parentheses of their own but simple ones. */
const looksAround = (source: string): string[] =>
  [...withoutCharacters(source).matchAll(/\(\?<?[=!]((?:[^()]|\([^()]*\))*)\)/g)].map(
    ([, inner = '']) => inner,
  );

const kept = keptVerdicts('regular-expressions', [
  readFileSync(import.meta.filename, 'utf8'),
  readFileSync(`${root}node_modules/recheck/package.json`, 'utf8'),
]);

test.after('what was found linear is kept for the next run', () => kept.save());

/** Why this expression may take longer than in proportion; undefined when it does not. */
const problem = ({ source, flags }: Expression): string | undefined => {
  const shown = `/${source}/${flags}`;
  if (!repeatsWithoutBound(source)) return undefined;
  if (looksAround(source).some(repeatsWithoutBound))
    return `${shown} repeats without a bound in a look around`;
  if (kept.isGood(shown)) return undefined;
  // Limits are counted, never timed: a busy machine comes to the same verdict.
  // What is sticky is tried at one place.
  const isSticky = flags.includes('y');
  const verdict = checkSync(isSticky ? `^(?:${source})` : source, flags.replace('y', ''), {
    timeout: null,
    attackTimeout: null,
    incubationTimeout: null,
    randomSeed: 1,
    maxIteration: 4,
  });
  if (verdict.status === 'safe') {
    kept.addGood(shown);
    return undefined;
  }
  return verdict.status === 'vulnerable'
    ? `${shown} is ${verdict.complexity.summary}, for one with ${verdict.attack.pattern}`
    : `${shown} cannot be judged: ${JSON.stringify(verdict.error)}`;
};

const slow = test.macro<[source: string, flags?: string]>({
  exec: (t, source, flags = '') => t.not(problem({ source, flags }), undefined),
  title: (_, source) => `/${source}/ is seen to be slow`,
});

test(slow, '^(?:아+하?|응+)+$', 'u');
test(slow, String.raw`\/+$`);
test(slow, String.raw`\s*,\s*`);
test(slow, '<([^>]+)>');
test(slow, String.raw`!?\[(?![^\]]*\])`, 'gu');
test(slow, String.raw`(?<!\[[^\]]*)\]`, 'gu');
test(slow, String.raw`(\w+)\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^\s,]+))`, 'g');

test('literals, and what is made of known texts, are read; what is made while the program runs is told', (t) => {
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

const seen = new Set<string>();
let count = 0;

for (const path of files) {
  const { expressions, unknown } = readExpressions(path, readFileSync(`${root}${path}`, 'utf8'));
  count += expressions.length;
  const own = expressions.filter((one) => !seen.has(`${one.source}/${one.flags}`));
  for (const { source, flags } of own) seen.add(`${source}/${flags}`);
  if (own.length === 0 && unknown.length === 0) continue;
  test.serial(`the expressions of ${path} take time in proportion to the text`, async (t) => {
    // Lets the runner hear of the tests before.
    await setImmediate();
    t.deepEqual(unknown, [], 'they are made while the program runs, and cannot be judged');
    t.deepEqual(
      own.map(problem).filter((why) => why !== undefined),
      [],
    );
  });
}

test('there are expressions to judge', (t) => {
  t.true(count > 250, String(count));
});
