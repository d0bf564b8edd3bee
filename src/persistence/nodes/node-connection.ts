/** The database connection of a node's session (`node-session.ts`). */
import { setTimeout as sleep } from 'node:timers/promises';
import { sql, type RawBuilder } from 'kysely';
import type { PoolClient } from 'pg';
import { nodeLock, tryLock } from '../database/advisory-locks.ts';
import { askConnection } from '../database/ask-connection.ts';
import { discard } from '../database/dialect.ts';

/**
 * Sets TCP keep-alive, by which the server detects vanished machines. Without keep-alive, the names of such machines
 * would stay locked for hours.
 */
const noticeVanishedMachines = sql`select set_config('tcp_keepalives_idle', '10', false),
  set_config('tcp_keepalives_interval', '5', false), set_config('tcp_keepalives_count', '3', false)`;

/**
 * Identity of a server session. The process number alone is not enough, because a later session may have the same one.
 */
type ServerSession = { pid: number; begunAt: string };

const ownSession = sql<ServerSession>`select pid, backend_start::text as "begunAt" from pg_stat_activity
  where pid = pg_backend_pid()`;

const ending = ({ pid, begunAt }: ServerSession) =>
  sql`select pg_terminate_backend(pid) from pg_stat_activity
    where pid = ${pid} and backend_start = ${begunAt}::timestamptz`;

/** Number of attempts to acquire a name that an ended session has yet to release. */
const namePolls = 20;
const namePollMs = 50;

type ConnectionListener = { onNotification: (channel: string) => void; onLost: (error?: Error) => void };

export class NodeConnection {
  readonly #client: PoolClient;
  readonly #session: ServerSession;
  readonly #answerMs: number;
  /** Promise of the last statement, by which statements on the connection are serialized. */
  #last: Promise<unknown> = Promise.resolve();

  private constructor(client: PoolClient, session: ServerSession, answerMs: number) {
    this.#client = client;
    this.#session = session;
    this.#answerMs = answerMs;
  }

  /**
   * Begins a session. Closes the connection if it does not answer within `answerMs`; the same limit applies to all
   * statements of the session.
   */
  static async begin(client: PoolClient, answerMs: number): Promise<NodeConnection> {
    try {
      await askConnection(client, noticeVanishedMachines, answerMs);
      const [session] = await askConnection(client, ownSession, answerMs);
      if (session === undefined) throw new Error('The database does not know the session that asks it');
      return new NodeConnection(client, session, answerMs);
    } catch (error) {
      discard(client);
      throw error;
    }
  }

  #ask<Found>(statement: RawBuilder<Found>): Promise<Found[]> {
    const asked = this.#last.then(() => askConnection(this.#client, statement, this.#answerMs));
    this.#last = asked.catch(() => {});
    return asked;
  }

  hear({ onNotification, onLost }: ConnectionListener): void {
    this.#client.on('error', onLost);
    this.#client.on('end', () => onLost());
    this.#client.on('notification', ({ channel }) => onNotification(channel));
  }

  /** Checks the server; rejects if it does not respond. */
  async beat(): Promise<void> {
    await this.#ask(sql`select 1`);
  }

  /**
   * Takes the name. Resolves to whether this connection now holds it. A session that was just closed releases its name
   * shortly after.
   */
  async takeName(node: string): Promise<boolean> {
    for (let poll = 0; poll < namePolls; poll += 1) {
      if (await this.#tryName(node)) return true;
      await sleep(namePollMs);
    }
    return false;
  }

  async #tryName(node: string): Promise<boolean> {
    return (await this.#ask(tryLock(nodeLock(node))))[0]?.taken === true;
  }

  /** Takes the name from a lost connection, whose session the server may still keep open. */
  async takeNameFrom(lost: NodeConnection, node: string): Promise<void> {
    if (await this.#tryName(node)) return;
    await this.#ask(ending(lost.#session));
    if (await this.takeName(node)) return;
    throw new Error(`The node name ${node} is still held in the database`);
  }

  async listen(channel: string): Promise<void> {
    await this.#ask(sql`listen ${sql.id(channel)}`);
  }

  async unlisten(channel: string): Promise<void> {
    await this.#ask(sql`unlisten ${sql.id(channel)}`);
  }

  /** Closes the connection without waiting for the server. */
  discard(): void {
    discard(this.#client);
  }

  close(): void {
    this.#client.release(true);
  }
}
