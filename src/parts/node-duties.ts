/** Duties of this gateway towards others that share the database. */
import type { Switchboard } from '#src/calls/live/switchboard.ts';
import type { NodeDuties } from '#src/continuity/nodes/node-watch.ts';
import { releaseDeliveriesOf } from '#src/persistence/events/deliveries.ts';
import type { Database } from '#src/persistence/database/database.ts';
import type { StartedTakeOver } from './left-calls.ts';
import type { Telephony } from './telephony.ts';

export const nodeDuties = (parts: {
  database: Database;
  telephony: Pick<Telephony, 'endLegsOf'>;
  takeOver: Pick<StartedTakeOver, 'takeFrom' | 'settle'>;
  switchboard: Pick<Switchboard, 'leaveAll'>;
}): NodeDuties => ({
  cleanUps: [
    // First, because others wait for its answers.
    { what: 'taking over its calls', run: parts.takeOver.takeFrom },
    { what: 'hanging up on its far ends', run: parts.telephony.endLegsOf },
    { what: 'freeing its deliveries', run: (node) => releaseDeliveriesOf(parts.database, node) },
  ],
  onLost: parts.switchboard.leaveAll,
  atEachLook: parts.takeOver.settle,
});
