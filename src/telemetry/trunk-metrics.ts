/** Metrics of each trunk: answer rate, duration, post-dial delay, audio quality. */
import { Counter, Histogram, Summary, type Registry } from 'prom-client';
import type { CallFact } from '#machines/facts.ts';
import type { CallRoute, Direction } from '#machines/line.ts';
import type { CallBus } from '#src/calls/call-bus.ts';
import { oneWaySounds } from '#src/domain/one-way-sound.ts';

/** Maximum number of trunks with labels of their own; further trunks share one label. */
const mostTrunks = 200;
const anyOther = 'other';

/** Upper bounds in seconds. Mobile networks need about five seconds until they ring; callers do not wait for thirty. */
const delayBuckets = [0.25, 0.5, 1, 2, 3, 5, 8, 13, 20, 30];

const createInstruments = (registry: Registry) => {
  const registers = [registry];
  const labelNames = ['trunk'];
  return {
    calls: new Counter({
      name: 'trunkline_trunk_calls_total',
      help: 'Calls that went to a trunk or came from it, by how they went: answered, unanswered, or failed_over where another trunk took them. ASR is the share of the answered among the outbound ones',
      labelNames: ['trunk', 'direction', 'outcome'],
      registers,
    }),
    duration: new Summary({
      name: 'trunkline_trunk_call_seconds',
      help: 'How long answered calls of a trunk lasted; ACD is their mean',
      labelNames,
      percentiles: [],
      registers,
    }),
    delay: new Histogram({
      name: 'trunkline_trunk_post_dial_delay_seconds',
      help: 'From the INVITE until the callee rang or answered (PDD)',
      labelNames,
      buckets: delayBuckets,
      registers,
    }),
    mos: new Summary({
      name: 'trunkline_trunk_mos',
      help: 'Mean opinion score of what came in by a trunk, one for each call of which it is known',
      labelNames,
      percentiles: [],
      registers,
    }),
    oneWay: new Counter({
      name: 'trunkline_one_way_sound_total',
      help: 'Calls in which nothing came in from the other party, or nothing arrived there, noticed while they went on or at their end',
      labelNames: ['missing'],
      registers,
    }),
  };
};

/** Names of trunks as labels, stored while the gateway runs. */
const createNames = () => {
  /** Keyed by the trunk's id, because a name is unique only in its workspace and may change. */
  const names = new Map<string, string>();
  return (id: string, name?: string): string => {
    if (names.has(id) || names.size < mostTrunks) names.set(id, name ?? names.get(id) ?? id);
    return names.get(id) ?? anyOther;
  };
};

type Ended = Extract<CallFact, { type: 'call.ended' }>;

/** Counts facts before they are stored, so that metrics do not wait for the database. */
export const trunkMetrics = (registry: Registry, bus: CallBus): void => {
  const instruments = createInstruments(registry);
  const nameOf = createNames();
  const underWay = new Map<string, { direction: Direction; answeredAt: number | null }>();
  for (const missing of oneWaySounds) instruments.oneWay.inc({ missing }, 0);

  const count = (callId: string, { trunk, failedTrunks, postDialDelayMs }: CallRoute, fact: Ended): void => {
    const call = underWay.get(callId);
    if (call === undefined) return;
    const { direction, answeredAt } = call;
    const labels = { trunk: nameOf(trunk.id, trunk.name) };
    instruments.calls.inc({
      ...labels,
      direction,
      outcome: answeredAt === null ? 'unanswered' : 'answered',
    });
    for (const failed of failedTrunks)
      instruments.calls.inc({ trunk: nameOf(failed), direction, outcome: 'failed_over' });
    if (postDialDelayMs !== null) instruments.delay.observe(labels, postDialDelayMs / 1_000);
    if (answeredAt !== null && fact.at !== undefined)
      instruments.duration.observe(labels, Math.max(0, fact.at - answeredAt) / 1_000);
    const mos = fact.sound?.received.mos ?? null;
    if (mos !== null) instruments.mos.observe(labels, mos);
  };

  bus.subscribe('began', ({ callId, direction }) => underWay.set(callId, { direction, answeredAt: null }));
  bus.subscribe('ended', ({ callId }) => underWay.delete(callId));
  // A call that continues at another gateway has no end here.
  bus.subscribe('released', ({ callId }) => underWay.delete(callId));
  bus.subscribe('fact', ({ callId, fact }) => {
    const call = underWay.get(callId);
    if (fact.type === 'call.answered' && call !== undefined) call.answeredAt = fact.at;
    if (fact.type === 'sound.one_way') instruments.oneWay.inc({ missing: fact.missing });
    if (fact.type === 'call.ended' && fact.route !== undefined) count(callId, fact.route, fact);
  });
};
