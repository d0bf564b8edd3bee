import { globSync, readFileSync } from 'node:fs';
import test from 'ava';
import { loadPatterns } from '#src/domain/said-pattern.ts';
import { readSuite } from '#src/rehearsals/read-suite.ts';
import { suiteJsonSchema } from '#src/rehearsals/suite-schema.ts';

const examples = new URL('../../examples/rehearsals/', import.meta.url);
const readPattern = await loadPatterns();

const wrong = test.macro<[string, string, [line: number, column: number, message: RegExp][]]>({
  exec(t, _, text, expected) {
    const { problems = [] } = readSuite(text, readPattern);
    t.deepEqual(
      problems.map(({ line, column }) => [line, column]),
      expected.map(([line, column]) => [line, column]),
    );
    for (const [index, [, , message]] of expected.entries()) t.regex(problems[index]?.message ?? '', message);
  },
  title: (_, what) => `where it is wrong is told by line and column: ${what}`,
});

const head = 'cases:\n  - name: one\n    caller:\n';

test(wrong, 'no YAML', 'cases:\n  - name: [\n', [[3, 1, /Flow sequence/]]);
test(wrong, 'a step that nobody knows', `${head}      - hear: x\n`, [
  [4, 9, /There is no hear here/],
  [4, 9, /A step does one thing/],
]);
test(wrong, 'two things in a step', `${head}      - says: x\n        hears: y\n`, [
  [4, 9, /A step does one thing/],
]);
test(wrong, 'an expression that may take long', `${head}      - hears: /(?=x)y/\n`, [
  [4, 16, /neither ahead/],
]);
test(wrong, 'no expression', `${head}      - hears: /(x/\n`, [[4, 16, /This is no regular expression/]]);
test(wrong, 'a state of no chart', `${head}      - hangs_up: true\n    expect:\n      visits: [nowhere]\n`, [
  [6, 16, /no state nowhere/],
]);
test(
  wrong,
  'an end that there is not',
  `${head}      - hangs_up: true\n    expect: { end_reason: tired }\n`,
  [[5, 27, /expected one of "agent_hangup"/]],
);
test(
  wrong,
  'the wrong direction',
  'cases:\n  - name: one\n    direction: outbound\n    caller: [{ hangs_up: true }]\n',
  [[4, 13, /An outbound call has a callee/]],
);
test(
  wrong,
  'a name that is taken',
  `${head}      - hangs_up: true\n  - name: one\n    caller: [{ hangs_up: true }]\n`,
  [[5, 11, /Another case has this name/]],
);

test('the suites that come with it are right, and name their schema', (t) => {
  const files = globSync('*.yaml', { cwd: examples });
  t.is(files.length, 3);
  for (const file of files) {
    const text = readFileSync(new URL(file, examples), 'utf8');
    t.deepEqual(readSuite(text, readPattern).problems, undefined, file);
    t.true(text.startsWith('# yaml-language-server: $schema=./suite.schema.json\n'), file);
  }
});

test('the schema for editors is what suites are read by', (t) => {
  const written: unknown = JSON.parse(readFileSync(new URL('suite.schema.json', examples), 'utf8'));
  t.deepEqual(written, JSON.parse(JSON.stringify(suiteJsonSchema())));
});
