/**
 * Connections to the targets of requests. Only the first request imports this module: calls of a dead process wait for
 * the start, and undici has a hundred modules.
 */
import { Agent, type Dispatcher } from 'undici';
import {
  guardedConnector,
  trackConnections,
  type ConnectorOptions,
  type StaleConnections,
} from './guarded-connector.ts';

export type TargetDispatcher = StaleConnections & { dispatcher: Dispatcher };

export const openTargetDispatcher = (
  options: ConnectorOptions & {
    /** Maximum number of connections per host; further requests wait. Null for no limit. */
    connectionsPerHost: number | null;
  },
): TargetDispatcher => {
  const { now = () => performance.now() } = options;
  const { connect, wasStale } = trackConnections(guardedConnector(options), now);
  const dispatcher = new Agent({
    connect,
    connections: options.connectionsPerHost,
    // Disabled here, because callers set the time limits.
    headersTimeout: 0,
    bodyTimeout: 0,
  });
  return { dispatcher, wasStale };
};
