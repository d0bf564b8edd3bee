import { defineEntity, p } from '@mikro-orm/core';
import type { JournalledChartName } from '#src/domain/chart-name.ts';

/** One transition of a call's statechart, in order. It contains names of states and events, but no words. */
export const CallTransition = defineEntity({
  name: 'CallTransition',
  tableName: 'call_transition',
  properties: {
    /** No foreign key: writers ensure that the call exists, and a foreign key would cost another look-up. */
    callId: p.uuid().primary(),
    /** Epoch of the gateway that held the call. Transitions are counted separately in each epoch. */
    epoch: p.integer().primary().default(1),
    sequence: p.integer().primary(),
    at: p.datetime(3),
    machine: p.text().$type<JournalledChartName>(),
    /** Version of the chart's definition. */
    chartVersion: p.text(),
    /** State before the transition; null for the initial state. */
    stateBefore: p.text().nullable(),
    /** XState's name: `xstate.init`, `xstate.after.ringTimeout.…`, or an event of the chart. */
    eventType: p.text(),
    stateAfter: p.text(),
    /** Sequence of the last fact published before the transition, 0 for none. */
    factsBefore: p.integer(),
  },
});
