/** Registration of this gateway with the others of the database: start, address, renewal and end. */
import { randomUUID } from 'node:crypto';
import type { Logger } from 'pino';
import type { FreezeFence } from '#src/domain/fence.ts';
import type { GatewayCondition } from '#src/domain/gateway-condition.ts';
import { isTransient } from '#src/persistence/database/connection-errors.ts';
import type { Database } from '#src/persistence/database/database.ts';
import {
  joinNodes,
  otherNodes,
  removeNode,
  renewNode,
  tellAddress,
  tellCountsAlone,
  tellTakes,
  type Renewal,
  type TakesOver,
} from '#src/persistence/nodes/nodes.ts';

/** Rows that a renewal of the registration has read. */
export type Seen = Pick<Renewal, 'others' | 'hasPendingHangups'>;

export type Membership = {
  join(): Promise<void>;
  /** Called when other gateways have taken or ended what this gateway holds. */
  onLost(letGo: () => void): void;
  /**
   * Publishes the URL at which others reach this gateway; with the next renewal if the database is unavailable, since
   * calls do not depend on it.
   */
  tellAddress(url: string): Promise<void>;
  /** Publishes which calls of others this gateway would resume. */
  tellTakes(takes: TakesOver | null): Promise<void>;
  /** Publishes whether this gateway counts calls in memory. */
  tellCountsAlone(countsAlone: boolean): Promise<void>;
  /** Sets the source of the condition that is stored with each renewal. */
  tellCondition(read: () => GatewayCondition): void;
  /**
   * Renews the registration; registers again if others declared this gateway dead meanwhile. Then opens the fence, if
   * this gateway was frozen. Resolves to the other gateways, read while this one was registered. Rejects while the
   * database is unavailable.
   */
  sayAlive(): Promise<Seen>;
  /** Removes the registration once this gateway holds no calls. */
  leave(): Promise<void>;
};

export const createMembership = (options: {
  database: Database;
  /** Name of this gateway among those of the database. */
  node: string;
  /** Closed after a freeze of this process. */
  fence: Pick<FreezeFence, 'ask'>;
  logger: Logger;
}): Membership => {
  const { database, node: name, fence, logger } = options;
  let instance = randomUUID();
  let address: string | null = null;
  let isAddressTold = true;
  let takes: TakesOver | null = null;
  let condition: () => GatewayCondition | null = () => null;
  const whenLost: (() => void)[] = [];

  const join = (): Promise<void> => joinNodes(database, { name, instance, address, takes });

  const publishAddress = async (): Promise<void> => {
    if (isAddressTold) return;
    await tellAddress(database, { name, instance, address });
    isAddressTold = true;
  };

  const releaseAll = (): void => {
    logger.error(
      'other gateways declared this one dead and took over its calls; it releases them and registers again',
    );
    for (const letGo of whenLost) letGo();
  };

  const joinAnew = async (): Promise<void> => {
    instance = randomUUID();
    await join();
  };

  return {
    join,
    onLost: (letGo) => void whenLost.push(letGo),
    async tellAddress(url) {
      address = url;
      isAddressTold = false;
      try {
        await publishAddress();
      } catch (error) {
        if (!isTransient(error)) throw error;
        logger.warn(
          { err: error },
          'other gateways do not know the address of this one yet: the database is unavailable',
        );
      }
    },
    tellTakes(next) {
      takes = next;
      return tellTakes(database, { name, instance, takes });
    },
    tellCountsAlone: (countsAlone) => tellCountsAlone(database, { name, instance, countsAlone }),
    tellCondition: (read) => void (condition = read),
    async sayAlive() {
      for (;;) {
        const asked = fence.ask();
        const renewal = await renewNode(database, { name, instance }, condition());
        const { isRenewed: areHeld, hasPendingHangups } = renewal;
        if (!areHeld) releaseAll();
        const decision = asked.decide(areHeld);
        if (!areHeld) await joinAnew();
        if (decision === 'ask again') continue;
        await publishAddress();
        return { others: areHeld ? renewal.others : await otherNodes(database, name), hasPendingHangups };
      }
    },
    async leave() {
      try {
        if (await removeNode(database, { name, instance, isLost: false })) return;
        await tellCountsAlone(database, { name, instance, countsAlone: false });
      } catch (error) {
        logger.warn(
          { err: error },
          'this gateway could not remove its registration; other gateways will detect its end',
        );
      }
    },
  };
};
