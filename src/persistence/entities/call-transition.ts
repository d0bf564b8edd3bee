import { defineEntity, p } from '@mikro-orm/core';
import type { ChartName } from '#src/domain/chart-name.ts';

/** One transition of a call's chart; they are in order. It holds names of states and events, and no words. */
export const CallTransition = defineEntity({
  name: 'CallTransition',
  tableName: 'call_transition',
  properties: {
    /** Of a call that is stored, as whoever writes it sees to: the server would look each up once more. */
    callId: p.uuid().primary(),
    /** Of the gateway that held the call; each counts anew. */
    epoch: p.integer().primary().default(1),
    sequence: p.integer().primary(),
    at: p.datetime(3),
    machine: p.text().$type<ChartName>(),
    /** Of the definition of the chart. */
    chartVersion: p.text(),
    /** Null for the first state. */
    stateBefore: p.text().nullable(),
    /** As XState has it: `xstate.init`, `xstate.after.ringTimeout.…`, or an event of the chart's own. */
    eventType: p.text(),
    stateAfter: p.text(),
    /** The sequence of the last fact that was published before it, 0 for none. */
    factsBefore: p.integer(),
  },
});
