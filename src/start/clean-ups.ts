/** What is done for another gateway that has died, in this order. */
import type { CleanUp } from '#src/cluster/clean-ups.ts';
import { releaseDeliveriesOf } from '#src/persistence/deliveries.ts';
import type { Database } from '#src/persistence/database.ts';

export const cleanUpsAfterDeath = (parts: {
  database: Database;
  /** They start later. */
  lines: () => { endLegsOf: (node: string) => Promise<void> };
  endCallsOf: (node: string) => Promise<void>;
}): CleanUp[] => [
  // First: whoever still talks to it waits for it.
  { what: 'hanging up on its far ends', run: (node) => parts.lines().endLegsOf(node) },
  { what: 'ending its calls', run: parts.endCallsOf },
  { what: 'freeing its deliveries', run: (node) => releaseDeliveriesOf(parts.database, node) },
];
