/**
 * The gateways that share the database. Each has a row that it renews again and again, and holds its name by a session
 * (`node-session.ts`). A dead one is claimed, so that one other cleans up after it.
 */
import type { Database } from './database.ts';

/** One run of a gateway. */
export type NodeInstance = { name: string; instance: string };

export type OtherNode = NodeInstance & {
  /** Changes whenever it renews its row. */
  seenAt: Date;
  /** It was found dead, and not everything that it held is cleaned up. */
  isLost: boolean;
  /** Whether a session of the database holds its name. */
  hasSession: boolean;
};

/** Enters a gateway that starts, whatever became of the one that had its name before. */
export const joinNodes = async (
  db: Database,
  { name, instance, address }: NodeInstance & { address: string | null },
): Promise<void> => {
  await db.execute(
    `insert into node (name, instance, address, seen_at) values ($1, $2, $3, now())
     on conflict (name) do update set instance = excluded.instance, address = excluded.address,
       seen_at = excluded.seen_at, lost_at = null, claimed_until = null`,
    [name, instance, address],
  );
};

/** Says that the gateway lives. `false`: others found it dead meanwhile. */
export const renewNode = async (db: Database, { name, instance }: NodeInstance): Promise<boolean> => {
  const renewed = await db.execute(
    `update node set seen_at = now() where name = $1 and instance = $2 and lost_at is null returning 1`,
    [name, instance],
  );
  return renewed.length > 0;
};

/** As `node-session.ts` takes it. */
const hasSession = `exists (
  select 1 from pg_locks join pg_database on pg_database.oid = pg_locks.database
  where pg_locks.locktype = 'advisory' and pg_database.datname = current_database() and pg_locks.objsubid = 1
    and pg_locks.granted
    and (pg_locks.classid::bigint << 32) | pg_locks.objid::bigint = hashtextextended('trunkline node ' || node.name, 0))`;

export const otherNodes = (db: Database, name: string): Promise<OtherNode[]> =>
  db.execute<OtherNode>(
    `select name, instance, seen_at as "seenAt", lost_at is not null as "isLost", ${hasSession} as "hasSession"
     from node where name <> $1`,
    [name],
  );

/**
 * Takes the clean-up after a dead gateway upon oneself for a while. `false` when another one has, when the dead one was
 * seen after `seenAt`, or when it runs again.
 */
export const claimLostNode = async (
  db: Database,
  { name, instance, seenAt, forMs }: NodeInstance & { seenAt: Date; forMs: number },
): Promise<boolean> => {
  const claimed = await db.execute(
    `update node set lost_at = coalesce(lost_at, now()), claimed_until = now() + make_interval(secs => $4)
     where name = $1 and instance = $2 and seen_at = $3 and (claimed_until is null or claimed_until < now())
     returning 1`,
    [name, instance, seenAt, forMs / 1000],
  );
  return claimed.length > 0;
};

/**
 * Removes a gateway that holds no call any more: one that ends in order, or a lost one. `false` while it still holds
 * some, or when it runs again.
 */
export const removeNode = async (
  db: Database,
  { name, instance, isLost }: NodeInstance & { isLost: boolean },
): Promise<boolean> => {
  const removed = await db.execute(
    `delete from node where name = $1 and instance = $2 and (lost_at is not null) = $3
       and not exists (select 1 from call where call.node = $1 and call.status in ('ringing', 'active'))
     returning 1`,
    [name, instance, isLost],
  );
  return removed.length > 0;
};

/** Where others reach this gateway, once it listens. */
export const tellAddress = async (
  db: Database,
  { name, instance, address }: NodeInstance & { address: string | null },
): Promise<void> => {
  await db.execute('update node set address = $3 where name = $1 and instance = $2', [
    name,
    instance,
    address,
  ]);
};

/** The address that a gateway told, for others; null where there is none. */
export const addressOfNode = async (db: Database, name: string): Promise<string | null> => {
  const [row] = await db.execute<{ address: string | null }>('select address from node where name = $1', [
    name,
  ]);
  return row?.address ?? null;
};
