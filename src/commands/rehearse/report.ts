/** Report of `npm run rehearse`: each case, the transcript around failures, and unvisited states and transitions. */
import { terminalLine } from '#src/domain/terminal-text.ts';
import type {
  ChartCoverage,
  RehearsalChange,
  RehearsalFailure,
  RehearsalResult,
  RehearsedCall,
  RehearsedCase,
} from '#src/domain/rehearsal.ts';
import { turnsIn, type SpokenTurn, type Transcripts } from '#src/rehearsals/transcripts.ts';

export type Style = (style: 'green' | 'red' | 'yellow' | 'dim', text: string) => string;

const mostTurns = 12;
const turnsAround = 2;

const speakers = { assistant: 'agent', user: 'other party' } as const;

/** Returns the turns around a failure, or the last turns for a failure without a turn. */
const transcript = (turns: readonly SpokenTurn[], { turn }: RehearsalFailure): string[] => {
  const first = turn === null ? Math.max(0, turns.length - mostTurns) : Math.max(0, turn - turnsAround);
  const end = turn === null ? turns.length : turn + turnsAround + 1;
  return turns
    .slice(first, end)
    .map(
      ({ role, text }, index) =>
        `${first + index === turn ? '>' : ' '} ${speakers[role]}: ${terminalLine(text)}`,
    );
};

/** Verdicts of the language model with their reasons, and the end of a persona. */
const modelLines = ({ verdicts, persona }: RehearsedCall, style: Style): string[] =>
  [
    ...verdicts.map(
      ({ statement, holds, reason }) => `“${statement}” ${holds ? 'holds' : 'does not hold'}: ${reason}`,
    ),
    ...(persona === null ? [] : [`the person: ${persona.outcome.replace('_', ' ')}: ${persona.reason}`]),
  ].map((line) => style('dim', `    ${terminalLine(line)}`));

const failedRun = (run: RehearsedCall, turns: readonly SpokenTurn[], style: Style): string[] => [
  ...run.failures.flatMap((failure, index) => [
    style('red', `    ${terminalLine(failure.message)}`),
    // For several failures without a turn, the transcript is printed once after the last.
    ...(failure.turn !== null || index === run.failures.length - 1
      ? transcript(turns, failure).map((line) => style('dim', `      ${line}`))
      : []),
  ]),
  ...modelLines(run, style),
  ...(run.callId === null ? [] : [style('dim', `      call ${run.callId}`)]),
];

export const caseLines = (
  { name: given, outcome, passed, runs, tookSec }: RehearsedCase,
  transcripts: Transcripts,
  style: Style,
): string => {
  const name = terminalLine(given);
  const took = style('dim', `(${tookSec.toFixed(1)} s)`);
  if (outcome === 'passed')
    return [
      `${style('green', '✔')} ${name} ${took}`,
      ...runs.flatMap((run) => modelLines(run, style)),
      '',
    ].join('\n');
  const told =
    outcome === 'flaky'
      ? `${style('yellow', '~')} ${name}: flaky, passed ${passed} of ${runs.length} ${took}`
      : `${style('red', '✘')} ${name}${runs.length === 1 ? '' : `: failed ${runs.length} of ${runs.length}`} ${took}`;
  const failed = runs.filter(({ failures }) => failures.length > 0);
  return [told, ...failed.flatMap((run) => failedRun(run, turnsIn(transcripts, run.callId), style)), ''].join(
    '\n',
  );
};

/** Groups transitions by their origin, one line for each state. */
const byOrigin = (transitions: readonly string[]): string[] => {
  const targets = new Map<string, string[]>();
  for (const name of transitions) {
    const [from = '', rest = ''] = name.split(' → ');
    targets.set(from, [...(targets.get(from) ?? []), rest.slice(0, rest.indexOf(': '))]);
  }
  return [...targets].map(([from, to]) => `${from} → ${to.join(', ')}`);
};

const chartLines = ({ chart, states, transitions }: ChartCoverage, style: Style): string[] => [
  `${chart}: states ${states.visited}/${states.all}, transitions ${transitions.visited}/${transitions.all}`,
  ...(states.never.length === 0 ? [] : [style('dim', `  never in ${states.never.join(', ')}`)]),
  ...byOrigin(transitions.never).map((name) => style('dim', `  never taken ${name}`)),
];

export const closingLines = (
  { cases, coverage }: Pick<RehearsalResult, 'cases' | 'coverage'>,
  style: Style,
): string => {
  const count = (outcome: RehearsedCase['outcome']): number =>
    cases.filter((one) => one.outcome === outcome).length;
  const [flaky, failed] = [count('flaky'), count('failed')];
  const others = [
    ...(flaky === 0 ? [] : [style('yellow', `${flaky} flaky`)]),
    ...(failed === 0 ? [] : [style('red', `${failed} failed`)]),
  ];
  return [
    '',
    [`${cases.length} ${cases.length === 1 ? 'case' : 'cases'}: ${count('passed')} passed`, ...others].join(
      ', ',
    ),
    '',
    ...coverage.flatMap((chart) => chartLines(chart, style)),
    '',
  ].join('\n');
};

export const changeLines = (changes: readonly RehearsalChange[], style: Style): string => {
  if (changes.length === 0) return '\nNothing has changed since the last run.\n';
  const colours = { better: 'green', worse: 'red', new: 'yellow', gone: 'yellow' } as const;
  const lines = changes.map(
    ({ verdict, what }) => `  ${style(colours[verdict], verdict)} ${terminalLine(what)}`,
  );
  return ['', 'Since the last run:', ...lines, ''].join('\n');
};
