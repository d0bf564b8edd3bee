/** Duties of this gateway towards others that share the database. */
import type { Switchboard } from '#src/calls/live/switchboard.ts';
import type { NodeDuties } from '#src/cluster/node-watch.ts';
import { releaseDeliveriesOf } from '#src/persistence/deliveries.ts';
import type { Database } from '#src/persistence/database.ts';
import type { StartedTakeOver } from './left-calls.ts';
import type { StartedLines } from './start-lines.ts';

export const nodeDuties = (parts: {
  database: Database;
  telephony: Pick<StartedLines, 'endLegsOf'>;
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
