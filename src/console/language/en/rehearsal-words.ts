import type { Saying } from '../explain.ts';

const failures: readonly Saying[] = [];
const suiteProblems: readonly Saying[] = [];

export const rehearsalWords = {
  /** Texts of failed expectations that read differently in this language. */
  failures,
  /** Texts of problems of a suite, which begin with line and column. */
  suiteProblems,
  /** Returns the text of a change since the last run. */
  changed: (what: string) => what,
  lead: 'Simulated callers test your agent. No telephone rings; you pay only for the agent.',
  start: 'Run a suite',
  startHint: 'Suites with personas or rubrics also use the gateway’s language model.',
  suite: 'Suite',
  own: 'Your own suite',
  suites: {
    'good-agent.yaml': 'A good agent',
    'impatient-caller.yaml': 'An impatient caller',
    'things-that-go-wrong.yaml': 'Things that go wrong',
  },
  name: 'Name',
  nameHint: 'Each run is compared with the last run of the same name.',
  yaml: 'Cases in YAML',
  yamlHint: 'Paste the cases or open a file. The guide to rehearsals lists all steps and expectations.',
  open: 'Open a file',
  number: 'Number',
  repeat: 'Calls per case',
  repeatHint: 'A case that passes only sometimes is flaky.',
  parallel: 'Calls at once',
  submit: 'Start',
  runs: 'Runs',
  empty: 'No runs yet',
  emptyHint: 'Run one of the three included suites, or your own.',
  status: {
    queued: 'waiting',
    running: 'running',
    passed: 'passed',
    failed: 'failed',
    cancelled: 'cancelled',
    interrupted: 'interrupted',
  },
  statusHint: {
    queued: 'Waiting for another run on this number.',
    interrupted: 'The gateway stopped before the run ended.',
  },
  calls: (done: number, all: number) => `${done} of ${all} calls`,
  counts: {
    passed: (count: number) => `${count} passed`,
    flaky: (count: number) => `${count} flaky`,
    failed: (count: number) => `${count} failed`,
  },
  cancel: 'Cancel the run',
  cancelTitle: 'Cancel this run?',
  cancelText: 'Its calls will be hung up.',
  again: 'Run again',
  back: 'Rehearsals',
  cases: 'Cases',
  noCases: 'No case has finished yet.',
  outcome: { passed: 'passed', flaky: 'flaky', failed: 'failed' },
  passedOf: (passed: number, runs: number) => `passed ${passed} of ${runs}`,
  seconds: (seconds: string) => `${seconds} s`,
  call: 'Open the call',
  around: 'Show what was said',
  noWords: 'No words of this call are stored.',
  speaker: { assistant: 'Agent', user: 'Other party' },
  persona: {
    reached: 'The person reached the goal',
    given_up: 'The person gave up',
    turn_limit: 'The person did not finish',
    model_failed: 'The language model failed',
  },
  holds: 'holds',
  holdsNot: 'does not hold',
  changes: 'Since the last run',
  unchanged: 'Nothing has changed.',
  verdict: { better: 'better', worse: 'worse', new: 'new', gone: 'gone' },
  coverage: 'Coverage',
  coverageHint: 'Highlighted states and arrows were visited by calls of this run.',
  states: (visited: number, all: number) => `${visited} of ${all} states`,
  transitions: (visited: number, all: number) => `${visited} of ${all} transitions`,
  neverStates: 'States never visited',
  neverTransitions: 'Transitions never taken',
  source: 'The suite',
};

/** Type of these words in any language. */
export type RehearsalWords = typeof rehearsalWords;
