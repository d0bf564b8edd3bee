/**
 * Advisory locks of the database, each held by one gateway at a time. A lock belongs to a database session or to a
 * transaction, and is released when that ends. The name of a lock is a text, which the database hashes to 64 bits.
 */
import { sql, type Expression } from 'kysely';

const keyOf = (name: string | Expression<string>) => sql`hashtextextended(${name}, 0)`;

/** Statement that takes the lock, waiting until it is free. */
export const takeLock = (name: string) => sql`select pg_advisory_lock(${keyOf(name)})`;

/** Expression that waits until the lock is free, without taking it. */
export const awaitLock = (name: Expression<string>) =>
  sql`select pg_advisory_xact_lock_shared(${keyOf(name)})`;

export const tryLock = (name: Expression<string>) =>
  sql<{ taken: boolean }>`select pg_try_advisory_lock(${keyOf(name)}) as taken`;

/** Expression that waits until the lock is free, and takes it until the end of the transaction. */
export const transactionLock = (name: string) => sql<string>`pg_advisory_xact_lock(${keyOf(name)})`;

/**
 * Expression for whether a session holds the lock. PostgreSQL shows the 64 bits as two halves; `objsubid` 1 marks the
 * halves as one number.
 */
const isLocked = (name: Expression<string>) => sql<boolean>`exists (
  select from pg_locks where locktype = 'advisory' and objsubid = 1 and granted
    and database = (select oid from pg_database where datname = current_database())
    and classid::bigint << 32 | objid::bigint = ${keyOf(name)})`;

/** Name of the lock by which a gateway reserves its own name. */
export const nodeLock = (node: string | Expression<string | null>) =>
  sql<string>`'trunkline node ' || ${node}`;

/** Whether a gateway of this name runs, which means that a session holds its lock. */
export const nodeHasSession = (node: Expression<string | null>) => isLocked(nodeLock(node));
