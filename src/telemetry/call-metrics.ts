/** Metrics of calls and their turns. */
import { Counter, Gauge, Histogram, type Registry } from 'prom-client';
import type { SipReason } from '#machines/line.ts';
import type { CallBus } from '#src/calls/call-bus.ts';
import { pressures, type Pressure } from '#src/domain/capacity.ts';
import type { DailyNotice } from '#src/calls/setup/daily-minutes.ts';
import type { LiveCalls } from '#src/calls/live/live-calls.ts';

export type CallMetrics = {
  /** Counts a failed request to the operator's language model. */
  languageModelFailed(failure: string): void;
  /** Counts daily minutes that are nearly used up, or a call that was refused for them. */
  dailyNotice(notice: DailyNotice): void;
  /** Reports that load shedding for a reason has started or stopped. */
  loadShed(pressure: Pressure, sheds: boolean): void;
};

/**
 * Upper bounds in seconds. People notice a pause from half a second on; a reply times out after eight seconds. Most
 * waits are between 0.3 and 1.5 s, so the bounds are closest there.
 */
const stageBuckets = [0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.75, 1, 1.25, 1.5, 2, 3, 5, 8];

/**
 * Labels of a SIP reason. Values from other systems become labels only if they are in a list, or are a number in the
 * range of their protocol.
 */
const reasonLabels = ({ protocol, cause }: SipReason): { protocol: string; cause: string } => {
  const [known, from, to] =
    protocol.toUpperCase() === 'Q.850'
      ? (['Q.850', 1, 127] as const)
      : protocol.toUpperCase() === 'SIP'
        ? (['SIP', 100, 699] as const)
        : (['other', 0, -1] as const);
  return { protocol: known, cause: cause !== null && cause >= from && cause <= to ? String(cause) : 'other' };
};

export const callMetrics = (registry: Registry, bus: CallBus): CallMetrics => {
  const registers = [registry];
  const started = new Counter({
    name: 'trunkline_calls_started_total',
    help: 'Calls that began to ring, by direction',
    labelNames: ['direction'],
    registers,
  });
  const ended = new Counter({
    name: 'trunkline_calls_ended_total',
    help: 'Calls that ended, by direction, status and end reason',
    labelNames: ['direction', 'status', 'end_reason'],
    registers,
  });
  const sipReasons = new Counter({
    name: 'trunkline_sip_reasons_total',
    help: 'Reasons (header Reason) of refusals, CANCELs and BYEs that ended calls, by protocol (SIP, Q.850, other) and cause',
    labelNames: ['protocol', 'cause'],
    registers,
  });
  const stages = new Histogram({
    name: 'trunkline_turn_stage_seconds',
    help: 'How long a stage of a turn took: endpointing, from the last sound of the other party to the end of its turn; from the request to the first token of the reply, to its first sentence and to its first audible sound; wait, from the last sound of the other party to the first audible sound of the reply. By kind of agent',
    labelNames: ['stage', 'agent'],
    buckets: stageBuckets,
    registers,
  });
  const failedReplies = new Counter({
    name: 'trunkline_replies_failed_total',
    help: 'Replies of agents that did not come, by what went wrong',
    labelNames: ['failure'],
    registers,
  });
  const modelFailures = new Counter({
    name: 'trunkline_language_model_failures_total',
    help: 'Requests to the language model of the built-in agent that failed, by what went wrong',
    labelNames: ['failure'],
    registers,
  });
  const dailyNotices = new Counter({
    name: 'trunkline_daily_minutes_notices_total',
    help: 'Limits of minutes a day that are four fifths used (warned, once a day on each gateway), and calls that were refused for one, by whose it is',
    labelNames: ['owner', 'what'],
    registers,
  });
  const shedding = new Gauge({
    name: 'trunkline_load_shedding',
    help: 'Whether no more calls are taken because of this: the event loop is late, memory is short, facts wait for the database',
    labelNames: ['pressure'],
    registers,
  });
  const recordings = new Counter({
    name: 'trunkline_recordings_finished_total',
    help: 'Recordings that were completed or have failed',
    labelNames: ['outcome'],
    registers,
  });
  for (const owner of ['workspace', 'number'])
    for (const what of ['warned', 'refused']) dailyNotices.inc({ owner, what }, 0);
  for (const pressure of pressures) shedding.set({ pressure }, 0);
  for (const direction of ['inbound', 'outbound']) started.inc({ direction }, 0);
  for (const outcome of ['completed', 'failed']) recordings.inc({ outcome }, 0);
  bus.subscribe('began', ({ direction }) => started.inc({ direction }));
  bus.subscribe('ended', ({ direction, status, reason }) =>
    ended.inc({ direction, status, end_reason: reason }),
  );
  bus.subscribe('measured', ({ stage, agent, milliseconds }) =>
    stages.observe({ stage, agent: agent ?? 'none' }, milliseconds / 1000),
  );
  bus.subscribe('stored', ({ fact }) => {
    if (fact.type === 'call.ended')
      for (const reason of fact.sip?.reasons ?? []) sipReasons.inc(reasonLabels(reason));
    if (fact.type === 'reply.failed') failedReplies.inc({ failure: fact.failure });
    if (fact.type === 'recording.completed') recordings.inc({ outcome: 'completed' });
    if (fact.type === 'recording.failed') recordings.inc({ outcome: 'failed' });
  });
  return {
    languageModelFailed: (failure) => modelFailures.inc({ failure }),
    dailyNotice: ({ owner, what }) => dailyNotices.inc({ owner, what }),
    loadShed: (pressure, sheds) => shedding.set({ pressure }, sheds ? 1 : 0),
  };
};

/** Registers metrics that are read at each scrape. */
export const watchCalls = (registry: Registry, liveCalls: LiveCalls, factsWaiting: () => number): void => {
  void new Gauge({
    name: 'trunkline_calls_in_progress',
    help: 'Calls in progress on this gateway, by direction and status',
    labelNames: ['direction', 'status'],
    registers: [registry],
    collect() {
      for (const [direction, counts] of Object.entries(liveCalls.countsByStatus.get()))
        for (const [status, count] of Object.entries(counts)) this.set({ direction, status }, count);
    },
  });
  void new Gauge({
    name: 'trunkline_facts_waiting',
    help: 'Facts of calls that wait to be written to the journal',
    registers: [registry],
    collect() {
      this.set(factsWaiting());
    },
  });
};
