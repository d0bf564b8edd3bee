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
import type { Synthesizer } from '#sip/audio/speech.ts';
import type { Lines } from '#sip/lines.ts';
import type { StartThread } from '#sip/media-thread/media-thread.ts';
import type { OpenDispatcher } from '#src/outgoing/endpoint-client.ts';
import { createEncoding } from '#src/recordings/encoding.ts';
import type { listen } from '#src/start/http-server.ts';

/** External dependencies of a gateway's process. The simulation replaces them. */
export type Environment = {
  /** Opens a stream to the database; `null` for a connection to the configured server. */
  openDatabaseStream: (() => Duplex) | null;
  /** Opens a dispatcher of requests to customers' servers and to other gateways; `null` for real connections. */
  openDispatcher: OpenDispatcher | null;
  listen: typeof listen;
  /** Wrapper between calls and their lines. */
  betweenLines: (lines: Lines) => Lines;
  /** Encoding of recordings. */
  openEncoding: typeof createEncoding;
  /** Speaks where no engine is configured; `null` for an installed program. */
  synthesizer: Synthesizer | null;
  /**
   * Called with the chart's state after each event of a call, and with `null` when the call has ended here or was
   * released. `null` without an observer.
   */
  onChart: ((callId: string, state: string | null) => void) | null;
};

/** The real database, network and lines of the configuration. */
export const realEnvironment: Environment = {
  openDatabaseStream: null,
  openDispatcher: null,
  // Imported late: the module `node:http` loads Node's own client as well, and calls of a dead process wait for the start.
  listen: async (...asked) => (await import('#src/start/http-server.ts')).listen(...asked),
  betweenLines: (lines) => lines,
  openEncoding: createEncoding,
  synthesizer: null,
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
   * Fence that is closed after a freeze of this process, until the database confirms that the process still holds its
   * calls.
   */
  fence: FreezeFence;
  /** Clock that runs as fast as simulated calls do. */
  callClock: Clock;
  /** Starts the media thread of real lines, which is loaded since the begin of the start; `null` without real lines. */
  startMediaThread: StartThread | null;
  logger: Logger;
  environment: Environment;
  /** Disposable stack that ends everything that was started, in reverse order. */
  started: AsyncDisposableStack;
};
