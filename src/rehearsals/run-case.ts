/** Runs one case of a suite as a call on the simulated line and checks its expectations. */
import { setTimeout } from 'node:timers/promises';
import { z } from 'zod';
import { TrunklineProblem, type Client } from '#src/client/client.ts';
import type { Call } from '#src/client/schema.ts';
import type { ReadPattern } from '#src/domain/said-pattern.ts';
import { statesOf, type JournalledStep } from './coverage.ts';
import { judge, type Failure, type SpokenTurn } from './expectations.ts';
import type { SuiteCase, SuiteStep } from './suite-schema.ts';

type LineStep = Readonly<Record<string, unknown>>;

/** Names of the steps in scripts of the simulated line, by their names in suites. */
const names: ReadonlyMap<string, string> = new Map([
  ['says', 'say'],
  ['hears', 'hear'],
  ['interrupts', 'interrupt'],
  ['presses', 'digits'],
  ['awaits_keys', 'await_digits'],
  ['stays_silent_sec', 'wait_sec'],
  ['noise_sec', 'noise_sec'],
  ['holds_sec', 'hold_sec'],
  ['backchannels', 'backchannel'],
  ['hangs_up', 'hang_up'],
  ['answers_after_sec', 'answer_after_sec'],
  ['does_not_answer', 'no_answer'],
  ['is_busy', 'busy'],
  ['declines', 'decline'],
  ['line_fails', 'trunk_error'],
]);

const lineStepsOf = (step: SuiteStep): LineStep[] => {
  if (step.voicemail !== undefined) return [{ announce: step.voicemail }, { beep: true }];
  if (step.interrupts !== undefined && step.after_ms !== undefined)
    return [{ interrupt: { text: step.interrupts, after_ms: step.after_ms } }];
  return Object.entries(step).flatMap(([act, value]) => {
    const name = names.get(act);
    return name === undefined ? [] : [{ [name]: value }];
  });
};

type PlayedScript = {
  script: LineStep[];
  /** Maps the index of a script step to the index of the case's step; both count from 0. */
  stepOf: (lineStep: number) => number;
};

/** Converts a case's steps to a script of the simulated line. */
const scriptOf = (steps: readonly SuiteStep[]): PlayedScript => {
  const all = steps.map(lineStepsOf);
  const owners = all.flatMap((lineSteps, index) => lineSteps.map(() => index));
  return { script: all.flat(), stepOf: (lineStep) => owners[lineStep] ?? steps.length };
};

/** Formats a step as one line. */
const wordsOf = (step: SuiteStep): string =>
  Object.entries(step)
    .map(([name, value]) => `${name}: ${String(value)}`)
    .join(', ');

/** Whether the other party may hang up during this step: pauses and noise. */
const mayBeCut = ({ stays_silent_sec: silent, noise_sec: noise, holds_sec: holds }: SuiteStep): boolean =>
  silent !== undefined || noise !== undefined || holds !== undefined;

/** Whether the callee never answers; such a call has no conversation. */
const isNeverAnswered = (step: SuiteStep | undefined): boolean =>
  step !== undefined && [step.does_not_answer, step.is_busy, step.declines, step.line_fails].includes(true);

export type Gateway = {
  /** API client with an admin token. */
  admin: Pick<
    Client,
    | 'placeSimulatedCall'
    | 'getSimulatedCall'
    | 'putCallee'
    | 'watchWorkspaceCall'
    | 'getWorkspaceCall'
    | 'getWorkspaceTranscript'
    | 'getCallReplay'
  >;
  /** API client with the number's key. */
  client: Pick<Client, 'createCall'>;
  /** The agent's number. */
  number: string;
  readPattern: ReadPattern;
  /** A telephone number that no other running case uses. */
  nextCallee: () => string;
};

export type CaseRun = {
  callId: string | null;
  /** Failed expectations; empty if the case passed. */
  failures: readonly Failure[];
  turns: readonly SpokenTurn[];
  steps: readonly JournalledStep[];
};

const usualTimeoutSec = 30;
const usualCaller = '01012345678';

const people = {
  accepts: 'accepts',
  declines: 'declines',
  is_busy: 'busy',
  does_not_answer: 'no_answer',
} as const;

const rehearsalOf = ({ timeout_sec: timeoutSec, people: told = {} }: SuiteCase) => ({
  step_timeout_sec: timeoutSec ?? usualTimeoutSec,
  people: Object.fromEntries(Object.entries(told).map(([number, does]) => [number, people[does]])),
});

const stepsOf = ({ caller, callee }: SuiteCase): readonly SuiteStep[] => caller ?? callee ?? [];

/**
 * Error codes of a gateway that is at a limit or busy. A call refused with one of these codes is retried shortly
 * afterwards.
 */
