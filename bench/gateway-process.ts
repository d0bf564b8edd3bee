/** A gateway in a process of its own, as its users run it: embedded database, simulated line, fresh data folder. */
import { spawn, type ChildProcess } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';

const root = fileURLToPath(new URL('..', import.meta.url));

const credentials = z.object({
  base_url: z.string(),
  number_id: z.string(),
  number_key: z.string(),
  admin_token: z.string(),
});

export type GatewayProcess = z.infer<typeof credentials> & {
  process: ChildProcess;
  dataFolder: string;
  /** From the start of the process to the first 200 of /readyz. */
  readyMs: number;
  /** Resident memory, bytes. */
  residentBytes(): Promise<number>;
  admin(method: string, path: string, body?: unknown): Promise<unknown>;
  stop(): Promise<void>;
};

const freePort = (): Promise<number> =>
  new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const address = server.address();
      server.close(() =>
        typeof address === 'object' && address !== null
          ? resolve(address.port)
          : reject(new Error('no port')),
      );
    });
  });

const pause = (milliseconds: number): Promise<void> =>
  new Promise((resolve) => setTimeout(resolve, milliseconds));

export const startGatewayProcess = async (
  environment: Record<string, string> = {},
  dataFolder?: string,
): Promise<GatewayProcess> => {
  const folder = dataFolder ?? (await mkdtemp(join(tmpdir(), 'trunkline-bench-')));
  const port = await freePort();
  const started = performance.now();
  const child = spawn(process.execPath, ['--expose-gc', 'src/main.ts'], {
    cwd: root,
    env: {
      ...process.env,
      GW_PORT: String(port),
      GW_DATA_DIR: folder,
      GW_LOG_LEVEL: 'error',
      GW_RATE_LIMIT: '0',
      GW_MAX_CALLS: '100000',
      GW_DRAIN_SEC: '0',
      ...environment,
    },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  const url = `http://127.0.0.1:${port}`;
  for (;;) {
    if (child.exitCode !== null)
      throw new Error(`the gateway ended with ${child.exitCode} before it was ready`);
    try {
      const response = await fetch(`${url}/readyz`);
      await response.arrayBuffer();
      if (response.ok) break;
    } catch {
      // Not listening yet.
    }
    await pause(10);
  }
  const readyMs = performance.now() - started;
  const known = credentials.parse(JSON.parse(await readFile(join(folder, 'dev-credentials.json'), 'utf8')));
  return {
    ...known,
    process: child,
    dataFolder: folder,
    readyMs,
    async residentBytes() {
      const status = await readFile(`/proc/${child.pid}/status`, 'utf8');
      return Number(/VmRSS:\s+(\d+)/.exec(status)?.[1] ?? 0) * 1024;
    },
    async admin(method, path, body) {
      const response = await fetch(`${url}/api/v1/admin${path}`, {
        method,
        headers: { authorization: `Bearer ${known.admin_token}`, 'content-type': 'application/json' },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      });
      if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`);
      return response.status === 204 ? undefined : response.json();
    },
    async stop() {
      const ended = new Promise((resolve) => child.once('exit', resolve));
      child.kill('SIGTERM');
      await ended;
      if (dataFolder === undefined) await rm(folder, { recursive: true, force: true });
    },
  };
};
