/**
 * Servers of one database: one accepts writes, and the others replicate it and replace it when it fails. Replication
 * and fencing are the operator's task (Patroni, repmgr, a cloud service). This module finds the primary server like
 * libpq with `target_session_attrs=read-write`.
 */
import { Client, type ClientConfig } from 'pg';
import { DatabaseAway, explain } from './connection-errors.ts';
import type { DatabaseAddress, PoolLimits } from './open-pool.ts';

export type DatabaseServer = {
  /** Address for messages, which does not contain the password. */
  name: string;
  address: DatabaseAddress;
};

/** Thrown when no server of several accepts writes: all are unreachable or replicas. */
export class NoServerTakesWrites extends DatabaseAway {
  override readonly name = 'NoServerTakesWrites';
  constructor(servers: readonly DatabaseServer[], errors: readonly unknown[]) {
    const each = servers.map(({ name }, index) => `${name} (${explain(errors[index])})`);
    super(`no server takes writes: ${each.join(', ')}`, { cause: new AggregateError(errors) });
  }
}

/** Thrown when the server is a read-only replica. */
export class OnlyCopies extends DatabaseAway {
  override readonly name = 'OnlyCopies';
  constructor() {
    super('it only copies another server');
  }
}

export class DatabaseServers {
  readonly #servers: readonly DatabaseServer[];
  readonly #limits: Pick<PoolLimits, 'connectMs' | 'answerMs'>;
  #current: DatabaseServer;

  constructor(
    servers: readonly [DatabaseServer, ...DatabaseServer[]],
    limits: Pick<PoolLimits, 'connectMs' | 'answerMs'>,
  ) {
    this.#servers = servers;
    this.#limits = limits;
    this.#current = servers[0];
  }

  /** Returns the address of the current server, for new connections. */
  readonly address = (): DatabaseAddress => this.#current.address;

  /**
   * Queries all servers at once for the one that accepts writes, and directs new connections to it. A single server is
   * used without a query. Rejects with NoServerTakesWrites.
   */
  async choose(): Promise<void> {
    if (this.#servers.length === 1) return;
    const takesWrites = this.#servers.map(async (server) => {
      await this.#needWrites(server);
      return server;
    });
    try {
      this.#current = await Promise.any(takesWrites);
    } catch (error) {
      throw new NoServerTakesWrites(this.#servers, error instanceof AggregateError ? error.errors : [error]);
    }
  }

  async #needWrites({ address }: DatabaseServer): Promise<void> {
    const config: ClientConfig = {
      ...address,
      connectionTimeoutMillis: this.#limits.connectMs,
      query_timeout: this.#limits.answerMs,
    };
    const client = new Client(config);
    // The handler is empty because a lost connection also rejects its statement.
    client.on('error', () => {});
    try {
      await client.connect();
      const { rows } = await client.query<{ copies: boolean }>('select pg_is_in_recovery() as copies');
      if (rows[0]?.copies !== false) throw new OnlyCopies();
    } finally {
      // Closes the socket without the protocol's end message, to which a dead connection never responds.
      client.connection.stream.destroy();
    }
  }
}
