/**
 * The servers of one database: one takes writes, the others copy it and take its place when it fails. What copies them,
 * and sees to it that never two take writes, is the operator's (Patroni, repmgr, a cloud's); here the one that takes
 * writes is found, as libpq finds it with `target_session_attrs=read-write`.
 */
import { Client, type ClientConfig } from 'pg';
import { DatabaseAway, explain } from './connection-errors.ts';
import type { DatabaseAddress, PoolLimits } from './open-pool.ts';

export type DatabaseServer = {
  /** For messages: without the password. */
  name: string;
  address: DatabaseAddress;
};

/** None of several servers takes writes now: they are away, or they only copy. */
export class NoServerTakesWrites extends DatabaseAway {
  override readonly name = 'NoServerTakesWrites';
  constructor(servers: readonly DatabaseServer[], errors: readonly unknown[]) {
    const each = servers.map(({ name }, index) => `${name} (${explain(errors[index])})`);
    super(`no server takes writes: ${each.join(', ')}`, { cause: new AggregateError(errors) });
  }
}

/** It copies another server, and takes no writes itself. */
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

  /** Where connections go now. */
  readonly address = (): DatabaseAddress => this.#current.address;

  /**
   * Asks all of them at once which takes writes; connections go there from now on. A single server is not asked. Rejects
   * with NoServerTakesWrites.
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
    // A connection that is lost fails its statement as well.
    client.on('error', () => {});
    try {
      await client.connect();
      const { rows } = await client.query<{ copies: boolean }>('select pg_is_in_recovery() as copies');
      if (rows[0]?.copies !== false) throw new OnlyCopies();
    } finally {
      // The farewell of a dead connection is never answered, and nobody waits for it.
      client.connection.stream.destroy();
    }
  }
}
