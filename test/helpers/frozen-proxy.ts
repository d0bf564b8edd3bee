/**
 * A TCP proxy in front of a database server that can freeze: it then accepts connections without forwarding any bytes.
 */
import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import type { ExecutionContext } from 'ava';

export type FrozenProxy = {
  /** Address of the same database through the proxy. */
  url: string;
  /** Stops forwarding on all existing and new connections. */
  freeze(): void;
  /** Forwards the bytes held back, and all later ones. */
  thaw(): void;
  /** Drops the bytes of existing connections, like a firewall that has lost its state. New connections work. */
  forget(): void;
  /** Resolves when bytes were held back or dropped since the last `freeze` or `forget`. */
  held: () => Promise<void>;
  /** Number of open connections. */
  connections: () => number;
};

const targetOf = (url: URL): { path: string } | { host: string; port: number } => {
  const folder = url.searchParams.get('host');
  return folder === null
    ? { host: url.hostname, port: Number(url.port || 5432) }
    : { path: `${folder}/.s.PGSQL.5432` };
};

/** Starts a proxy that can be frozen, which is closed with the test. */
export const frozenProxy = async (t: ExecutionContext, databaseUrl: string): Promise<FrozenProxy> => {
  const target = targetOf(new URL(databaseUrl));
  const pairs = new Set<{ near: Socket; far: Socket; isForgotten: boolean }>();
  const whenThawed: (() => void)[] = [];
  let isFrozen = false;
  let hold = Promise.withResolvers<void>();

  const server = createServer((near) => {
    const far = connect(target);
    const pair = { near, far, isForgotten: false };
    pairs.add(pair);
    const end = (): void => {
      pairs.delete(pair);
      near.destroy();
      far.destroy();
    };
    const waiting: (() => void)[] = [];
    const pass = (to: Socket) => (bytes: Buffer) => {
      if (pair.isForgotten) {
        hold.resolve();
      } else if (isFrozen) {
        waiting.push(() => to.write(bytes));
        hold.resolve();
      } else {
        to.write(bytes);
      }
    };
    near.on('data', pass(far));
    far.on('data', pass(near));
    for (const socket of [near, far]) socket.on('error', end).on('close', end);
    whenThawed.push(() => waiting.splice(0).forEach((write) => write()));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.teardown(() => {
    for (const { near, far } of pairs) {
      near.destroy();
      far.destroy();
    }
    server.close();
  });
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('The proxy has no port');
  const url = new URL(databaseUrl);
  url.searchParams.delete('host');
  url.host = `127.0.0.1:${address.port}`;
  return {
    url: url.href,
    freeze() {
      isFrozen = true;
      hold = Promise.withResolvers();
    },
    thaw() {
      isFrozen = false;
      for (const goOn of whenThawed) goOn();
    },
    forget() {
      hold = Promise.withResolvers();
      for (const pair of pairs) pair.isForgotten = true;
    },
    held: () => hold.promise,
    connections: () => pairs.size,
  };
};
