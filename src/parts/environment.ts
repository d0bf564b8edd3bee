/** External dependencies of a gateway's process. The simulation replaces them. */
import type { Duplex } from 'node:stream';
import type { Lines } from '#sip/lines.ts';
import type { OpenDispatcher } from '#src/outgoing/endpoint-client.ts';
import { listen } from './http-server.ts';

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