const passing = new Set(['concurrency_limit', 'over_capacity', 'rate_limited']);
const mostTries = 30;
const betweenTriesMs = 1_000;

const retried = async (place: () => Promise<string>): Promise<string> => {
  for (let tries = 1; ; tries += 1) {
    try {
      return await place();
    } catch (error) {
      const passes = error instanceof TrunklineProblem && passing.has(error.code ?? '');
      if (!passes || tries === mostTries) throw error;
      await setTimeout(betweenTriesMs);
    }
  }
};

/** Places the call of a case. Resolves to the call's id. */
const placeCall = async (one: SuiteCase, gateway: Gateway): Promise<string> => {
  const { script } = scriptOf(stepsOf(one));
  const rehearsal = rehearsalOf(one);
  if (one.caller !== undefined) {
    const body = { to: gateway.number, from: one.from ?? usualCaller, script, rehearsal };
    return (await gateway.admin.placeSimulatedCall({ body })).call_id;
  }
  const number = gateway.nextCallee();
  await gateway.admin.putCallee({ number, body: { script, rehearsal } });
  const body = { to: number, ...(one.instruction === undefined ? {} : { instruction: one.instruction }) };
  return (await gateway.client.createCall({ body })).call_id;
};

const latency = z.object({ endpointing_ms: z.number(), first_audio_ms: z.number() });

/** Collects the events of a call until the call ends. */
const follow = async (
  callId: string,
  { admin }: Gateway,
): Promise<{ facts: string[]; latenciesMs: number[] }> => {
  const facts: string[] = [];
  const latenciesMs: number[] = [];
  for await (const news of admin.watchWorkspaceCall({ call_id: callId })) {
    if (news.type !== 'fact') continue;
    facts.push(news.event.type);
    const measured = latency.safeParse(news.event.data['latency']).data;
    if (measured !== undefined) latenciesMs.push(measured.endpointing_ms + measured.first_audio_ms);
  }
  return { facts, latenciesMs };
};

/** Returns the reason why the script did not finish. */
const whyNotPlayed = async (
  callId: string,
  one: SuiteCase,
  { admin }: Gateway,
): Promise<string | undefined> => {
  const steps = stepsOf(one);
  if (isNeverAnswered(steps[0])) return undefined;
  const played = await admin.getSimulatedCall({ call_id: callId }).catch((error: unknown) => {
    // Status 404: the call was never answered, so the script did not start.
    if (error instanceof TrunklineProblem && error.status === 404) return undefined;
    throw error;
  });
  if (played?.outcome === 'done') return undefined;
  const { stepOf } = scriptOf(steps);
  const place = stepOf(played?.steps_done ?? 0);
  const step = steps[place];
  const told = `step ${place + 1} (${step === undefined ? 'none' : wordsOf(step)})`;
  if (played?.outcome === 'timed_out')
    return `${told} did not come about within ${one.timeout_sec ?? usualTimeoutSec} s`;
  const isLast = place === steps.length - 1;
  return step !== undefined && isLast && mayBeCut(step)
    ? undefined
    : `the call ended before ${told} came about`;
};

const judgedCall = (
  call: Call,
  followed: { facts: string[]; latenciesMs: number[] },
  turns: readonly SpokenTurn[],
  steps: readonly JournalledStep[],
) => ({
  status: call.status,
  endReason: call.end_reason,
  durationSec: call.duration_sec,
  transferTo: call.transfer?.to ?? null,
  turns,
  states: statesOf(steps),
  ...followed,
});

const rehearse = async (one: SuiteCase, gateway: Gateway): Promise<CaseRun> => {
  const { admin, readPattern } = gateway;
  const callId = await retried(() => placeCall(one, gateway));
  const followed = await follow(callId, gateway);
  const request = { call_id: callId };
  const why = await whyNotPlayed(callId, one, gateway);
  const call = await admin.getWorkspaceCall(request);
  const { transcript: turns } = await admin.getWorkspaceTranscript(request);
  const { steps } = await admin.getCallReplay(request);
  const failures = judge(one.expect ?? {}, judgedCall(call, followed, turns, steps), readPattern);
  const all = why === undefined ? failures : [{ message: why, turn: null }, ...failures];
  return { callId, failures: all, turns, steps };
};

/** Runs a case. A refusal of the gateway fails the case. */
export const runCase = async (one: SuiteCase, gateway: Gateway): Promise<CaseRun> => {
  try {
    return await rehearse(one, gateway);
  } catch (error) {
    if (!(error instanceof TrunklineProblem)) throw error;
    const message = `the gateway refused: ${error.message.replaceAll(/\s+/g, ' ')}`;
    return { callId: null, failures: [{ message, turn: null }], turns: [], steps: [] };
  }
};
