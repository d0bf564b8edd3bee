/** Rehearsal suites: parsing and results. */
import { globSync, readFileSync } from 'node:fs';
import test from 'ava';
import { caseLines, changeLines, closingLines } from '#src/commands/rehearse/report.ts';
import type { RehearsedCall, RehearsedCase } from '#src/domain/rehearsal.ts';
import { loadPatterns } from '#src/domain/said-pattern.ts';
import { changesSince, keep } from '#src/rehearsals/comparison.ts';
import { type JournalledStep, createCoverage, statesOf } from '#src/rehearsals/coverage.ts';
import { junitOf } from '#src/rehearsals/junit.ts';
import { readSuite } from '#src/rehearsals/read-suite.ts';
import { outcomeOf, runSuite, type SuiteResult } from '#src/rehearsals/run-suite.ts';
import { judge } from '#src/rehearsals/expectations.ts';
import { suiteJsonSchema } from '#src/rehearsals/suite-schema.ts';

// Suites

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
  title: (_, what) => `reports an error with line and column: ${what}`,
});

const head = 'cases:\n  - name: one\n    caller:\n';

test.serial(wrong, 'no YAML', 'cases:\n  - name: [\n', [[3, 1, /Flow sequence/]]);
test.serial(wrong, 'an unknown step', `${head}      - hear: x\n`, [
  [4, 9, /There is no hear here/],
  [4, 9, /A step does one thing/],
]);
test.serial(wrong, 'two actions in a step', `${head}      - says: x\n        hears: y\n`, [
  [4, 9, /A step does one thing/],
]);
test.serial(wrong, 'words with NUL', `${head}      - says: "a\\0b"\n`, [[4, 15, /must not contain NUL/]]);
test.serial(wrong, 'a slow regular expression', `${head}      - hears: /(?=x)y/\n`, [
  [4, 16, /neither ahead/],
]);
test.serial(wrong, 'an invalid regular expression', `${head}      - hears: /(x/\n`, [
  [4, 16, /This is no regular expression/],
]);
test.serial(
  wrong,
  'an unknown state',
  `${head}      - hangs_up: true\n    expect:\n      visits: [nowhere]\n`,
  [[6, 16, /no state nowhere/]],
);
test.serial(
  wrong,
  'an unknown end reason',
  `${head}      - hangs_up: true\n    expect: { end_reason: tired }\n`,
  [[5, 27, /expected one of "agent_hangup"/]],
);
test.serial(
  wrong,
  'the wrong direction',
  'cases:\n  - name: one\n    direction: outbound\n    caller: [{ hangs_up: true }]\n',
  [[4, 13, /An outbound call has a callee/]],
);
test.serial(
  wrong,
  'a duplicate name',
  `${head}      - hangs_up: true\n  - name: one\n    caller: [{ hangs_up: true }]\n`,
  [[5, 11, /Another case has this name/]],
);

test.serial(
  wrong,
  'a persona before the last step',
  `${head}      - persona: Anna\n        goal: Book\n      - hangs_up: true\n`,
  [[4, 18, /A persona is the last step/]],
);
test.serial(wrong, 'a persona without a goal', `${head}      - persona: Anna\n`, [
  [4, 9, /A persona has a goal/],
]);
test.serial(
  wrong,
  'the goal of a case without a persona',
  `${head}      - hangs_up: true\n    expect: { goal: reached }\n`,
  [[5, 21, /Only a persona has a goal/]],
);

test.serial('the included suites are valid and name their schema', (t) => {
  const files = globSync('*.yaml', { cwd: examples });
  t.is(files.length, 3);
  for (const file of files) {
    const text = readFileSync(new URL(file, examples), 'utf8');
    t.deepEqual(readSuite(text, readPattern).problems, undefined, file);
    t.true(text.startsWith('# yaml-language-server: $schema=./suite.schema.json\n'), file);
  }
});

test.serial('the JSON schema for editors equals the schema that reads suites', (t) => {
  const written: unknown = JSON.parse(readFileSync(new URL('suite.schema.json', examples), 'utf8'));
  t.deepEqual(written, JSON.parse(JSON.stringify(suiteJsonSchema())));
});

// Results

