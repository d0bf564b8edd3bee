/**
 * Wakes gateways by NATS (core, without persistence). NATS is as fast as PostgreSQL's NOTIFY, and has no lock like the
 * one that PostgreSQL takes for each notifying commit. While NATS is unavailable, the database notifies. Every gateway
 * also checks each `lookMs`, which compensates messages that a breaking connection loses.
 */
import { connect, type NatsConnection, type Subscription } from '@nats-io/transport-node';
import type { Logger } from 'pino';
import type { Clock } from '#src/domain/clock.ts';
import { ChannelListeners } from '#src/persistence/database/channel-listeners.ts';
import type { WakeUps } from './wake-ups.ts';

export type NatsServers = {
  /** NATS servers, each as `host:port`. */
  servers: readonly string[];
  isEncrypted: boolean;
  /** Credentials of the NATS servers. */
  credentials: { user: string; password: string } | { token: string } | null;
};

export type NatsNumbers = {
  /** Timeout of the first connection attempt, and delay before a failed attempt is retried. */
  connectMs: number;
  retryMs: number;
  /** Interval at which every gateway checks without a wake-up. */
  lookMs: number;
};

type NatsOptions = {
  nats: NatsServers;
  numbers: NatsNumbers;
  /** Name of this gateway, shown by the server. */
  node: string;
  /** Wake-ups by the database: used while NATS is unavailable, and by gateways without NATS. */
  database: WakeUps;
  /** Monotonic clock. */
  clock: Clock;
  logger: Logger;
};

type State =
  | { name: 'away' }
  | { name: 'connected' | 'interrupted'; connection: NatsConnection }
  | { name: 'closed' };

const subjectOf = (channel: string): string => `trunkline.${channel}`;

const credentialsOf = ({ credentials }: NatsServers) => {
  if (credentials === null) return {};
  return 'token' in credentials ? credentials : { user: credentials.user, pass: credentials.password };
};

class NatsWakeUps implements WakeUps {
  readonly #options: NatsOptions;
  readonly #listeners = new ChannelListeners();
  readonly #subscriptions = new Map<string, Subscription>();
  #state: State = { name: 'away' };
  #retry: unknown;
  #look: unknown;

  constructor(options: NatsOptions) {
    this.#options = options;
    void this.#connect();
    this.#lookLater();
  }

  readonly listen: WakeUps['listen'] = async (channel, onWake) => {
    const unlisten = await this.#options.database.listen(channel, onWake);
    this.#listeners.add(channel, onWake);
    this.#subscribe(channel);
    return async () => {
      if (this.#listeners.remove(channel, onWake)) {
        this.#subscriptions.get(channel)?.unsubscribe();
        this.#subscriptions.delete(channel);
      }
      await unlisten();
    };
  };

  readonly wake: WakeUps['wake'] = async (channel) => {
    if (this.#state.name === 'connected') this.#state.connection.publish(subjectOf(channel));
    else await this.#options.database.wake(channel);
  };

  readonly close = async (): Promise<void> => {
    const { clock, logger } = this.#options;
    const last = this.#state;
    this.#state = { name: 'closed' };
    clock.clearTimeout(this.#retry);
    clock.clearTimeout(this.#look);
    if (!('connection' in last)) return;
    await last.connection.close().catch((err: unknown) => {
      logger.debug({ err }, 'the connection to NATS was not closed cleanly');
    });
  };

  #isClosed(): boolean {
    return this.#state.name === 'closed';
  }

  #subscribe(channel: string): void {
    if (!('connection' in this.#state) || this.#subscriptions.has(channel)) return;
    const callback = (): void => this.#listeners.call(channel);
    this.#subscriptions.set(channel, this.#state.connection.subscribe(subjectOf(channel), { callback }));
  }

  async #connect(): Promise<void> {
    const { nats, numbers, node, clock, logger } = this.#options;
    try {
      const connection = await connect({
        servers: [...nats.servers],
        ...credentialsOf(nats),
        ...(nats.isEncrypted ? { tls: {} } : {}),
        name: `trunkline ${node}`,
        timeout: numbers.connectMs,
        maxReconnectAttempts: -1,
        reconnectTimeWait: numbers.retryMs,
        // Keeps reconnecting after a rejected password, because the password may be changed on the server before it is
        // changed on the gateway.
        ignoreAuthErrorAbort: true,
      });
      if (this.#isClosed()) return await connection.close();
      this.#state = { name: 'connected', connection };
      logger.info('notifications between gateways use NATS');
      for (const channel of this.#listeners.channels()) this.#subscribe(channel);
      this.#listeners.callAll();
      await this.#follow(connection);
    } catch (err) {
      if (this.#isClosed()) return;
      logger.warn({ err }, 'NATS is unreachable: notifications between gateways use the database meanwhile');
    }
    if (this.#isClosed()) return;
    this.#subscriptions.clear();
    this.#state = { name: 'away' };
    this.#retry = clock.setTimeout(() => void this.#connect(), numbers.retryMs);
  }

  /** Resolves when the connection has ended for good. */
  async #follow(connection: NatsConnection): Promise<void> {
    const { logger } = this.#options;
    for await (const { type } of connection.status()) {
      if (this.#isClosed()) return;
      if (type === 'disconnect' && this.#state.name === 'connected') {
        this.#state = { name: 'interrupted', connection };
        logger.warn(
          'the connection to NATS was lost: notifications between gateways use the database meanwhile',
        );
      }
      if (type === 'reconnect') {
        this.#state = { name: 'connected', connection };
        logger.info('the connection to NATS was restored');
        this.#listeners.callAll();
      }
    }
  }

  #lookLater(): void {
    const { clock, numbers } = this.#options;
    this.#look = clock.setTimeout(() => {
      this.#listeners.callAll();
      this.#lookLater();
    }, numbers.lookMs);
  }
}

/** Connects in the background and retries: a gateway also starts and works without NATS. */
export const openNatsWakeUps = (options: NatsOptions): WakeUps & { close(): Promise<void> } =>
  new NatsWakeUps(options);
