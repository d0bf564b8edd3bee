/** Duties for another gateway that has died, in this order. */
import type { CleanUp } from '#src/cluster/clean-ups.ts';
import { releaseDeliveriesOf } from '#src/persistence/deliveries.ts';
import type { Database } from '#src/persistence/database.ts';
import type { StartedTakeOver } from './left-calls.ts';
import type { StartedLines } from './start-lines.ts';

export const cleanUpsAfterDeath = (parts: {
  database: Database;
  telephony: Pick<StartedLines, 'endLegsOf'>;
  takeFrom: StartedTakeOver['takeFrom'];
}): CleanUp[] => [
  // First: whoever still talks to it waits for it.
  { what: 'taking over its calls', run: parts.takeFrom },
  { what: 'hanging up on its far ends', run: parts.telephony.endLegsOf },
  { what: 'freeing its deliveries', run: (node) => releaseDeliveriesOf(parts.database, node) },
];
