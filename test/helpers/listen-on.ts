import { once } from 'node:events';
import type { Server } from 'node:net';
import { until } from './until.ts';

const isInUse = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && error.code === 'EADDRINUSE';

/**
 * Listens on a loopback port that this process has closed a moment ago. If another test starts a child process at that
 * moment, the child has a copy of the closed socket until it executes its program, and the port is in use until then.
 */
export const listenOn = (server: Server, port: number): Promise<true> =>
  until(`port ${port} is free`, async () => {
    try {
      server.listen(port, '127.0.0.1');
      await once(server, 'listening');
      return true;
    } catch (error) {
      if (isInUse(error)) return undefined;
      throw error;
    }
  });
