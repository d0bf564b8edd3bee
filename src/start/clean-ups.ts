/** What is done for another gateway that has died, in this order. */
import type { LostCalls } from '#src/calls/recovery/lost-calls.ts';
import type { CleanUp } from '#src/cluster/clean-ups.ts';
import { releaseDeliveriesOf } from '#src/persistence/deliveries.ts';
import type { Database } from '#src/persistence/database.ts';
import type { StartedLines } from './start-lines.ts';

export const cleanUpsAfterDeath = (parts: {
  database: Database;
  telephony: Pick<StartedLines, 'endLegsOf'>;
  endCallsOf: LostCalls['endCallsOf'];
}): CleanUp[] => [
  // First: whoever still talks to it waits for it.
  { what: 'hanging up on its far ends', run: parts.telephony.endLegsOf },
  { what: 'ending its calls', run: parts.endCallsOf },
  { what: 'freeing its deliveries', run: (node) => releaseDeliveriesOf(parts.database, node) },
];
