import test from 'ava';
import { caseLines, changeLines, closingLines } from '#src/commands/rehearse/report.ts';
import { changesSince, keep } from '#src/rehearsals/comparison.ts';
import { junitOf } from '#src/rehearsals/junit.ts';
import type { CaseResult, SuiteResult } from '#src/rehearsals/run-suite.ts';

const failed = (message: string, turn: number | null = null): CaseResult['runs'][number] => ({
  callId: 'call-1',
  failures: [{ message, turn }],
  turns: ['One', 'Two', 'Three', 'Four & <five>'].map((text, index) => ({
    role: index % 2 === 0 ? ('user' as const) : ('assistant' as const),
    text,
  })),
  steps: [],
});
const good = { callId: 'call-2', failures: [], turns: [], steps: [] };
const result = (name: string, ...runs: CaseResult['runs']): CaseResult => {
  const passed = runs.filter(({ failures }) => failures.length === 0).length;
  const outcome = passed === runs.length ? 'passed' : passed === 0 ? 'failed' : 'flaky';
  return { name, outcome, passed, runs, tookSec: 1.5 };
};

const suite = (...cases: CaseResult[]): SuiteResult => ({
  cases,
  coverage: [
    {
      chart: 'call',
      states: { visited: 1, all: 2, never: ['over'] },
      transitions: { visited: 0, all: 2, never: ['a → b: x', 'a → over: y, z'] },
    },
  ],
});

const plain = (_style: string, text: string): string => text;

test('a failed case is told with what was said around it', (t) => {
  const text = caseLines(result('says goodbye', failed('never_says: …', 1)), plain);
  t.regex(text, /✘ says goodbye \(1\.5 s\)\n {4}never_says: …\n/);
  t.regex(text, / {8}other party: One\n {6}> agent: Two\n/);
  t.regex(text, /call call-1\n$/);
});

test('a flaky case is told by how often it passed', (t) => {
  t.regex(caseLines(result('one', good, failed('x'), good), plain), /~ one: flaky, passed 2 of 3/);
});

test('what was never visited is named', (t) => {
  const text = closingLines(suite(result('one', good), result('two', failed('x'))), plain);
  t.regex(text, /2 cases: 1 passed, 1 failed/);
  t.regex(text, /call: states 1\/2, transitions 0\/2\n {2}never in over\n {2}never taken a → b, over\n/);
});

test('JUnit XML counts what failed, flaky ones too, and escapes what was said', (t) => {
  const all = suite(result('a "b"', good), result('<c>', failed('says: “\u{0}x”'), good));
  const xml = junitOf('suite & more', all);
  t.regex(xml, /<testsuite name="suite &amp; more" tests="2" failures="1"/);
  t.regex(xml, /<testcase classname="suite &amp; more" name="a &quot;b&quot;" time="1\.500"><\/testcase>/);
  t.regex(xml, /name="&lt;c&gt;"[^>]*><failure message="flaky: passed 1 of 2; says: “x”">/);
  t.regex(xml, /assistant: Four &amp; &lt;five&gt;<\/failure>/);
  t.false(xml.includes('\u{0}'));
});

test('a later run is compared with an earlier one', (t) => {
  const before = keep(suite(result('one', good), result('two', failed('x')), result('three', good)));
  const now = keep(suite(result('one', good, failed('x')), result('two', good), result('four', good)));
  const changes = changesSince(before, now);
  t.deepEqual(
    changes.map(({ verdict, what }) => `${verdict} ${what}`),
    [
      'worse one: passed → flaky (passed 1 of 2)',
      'better two: failed → passed',
      'new four: passed',
      'gone three',
    ],
  );
  t.regex(changeLines(changes, plain), /Since the last run:\n {2}worse one/);
  t.deepEqual(changesSince(now, now), []);
});
