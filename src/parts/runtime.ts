import type { Logger } from 'pino';
import type { Config } from '#config/config.ts';
import type { CallBus } from '#src/calls/call-bus.ts';
import type { CallTime } from '#src/calls/live/call-time.ts';
import type { Clock } from '#src/domain/clock.ts';
import type { FreezeFence } from '#src/domain/fence.ts';
import type { PolicySettings } from '#src/domain/call-policy.ts';
import type { Country } from '#src/domain/phone-number.ts';
import type { Database } from '#src/persistence/database/database.ts';
import type { Sealing } from '#src/persistence/database/sealing.ts';
import type { Duplex } from 'node:stream';
import type { Lines } from '#sip/lines.ts';
import type { OpenDispatcher } from '#src/outgoing/endpoint-client.ts';
import { listen } from '#src/start/http-server.ts';

/** External dependencies of a gateway's process. The simulation replaces them. */
export type Environment = {
  /** Connection to the database; `null`: to the configured server. */
  openDatabaseStream: (() => Duplex) | null;
  /** Dispatcher of requests to customers' servers; `null`: real connections. */
  openDispatcher: OpenDispatcher | null;
  listen: typeof listen;
  /** Wrapper between calls and their lines. */
  betweenLines: (lines: Lines) => Lines;
  /** Called with the chart's state after each event of a call; `null`: no observer. */
  onChart: ((callId: string, state: string) => void) | null;
};

/** The real database, network and lines of the configuration. */
export const realEnvironment: Environment = {
  openDatabaseStream: null,
  openDispatcher: null,
  listen,
  betweenLines: (lines) => lines,
  onChart: null,
};

/** Dependencies of every part of the gateway. */
export type Runtime = {
  config: Config;
  country: Country;
  /** Defaults for numbers and workspaces. */
  platformPolicy: PolicySettings;
  database: Database;
  sealing: Sealing;
  /** Wall clock, for display. */
  clock: Clock;
  /** Monotonic clock, for measurements. */
  steadyClock: Clock;
  /** Clock of the database, shared by all gateways. */
  databaseClock: Clock;
  /** Call bus of this gateway. */
  bus: CallBus;
  callTime: CallTime;
  /**
   * Fence, which is closed after a freeze of this process until the database confirms that it still holds its calls.
   */
  fence: FreezeFence;
  /** Clock that runs as fast as simulated calls do. */
  callClock: Clock;
  logger: Logger;
  environment: Environment;
  /** Ends everything that was started, in reverse order. */
  started: AsyncDisposableStack;
};
