/**
 * This gateway's word about itself to the others that share the database: that it is there, where it is reached, that
 * it lives, and that it ends.
 */
import { randomUUID } from 'node:crypto';
import type { Logger } from 'pino';
import type { Database } from '#src/persistence/database.ts';
import {
  joinNodes,
  removeNode,
  renewNode,
  tellAddress,
  tellCountsAlone,
  tellTakes,
  type TakesOver,
} from '#src/persistence/nodes.ts';

export type Membership = {
  join(): Promise<void>;
  /** Calls back when others have ended what this gateway holds. */
  onLost(letGo: () => void): void;
  /** Says where others reach this gateway, as a URL. */
  tellAddress(url: string): Promise<void>;
  /** Says which calls of others this gateway would go on with. */
  tellTakes(takes: TakesOver | null): Promise<void>;
  /** Says whether this gateway counts calls in memory. */
  tellCountsAlone(countsAlone: boolean): Promise<void>;
  /** Where others found this gateway dead meanwhile, it begins anew. Rejects while the database is away. */
  sayAlive(): Promise<void>;
  /** This gateway holds nothing any more. */
  leave(): Promise<void>;
};

export const createMembership = (options: {
  database: Database;
  /** The name of this gateway among those that share the database. */
  node: string;
  logger: Logger;
}): Membership => {
  const { database, node: name, logger } = options;
  let instance = randomUUID();
  let address: string | null = null;
  let takes: TakesOver | null = null;
  const whenLost: (() => void)[] = [];

  const join = (): Promise<void> => joinNodes(database, { name, instance, address, takes });

  const beginAnew = async (): Promise<void> => {
    logger.error(
      'other gateways found this one dead and have ended its calls; it hangs them up and begins anew',
    );
    for (const letGo of whenLost) letGo();
    instance = randomUUID();
    await join();
  };

  return {
    join,
    onLost: (letGo) => void whenLost.push(letGo),
    tellAddress(url) {
      address = url;
      return tellAddress(database, { name, instance, address });
    },
    tellTakes(next) {
      takes = next;
      return tellTakes(database, { name, instance, takes });
    },
    tellCountsAlone: (countsAlone) => tellCountsAlone(database, { name, instance, countsAlone }),
    async sayAlive() {
      if (!(await renewNode(database, { name, instance }))) await beginAnew();
    },
    async leave() {
      try {
        if (await removeNode(database, { name, instance, isLost: false })) return;
        await tellCountsAlone(database, { name, instance, countsAlone: false });
      } catch (error) {
        logger.warn({ err: error }, 'this gateway could not say that it ends; others find it dead');
      }
    },
  };
};
