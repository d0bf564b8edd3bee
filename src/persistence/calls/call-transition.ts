import { defineEntity, p } from '@mikro-orm/core';
import type { JournalledChartName } from '#src/domain/chart-name.ts';

/**
 * One transition of a call's statechart. The rows of a call are in order and contain names of states and events, but no
 * words.
 */
export const CallTransition = defineEntity({
  name: 'CallTransition',
  tableName: 'call_transition',
  properties: {
    /** The column has no foreign key, which would cost another look-up; writers ensure that the call exists. */
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
    /** Name of the event in XState: `xstate.init`, `xstate.after.ringTimeout.…`, or an event of the chart. */
    eventType: p.text(),
    stateAfter: p.text(),
    /** Sequence of the last fact published before the transition; 0 if there was none. */
    factsBefore: p.integer(),
  },
});
