/**
 * The session of a node: one connection for the gateway's lifetime. The connection holds the node's name by an advisory
 * lock, because two gateways with the same name would end each other's calls. The session also listens for
 * notifications, and monitors the database by periodic queries, which detect a frozen server as well as a stopped one.
 *
 * After a loss the session reconnects. Since notifications may have been missed, every listener is then called once. A
 * server that has not noticed the loss still holds the name for the old session, so the old session is ended first.
 */
import { sql } from 'kysely';
import type { PoolClient } from 'pg';
import type { Logger } from 'pino';
import { StartError } from '#src/domain/start-error.ts';
import { askConnection } from '../database/ask-connection.ts';
import { ChannelListeners } from '../database/channel-listeners.ts';
import { hasNoConnectionLeft } from '../database/connection-errors.ts';
import { discard } from '../database/dialect.ts';
import { NodeConnection } from './node-connection.ts';

export type NodeSession = {
  listen: (channel: string, onNotify: () => void) => Promise<() => Promise<void>>;
  /** Whether the database was found down or frozen and has not responded since. */
  isAway: () => boolean;
  close: () => void;
};

export type NodeSessionLimits = {
  /** Interval of the database check. */
  beatMs: number;
  /** Time without an answer after which the server counts as unavailable. */
  beatAnswerMs: number;
  /** Delay before the first reconnect after a loss; it doubles after each failure. */
  retryFirstMs: number;
  retryLongestMs: number;
};

type NodeSessionOptions = {
  /** Opens a dedicated connection. */
  connect: () => Promise<PoolClient>;
  node: string;
  limits: NodeSessionLimits;
  /** Called when the server was silent, because other silent connections to the server are dead, too. */
  onSilence: () => void;
  logger: Logger;
};

type State =
  | { name: 'held'; connection: NodeConnection }
  /** State while the session reconnects. `away`: the server itself does not respond. */
  | { name: 'lost' | 'away'; last: NodeConnection }
  | { name: 'closed' };

class LastingSession implements NodeSession {
  readonly #options: NodeSessionOptions;
  readonly #listeners = new ChannelListeners();
  #state: State;
  /** Timer of the next check or the next reconnect. */
  #timer: NodeJS.Timeout | undefined;

  constructor(options: NodeSessionOptions, connection: NodeConnection) {
    this.#options = options;
    this.#state = this.#hold(connection);
  }

  readonly isAway = (): boolean => this.#state.name === 'away';

  readonly listen: NodeSession['listen'] = async (channel, onNotify) => {
    this.#listeners.add(channel, onNotify);
    // If there is no connection now, the next connection subscribes to the channel.
    if (this.#state.name === 'held') await this.#state.connection.listen(channel);
    return async () => {
      if (this.#listeners.remove(channel, onNotify)) await this.#leave(channel);
    };
  };

  readonly close = (): void => {
    clearTimeout(this.#timer);
    if (this.#state.name === 'held') this.#state.connection.close();
    this.#state = { name: 'closed' };
  };

  async #leave(channel: string): Promise<void> {
    if (this.#state.name !== 'held') return;
    // A failure is ignored here, because the next check replaces the connection, which also ends its subscriptions.
    await this.#state.connection.unlisten(channel).catch((err: unknown) => {
      this.#options.logger.debug({ err }, 'a notification channel of the database could not be unsubscribed');
    });
  }

  #hold(connection: NodeConnection): State {
    connection.hear({
      onNotification: (channel) => this.#listeners.call(channel),
      onLost: (error) => this.#lose(connection, 'lost', error),
    });
    this.#beatLater(connection);
    return { name: 'held', connection };
  }

  #isHeld(connection: NodeConnection): boolean {
    return this.#state.name === 'held' && this.#state.connection === connection;
  }

  #beatLater(connection: NodeConnection): void {
    this.#timer = setTimeout(() => void this.#beat(connection), this.#options.limits.beatMs);
  }

  async #beat(connection: NodeConnection): Promise<void> {
    try {
      await connection.beat();
      if (this.#isHeld(connection)) this.#beatLater(connection);
    } catch (error) {
      if (!this.#isHeld(connection)) return;
      this.#lose(connection, 'away', error);
      this.#options.onSilence();
    }
  }

  #lose(connection: NodeConnection, found: 'lost' | 'away', err?: unknown): void {
    if (!this.#isHeld(connection)) return;
    clearTimeout(this.#timer);
    connection.discard();
    this.#state = { name: found, last: connection };
    this.#options.logger.warn({ err }, 'the connection to the database was lost');
    this.#tryAfter(this.#options.limits.retryFirstMs);
  }

  #tryAfter(delayMs: number): void {
    this.#timer = setTimeout(() => {
      this.#comeBack().catch((err: unknown) => {
        this.#options.logger.debug({ err }, 'the database is still unavailable');
        if (this.#state.name !== 'closed') {
          this.#tryAfter(Math.min(delayMs * 2, this.#options.limits.retryLongestMs));
        }
      });
    }, delayMs);
  }

  async #comeBack(): Promise<void> {
    const client = await this.#connectAgain();
    const connection = await NodeConnection.begin(client, this.#options.limits.beatAnswerMs);
    try {
      if ('last' in this.#state) await connection.takeNameFrom(this.#state.last, this.#options.node);
      for (const channel of this.#listeners.channels()) await connection.listen(channel);
      if (this.#state.name === 'closed') throw new Error('Closed meanwhile');
    } catch (error) {
      connection.discard();
      throw error;
    }
    this.#state = this.#hold(connection);
    this.#options.logger.info('the connection to the database was restored');
    this.#listeners.callAll();
  }

  /** Checks whether the server responds. */
  async #connectAgain(): Promise<PoolClient> {
    try {
      const client = await this.#options.connect();
      await askConnection(client, sql`select 1`, this.#options.limits.beatAnswerMs).catch(
        (error: unknown) => {
          discard(client);
          throw error;
        },
      );
      this.#found('lost');
      return client;
    } catch (error) {
      this.#found(hasNoConnectionLeft(error) ? 'lost' : 'away');
      throw error;
    }
  }

  #found(name: 'lost' | 'away'): void {
    if ('last' in this.#state) this.#state = { ...this.#state, name };
  }
}

/** Opens the session. Throws a StartError if another gateway holds the name. */
export const openNodeSession = async (options: NodeSessionOptions): Promise<NodeSession> => {
  const { connect, node, limits } = options;
  const connection = await NodeConnection.begin(await connect(), limits.beatAnswerMs);
  try {
    if (await connection.takeName(node)) return new LastingSession(options, connection);
    throw new StartError(
      `Another gateway named "${node}" uses this database: stop it, or give this one another name (GW_NODE)`,
    );
  } catch (error) {
    connection.discard();
    throw error;
  }
};
