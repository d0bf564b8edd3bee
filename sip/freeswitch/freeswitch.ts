/**
 * Control of one FreeSWITCH: one connection for all of its channels, which is re-established after each loss, with
 * commands, DTMF digits, and the keep-alive of the channels.
 */
import { randomUUID } from 'node:crypto';
import type { Logger } from 'pino';
import { startHeartbeat } from '../heartbeat.ts';
import { keepConnected, type ServerAddress } from '../reconnect.ts';
import {
  commandsOn,
  connectToFreeSwitch,
  type CommandOptions,
  type Connection,
  type ServerLoad,
} from './connection.ts';
import { createKeepAlive, readParkSec } from './keep-alive.ts';

/** Whether the port is closed, which means that FreeSWITCH has died. */
const isRefused = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && error.code === 'ECONNREFUSED';

export type FreeSwitchOptions = CommandOptions & {
  /** Interval of the heartbeat and of the channels' keep-alive. */
  probeMs: number;
  /** Lower limit of the time for which FreeSWITCH keeps the channels of a silent gateway; by default there is none. */
  shortestParkSec?: number;
  onConnected: () => void;
  onHeartbeat: (load: ServerLoad) => void;
  /** Called when the connection is lost and will be re-established. The channels continue. */
  onLost: () => void;
  /** Called when FreeSWITCH is gone with all of its channels. */
  onGone: () => void;
  /** Called when FreeSWITCH no longer responds; the connection is then lost. */
  onSilent: () => void;
  logger: Logger;
};

export const createFreeSwitch = (server: ServerAddress, options: FreeSwitchOptions) => {
  const { probeMs, clock, logger } = options;
  const gateway = randomUUID();
  const keepAlive = createKeepAlive(gateway, probeMs);
  /** Listeners for DTMF digits by channel. Channels of other gateways on the same FreeSWITCH have no listener. */
  const digitListeners = new Map<string, (digit: string) => void>();
  let stopHeartbeat: () => void = () => {};

  /** Passes a digit to its listener. An error in one listener must not affect the others. */
  const onDigit = (uuid: string, digit: string): void => {
    try {
      digitListeners.get(uuid)?.(digit);
    } catch (error) {
      logger.error({ err: error }, 'a DTMF digit could not be processed');
    }
  };

  const startKeepAlive = async (connection: Connection, onLost: () => void): Promise<void> => {
    const commands = commandsOn(() => connection, options);
    const { parkSec, isTooShort } = await readParkSec(commands, options.shortestParkSec ?? 0);
    if (isTooShort)
      logger.warn(
        { park_sec: parkSec },
        'GW_FREESWITCH_PARK_SEC of FreeSWITCH is shorter than the lease of a gateway allows; a longer time is used',
      );
    const probe = (): Promise<void> => keepAlive.renew(commands, parkSec);
    await probe();
    const onSilent = (): void => {
      // Closes the server for new endpoints before the server's calls look for another server.
      onLost();
      options.onSilent();
    };
    stopHeartbeat = startHeartbeat({ probe, everyMs: probeMs, clock, onSilent });
  };

  const connect = async (onLost: () => void): Promise<Connection> => {
    let connection: Connection;
    try {
      connection = await connectToFreeSwitch(server, {
        onDigit,
        onHeartbeat: options.onHeartbeat,
        onLost(reason) {
          logger.debug({ err: reason }, 'the connection to FreeSWITCH has ended');
          onLost();
        },
      });
    } catch (error) {
      if (isRefused(error)) options.onGone();
      throw error;
    }
    try {
      await startKeepAlive(connection, onLost);
      return connection;
    } catch (error) {
      connection.close();
      throw error;
    }
  };

  const kept = keepConnected<Connection>({
    to: `FreeSWITCH at ${server.host}:${server.port}`,
    connect,
    disconnect(connection) {
      stopHeartbeat();
      connection.close();
    },
    onConnected: options.onConnected,
    onLost: options.onLost,
    clock,
    logger,
  });

  /** Returns the connection. Throws without one. */
  const connected = (): Connection => {
    const connection = kept.current();
    if (connection === null) throw new Error(kept.problem() ?? 'FreeSWITCH is not connected');
    return connection;
  };

  const commands = commandsOn(connected, options);

  return {
    open: kept.open,
    problem: kept.problem,
    close: kept.close,
    /** Functions that create and control channels. */
    control: {
      /** Name of the gateway that is stored in its channels. */
      gateway,
      keepAlive,
      commands,
      /** Subscribes to the DTMF digits of a channel; returns a function that ends the subscription. */
      onDigit(uuid: string, listener: (digit: string) => void): () => void {
        digitListeners.set(uuid, listener);
        return () => void digitListeners.delete(uuid);
      },
      /** Returns the address of FreeSWITCH. Throws without a connection. */
      serverAddress: (): string => connected().address,
      /** Returns the address for INVITEs. Throws without a connection. */
      sipAddress: (): string => connected().sipAddress,
    },
    /** Resolves to whether a channel exists. Rejects while this is unknown. */
    hasChannel: async (uuid: string): Promise<boolean> =>
      (await commands.api(`uuid_exists ${uuid}`)).trim() === 'true',
    /** Ends a channel that an earlier process left. A missing channel is ignored. */
    async endChannel(uuid: string): Promise<void> {
      await commands.api(`uuid_kill ${uuid}`);
    },
  };
};

export type FreeSwitch = ReturnType<typeof createFreeSwitch>;