const failed = (message: string, turn: number | null = null): RehearsedCall => ({
  callId: 'call-1',
  failures: [{ message, turn }],
  persona: null,
  verdicts: [],
});
const transcripts = new Map([
  [
    'call-1',
    ['One', 'Two', 'Three', 'Four & <five>'].map((text, index) => ({
      role: index % 2 === 0 ? ('user' as const) : ('assistant' as const),
      text,
    })),
  ],
]);
const good: RehearsedCall = { callId: 'call-2', failures: [], persona: null, verdicts: [] };
const result = (name: string, ...runs: RehearsedCall[]): RehearsedCase => {
  const passed = runs.filter(({ failures }) => failures.length === 0).length;
  return { name, outcome: outcomeOf(passed, runs.length), passed, runs, tookSec: 1.5 };
};

const suite = (...cases: RehearsedCase[]): SuiteResult => ({
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

test.serial('prints a failed case with the words around the failure', (t) => {
  const text = caseLines(result('says goodbye', failed('never_says: …', 1)), transcripts, plain);
  t.regex(text, /✘ says goodbye \(1\.5 s\)\n {4}never_says: …\n/);
  t.regex(text, / {8}other party: One\n {6}> agent: Two\n/);
  t.regex(text, /call call-1\n$/);
});

test.serial('prints verdicts of the language model with their reasons, and the end of a persona', (t) => {
  const judged: RehearsedCall = {
    ...good,
    persona: { outcome: 'given_up', reason: 'No table is free.' },
    verdicts: [{ statement: 'The agent is polite', holds: true, reason: 'It said please.' }],
  };
  const text = caseLines(result('one', judged), transcripts, plain);
  t.regex(text, /✔ one[^\n]*\n {4}“The agent is polite” holds: It said please\.\n/);
  t.regex(text, /the person: given up: No table is free\.\n$/);
});

test.serial('prints how often a flaky case passed', (t) => {
  const flaky = result('one', good, failed('x'), good);
  t.regex(caseLines(flaky, transcripts, plain), /~ one: flaky, passed 2 of 3/);
});

test.serial('prints the states that were not visited', (t) => {
  const text = closingLines(suite(result('one', good), result('two', failed('x'))), plain);
  t.regex(text, /2 cases: 1 passed, 1 failed/);
  t.regex(text, /call: states 1\/2, transitions 0\/2\n {2}never in over\n {2}never taken a → b, over\n/);
});

test.serial('counts failures and flaky cases in JUnit XML, and escapes words', (t) => {
  const all = suite(result('a "b"', good), result('<c>', failed('says: “\u{0}x”'), good));
  const xml = junitOf('suite & more', all, transcripts);
  t.regex(xml, /<testsuite name="suite &amp; more" tests="2" failures="1"/);
  t.regex(xml, /<testcase classname="suite &amp; more" name="a &quot;b&quot;" time="1\.500"><\/testcase>/);
  t.regex(xml, /name="&lt;c&gt;"[^>]*><failure message="flaky: passed 1 of 2; says: “x”">/);
  t.regex(xml, /assistant: Four &amp; &lt;five&gt;<\/failure>/);
  t.false(xml.includes('\u{0}'));
});

test.serial('judges by whom a call was answered, at any time', (t) => {
  const call = {
    status: 'completed',
    endReason: null,
    durationSec: 20,
    transferTo: null,
    turns: [],
    facts: [],
    latenciesMs: [],
    states: new Set<string>(),
  };
  const failures = (answeredBy: readonly string[]): string[] =>
    judge({ answered_by: 'screening' }, { ...call, answeredBy }, readPattern).map(({ message }) => message);
  t.deepEqual(failures(['screening', 'human']), []);
  t.deepEqual(failures(['machine', 'human']), [
    'answered_by: screening was expected, and it was machine, then human',
  ]);
  t.deepEqual(failures([]), ['answered_by: screening was expected, and it was not judged']);
});

test.serial('compares a run with an earlier one', (t) => {
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

// Coverage

const steps: JournalledStep[] = [
  { event: '(begin)', call: 'ringing.alerting', conversation: null },
  { event: 'line.answered', call: 'active.talking.conversing', conversation: 'replying.thinking' },
  { event: 'call.answered', call: 'active.talking.conversing', conversation: 'replying.thinking' },
  { event: 'reply.sentence', call: 'active.talking.conversing', conversation: 'replying.speaking' },
  { event: 'line.speech', call: 'active.talking.conversing', conversation: 'listening.hearing' },
  { event: 'line.heard', call: 'active.talking.conversing', conversation: 'replying.thinking' },
  { event: 'line.ended', call: 'active.hung-up', conversation: 'closing' },
  { event: 'agent.quiet', call: 'completed', conversation: null },
];

const taken = (chart: string, steps: JournalledStep[]): ((name: string) => boolean) => {
  const coverage = createCoverage();
  const never = (): readonly string[] =>
    coverage.report().find((one) => one.chart === chart)?.transitions.never ?? [];
  const before = never();
  coverage.add(steps);
  const after = never();
  return (name) => before.some((one) => one.startsWith(name)) && !after.some((one) => one.startsWith(name));
};

test.serial('counts no visited state without a call', (t) => {
  for (const { states, transitions } of createCoverage().report()) {
    t.is(states.visited + transitions.visited, 0);
    t.is(states.never.length, states.all);
    t.is(transitions.never.length, transitions.all);
  }
});

test.serial('finds each journalled transition among the arrows of the chart', (t) => {
  const isTaken = taken('call', steps);
  t.true(isTaken('ringing.alerting → active:'));
  t.true(isTaken('active.talking → active.hung-up:'));
  t.false(isTaken('active.talking.conversing → active.talking.transferring:'));
});

test.serial('counts transient states and the paths through them as visited', (t) => {
  const isTaken = taken('call', steps);
  t.true(isTaken('active.hung-up → over:'));
  t.true(isTaken('over → completed:'));
  t.false(isTaken('over → failed:'));
  const isTakenInConversation = taken('conversation', steps);
  t.true(isTakenInConversation('opening → replying:'));
  t.false(isTakenInConversation('opening → saying:'));
});

test.serial('counts an eventless transition that follows an event without a target', (t) => {
  const isTaken = taken('conversation', steps);
  t.true(isTaken('listening → replying:'));
  t.true(isTaken('replying → listening.hearing:'));
  t.true(isTaken('replying → replying.speaking:'));
});

test.serial('sums coverage and counts outer states as visited with inner ones', (t) => {
  const coverage = createCoverage();
  coverage.add(steps);
  for (const { states, transitions } of coverage.report())
    for (const { visited, all, never } of [states, transitions]) t.is(visited + never.length, all);
  const states = statesOf(steps);
  for (const state of ['active', 'active.talking', 'active.talking.conversing', 'listening', 'closing'])
    t.true(states.has(state), state);
  t.false(states.has('active.bridged'));
});

// Failures of a run

test.serial(
  'places no further call after a case that could not be run, and hangs up the others',
  async (t) => {
    const { suite, problems } = readSuite(
      ['one', 'two', 'three', 'four']
        .map((name) => `  - name: ${name}\n    caller: [{ hangs_up: true }]\n`)
        .reduce((text, one) => text + one, 'cases:\n'),
      readPattern,
    );
    t.is(problems, undefined);
    if (suite === undefined) return;
    const away = new Error('the database is away');
    const secondIsPlaced = Promise.withResolvers<void>();
    const hungUp: string[] = [];
    let placed = 0;
    const callIn = async (): Promise<string> => {
      placed += 1;
      if (placed === 2) secondIsPlaced.resolve();
      return String(placed);
    };
    const running = runSuite(
      suite,
      {
        calls: {
          callIn,
          callOut: callIn,
          async ended(callId, signal) {
            if (callId === '1') {
              await secondIsPlaced.promise;
              throw away;
            }
            await new Promise((resolve) => signal.addEventListener('abort', resolve));
            hungUp.push(callId);
            signal.throwIfAborted();
            throw new Error('It was not aborted');
          },
        },
        judge: null,
        readPattern,
        signal: new AbortController().signal,
      },
      { repeat: 1, parallel: 2, now: () => 0, onProgress() {} },
    );
    t.is(await t.throwsAsync(running), away);
    t.deepEqual([placed, hungUp], [2, ['2']]);
  },
);
