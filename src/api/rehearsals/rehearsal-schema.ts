import * as z from 'zod';
import { personaOutcomes } from '#src/domain/persona.ts';
import {
  caseOutcomes,
  changeVerdicts,
  coveredCharts,
  rehearsalStatuses,
  type RehearsalRun,
} from '#src/domain/rehearsal.ts';
import { timestamp } from '../fields.ts';

export const exampleSuite = `cases:
  - name: answers who calls in
    caller:
      - says: Are you open today?
      - hears: /\\S{2,}/
      - hangs_up: true
    expect: { end_reason: counterparty_hangup }
`;

const count = z.int().min(0);

export const rehearsal = z
  .object({
    id: z.uuid(),
    suite: z.string().meta({
      description: 'The name of the suite, by which runs are compared.',
      example: 'good-agent.yaml',
    }),
    number: z.string().meta({ description: 'The number whose agent was rehearsed.', example: '07012345678' }),
    number_id: z.uuid(),
    status: z.enum(rehearsalStatuses).meta({
      description:
        '`queued`: another run uses the number. `interrupted`: the gateway of the run ended before the run did.',
      example: 'passed',
    }),
    problem: z
      .string()
      .nullable()
      .meta({ description: 'Why the run ended early; null for a run to its end.', example: null }),
    repeat: z.int().meta({ description: 'Calls of each case.', example: 1 }),
    parallel: z.int().meta({ description: 'Calls at once.', example: 4 }),
    calls: count.meta({ description: 'Calls of the whole run.', example: 3 }),
    calls_done: count.meta({ description: 'Calls that have ended.', example: 3 }),
    cases: z
      .object({
        passed: count.meta({ example: 3 }),
        flaky: count.meta({ example: 0 }),
        failed: count.meta({ example: 0 }),
      })
      .meta({ description: 'Finished cases by outcome.' }),
    started_by: z.string().meta({
      description: 'The admin token that started the run: `admin:` and the id of the token.',
      example: 'admin:0b7c1f64-93d1-4c5e-8a53-5a8f3f1f2f10',
    }),
    created_at: timestamp,
    started_at: timestamp.nullable(),
    ended_at: timestamp.nullable(),
  })
  .meta({ id: 'Rehearsal' });

const share = z.object({
  visited: count.meta({ example: 14 }),
  all: count.meta({ example: 19 }),
  never: z.array(z.string()).meta({ description: 'Those never visited.', example: ['active.bridged'] }),
});

export const rehearsalResults = z
  .object({
    ...rehearsal.shape,
    source: z.string().meta({ description: 'The suite, in YAML.', example: exampleSuite }),
    results: z
      .array(
        z.object({
          name: z.string().meta({ example: 'moves a booking' }),
          outcome: z
            .enum(caseOutcomes)
            .meta({ description: '`flaky`: some of its calls passed.', example: 'passed' }),
          passed: count.meta({ description: 'Calls that passed.', example: 1 }),
          took_sec: z
            .number()
            .meta({ description: 'Duration of all of its calls, in seconds.', example: 21.4 }),
          runs: z.array(
            z.object({
              call_id: z
                .uuid()
                .nullable()
                .meta({ description: 'The call, whose transcript has the words; null if it was refused.' }),
              failures: z
                .array(
                  z.object({
                    message: z.string().meta({ example: 'says: the agent never said /friday/i' }),
                    turn: z.int().nullable().meta({
                      description:
                        'Index of the turn in the transcript, from 0; null if it concerns no turn.',
                      example: null,
                    }),
                  }),
                )
                .meta({ description: 'Expectations that failed; empty if the call passed.' }),
              persona: z
                .object({
                  outcome: z.enum(personaOutcomes),
                  reason: z.string().meta({ example: 'The booking is on Friday now.' }),
                })
                .nullable()
                .meta({
                  description:
                    'How the persona of the case ended; null without one, or if the agent hung up.',
                }),
              verdicts: z
                .array(
                  z.object({
                    statement: z.string().meta({ example: 'The agent confirmed the new date' }),
                    holds: z.boolean(),
                    reason: z.string().meta({ example: 'The agent said “on Friday at seven”.' }),
                  }),
                )
                .meta({ description: 'Verdicts of the language model, which the suite asks for.' }),
            }),
          ),
        }),
      )
      .meta({ description: 'Finished cases, in the order of the suite.' }),
    coverage: z
      .array(z.object({ chart: z.enum(coveredCharts), states: share, transitions: share }))
      .meta({ description: 'States and transitions of the charts that the calls visited.' }),
    changes: z
      .array(
        z.object({
          verdict: z.enum(changeVerdicts).meta({ example: 'better' }),
          what: z.string().meta({ example: 'moves a booking: failed → passed' }),
        }),
      )
      .nullable()
      .meta({
        description:
          'Differences to the previous run of the suite on this number; null without one, and before the end.',
      }),
  })
  .meta({ id: 'RehearsalResults' });

export const presentRehearsal = ({ callsAll, actor, result, ...run }: RehearsalRun) => {
  const countOf = (wanted: (typeof caseOutcomes)[number]): number =>
    (result?.cases ?? []).filter(({ outcome }) => outcome === wanted).length;
  return {
    ...run,
    calls: callsAll,
    startedBy: actor,
    cases: { passed: countOf('passed'), flaky: countOf('flaky'), failed: countOf('failed') },
  };
};

export const presentResults = (run: RehearsalRun) => {
  const { cases = [], coverage = [], changes = null } = run.result ?? {};
  const shown = (visits: { visited: number; all: number; never: readonly string[] }) => ({
    ...visits,
    never: [...visits.never],
  });
  return {
    ...presentRehearsal(run),
    results: cases.map((one) => ({
      ...one,
      runs: one.runs.map(({ failures, verdicts, ...call }) => ({
        ...call,
        failures: [...failures],
        verdicts: [...verdicts],
      })),
    })),
    coverage: coverage.map(({ chart, states, transitions }) => ({
      chart,
      states: shown(states),
      transitions: shown(transitions),
    })),
    changes: changes && [...changes],
  };
};
