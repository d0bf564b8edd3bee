/** Compares a call with the expectations of its case. */
import { isPattern, type ReadPattern } from '#src/domain/said-pattern.ts';
import type { RehearsalFailure as Failure } from '#src/domain/rehearsal.ts';
import type { EndedCallRecord } from './rehearsed-calls.ts';
import type { Expectations } from './suite-schema.ts';

/** An ended call with the values that expectations refer to. */
type EndedCall = Omit<EndedCallRecord, 'steps' | 'progress'> & { states: ReadonlySet<string> };

/** Expectations that hold or fail without a language model. */
type Asserted = Omit<Expectations, 'goal' | 'rubric'>;

/** Returns the 95th percentile; undefined without values. */
export const p95 = (values: readonly number[]): number | undefined => {
  const sorted = values.toSorted((one, other) => one - other);
  return sorted[Math.max(0, Math.ceil(sorted.length * 0.95) - 1)];
};

type Judge<Name extends keyof Asserted> = (
  expected: NonNullable<Asserted[Name]>,
  call: EndedCall,
  readPattern: ReadPattern,
) => (Failure | undefined)[];

const failure = (message: string, turn: number | null = null): Failure => ({ message, turn });

const turnWith = (source: string, { turns }: EndedCall, read: ReadPattern): number => {
  const pattern = read(source);
  return turns.findIndex(
    ({ role, text }) => role === 'assistant' && isPattern(pattern) && pattern.find(text) !== undefined,
  );
};

const whyTooLong = (
  wanted: NonNullable<Expectations['duration_sec']>,
  durationSec: number,
): string | undefined => {
  const { at_least: atLeast = 0, at_most: atMost = Infinity } =
    typeof wanted === 'number' ? { at_most: wanted } : wanted;
  if (durationSec > atMost) return `duration_sec: at most ${atMost} was expected, and it was ${durationSec}`;
  return durationSec < atLeast
    ? `duration_sec: at least ${atLeast} was expected, and it was ${durationSec}`
    : undefined;
};

const judges: { [Name in keyof Required<Asserted>]: Judge<Name> } = {
  says: (expected, call, read) =>
    expected.map((source) =>
      turnWith(source, call, read) === -1 ? failure(`says: the agent never said ${source}`) : undefined,
    ),
  never_says: (expected, call, read) =>
    expected.map((source) => {
      const turn = turnWith(source, call, read);
      return turn === -1
        ? undefined
        : failure(`never_says: the agent said ${source} in “${call.turns[turn]?.text}”`, turn);
    }),
  end_reason: (expected, { endReason }) => [
    endReason === expected
      ? undefined
      : failure(`end_reason: ${expected} was expected, and it was ${endReason}`),
  ],
  status: (expected, { status }) => [
    status === expected ? undefined : failure(`status: ${expected} was expected, and it was ${status}`),
  ],
  visits: (expected, { states }) =>
    expected.map((state) =>
      states.has(state) ? undefined : failure(`visits: the call was never in ${state}`),
    ),
  answered_by: (expected, { answeredBy }) => [
    answeredBy.includes(expected)
      ? undefined
      : failure(
          `answered_by: ${expected} was expected, and it was ${answeredBy.join(', then ') || 'not judged'}`,
        ),
  ],
  facts: (expected, { facts }) =>
    expected.map((type) =>
      facts.includes(type) ? undefined : failure(`facts: there was no ${type}, but ${facts.join(', ')}`),
    ),
  turn_latency_p95_ms: (expected, { latenciesMs }) => {
    const measured = p95(latenciesMs);
    if (measured === undefined) return [failure('turn_latency_p95_ms: no reply was measured')];
    return [
      measured <= expected
        ? undefined
        : failure(
            `turn_latency_p95_ms: at most ${expected} was expected, and it was ${Math.round(measured)}`,
          ),
    ];
  },
  duration_sec: (expected, { durationSec }) => {
    const why = whyTooLong(expected, durationSec ?? 0);
    return [why === undefined ? undefined : failure(why)];
  },
  calls_transfer: (expected, { transferTo }) => {
    const isMet = typeof expected === 'string' ? transferTo === expected : (transferTo !== null) === expected;
    const was = transferTo === null ? 'it was not transferred' : `it was to ${transferTo}`;
    return [isMet ? undefined : failure(`calls_transfer: ${expected} was expected, and ${was}`)];
  },
};

/** Returns the failed expectations; empty if the call meets all of them. */
export const judge = (expected: Asserted, call: EndedCall, readPattern: ReadPattern): Failure[] => {
  const held = <Wanted>(
    wanted: Wanted | undefined,
    by: (wanted: Wanted, call: EndedCall, read: ReadPattern) => (Failure | undefined)[],
  ): (Failure | undefined)[] => (wanted === undefined ? [] : by(wanted, call, readPattern));
  return [
    ...held(expected.says, judges.says),
    ...held(expected.never_says, judges.never_says),
    ...held(expected.end_reason, judges.end_reason),
    ...held(expected.status, judges.status),
    ...held(expected.visits, judges.visits),
    ...held(expected.answered_by, judges.answered_by),
    ...held(expected.facts, judges.facts),
    ...held(expected.turn_latency_p95_ms, judges.turn_latency_p95_ms),
    ...held(expected.duration_sec, judges.duration_sec),
    ...held(expected.calls_transfer, judges.calls_transfer),
  ].filter((one) => one !== undefined);
};
