/** Endpoints of a workspace with pending events. */
import { randomUUID } from 'node:crypto';
import type { ExecutionContext } from 'ava';
import type { Database } from '#src/persistence/database/database.ts';
import {
  claimDeliveries,
  type ClaimedDelivery,
  type DeliveryClaim,
} from '#src/persistence/events/deliveries.ts';
import { createWebhookEndpoint } from '#src/persistence/events/webhook-endpoints.ts';
import { ownDatabase } from '#test/helpers/database.ts';
import { storedCall, storedNumber, type StoredNumber } from '#test/helpers/stored-number.ts';

const epoch = Date.UTC(2026, 10, 21, 3);

export const at = (second: number): Date => new Date(epoch + second * 1000);

export type World = {
  db: Database;
  owner: StoredNumber;
  endpoint: () => Promise<string>;
  events: (...seconds: number[]) => Promise<void>;
};

/** Deliveries are claimed across all workspaces, so each test has a database of its own. */
export const createWorld = async (t: ExecutionContext, given?: Database): Promise<World> => {
  const db = given ?? (await ownDatabase(t));
  const owner = await storedNumber(db);
  return {
    db,
    owner,
    async endpoint() {
      const { id } = await createWebhookEndpoint(db, {
        id: randomUUID(),
        workspaceId: owner.workspaceId,
        numberId: null,
        url: 'https://example.com/hook',
        events: null,
        secretSealed: 'sealed',
        createdAt: at(0),
      });
      return id;
    },
    /** One event per second, for every existing endpoint. */
    async events(...seconds) {
      for (const second of seconds) await storedCall(db, owner, { startedAt: at(second) });
    },
  };
};

/** Claims deliveries for a process with plenty of places, unless given otherwise. */
export const claim = (
  db: Database,
  second: number,
  changes: Partial<DeliveryClaim> = {},
): Promise<ClaimedDelivery[]> =>
  claimDeliveries(db, {
    node: 'one',
    now: at(second),
    until: at(second + 60),
    free: 100,
    held: new Map(),
    perEndpoint: 5,
    restrained: new Map(),
    ...changes,
  });

export const attempt = (number: number, error: string | null = null) => ({
  attempt: number,
  at: at(10),
  durationMs: 1_500,
  httpStatus: error === null ? 200 : 500,
  error,
  code: null,
  advice: null,
});

export const only = (claimed: ClaimedDelivery[]): ClaimedDelivery => {
  const [delivery, ...others] = claimed;
  if (delivery === undefined || others.length > 0) throw new Error(`${claimed.length} were claimed`);
  return delivery;
};
