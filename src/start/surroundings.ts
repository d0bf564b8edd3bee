/** Where a gateway meets what lies outside of its process. A simulation puts a world of its own there. */
import type { Duplex } from 'node:stream';
import type { Lines } from '#sip/lines.ts';
import type { OpenDispatcher } from '#src/outgoing/endpoint-client.ts';
import { listen } from './http-server.ts';

export type Surroundings = {
  /** A connection to the database; `null`: to the server of the configuration. */
  openDatabaseStream: (() => Duplex) | null;
  /** What sends requests to the servers of customers; `null`: connections to where they go. */
  openDispatcher: OpenDispatcher | null;
  listen: typeof listen;
  /** What stands between the calls and their lines. */
  betweenLines: (lines: Lines) => Lines;
  /** Is told where the chart of a call is, whenever something has happened in it; `null`: nobody looks on. */
  onChart: ((callId: string, state: string) => void) | null;
};

/** A database, a network and telephone lines, as the configuration names them. */
export const ownSurroundings: Surroundings = {
  openDatabaseStream: null,
  openDispatcher: null,
  listen,
  betweenLines: (lines) => lines,
  onChart: null,
};
