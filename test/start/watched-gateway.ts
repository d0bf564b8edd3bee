/** A gateway in a process of its own, whose longest turn of the event loop is measured (`stall-probe.ts`). */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { ExecutionContext } from 'ava';
import { z } from 'zod';
import { credentialsIn, type StoredCredentials } from './gateway-process.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const probe = fileURLToPath(new URL('stall-probe.ts', import.meta.url));

export type WatchedGateway = {
  credentials: StoredCredentials;
  /** Milliseconds of processor time of a fixed workload. */
  referenceMs: number;
  /** Collects the garbage of earlier requests and of the start, so that it is not collected during the next request. */
  collectGarbage(): Promise<unknown>;
  /** The longest turn of the event loop during `work`, in milliseconds of processor time. */
  longestTurn(work: () => Promise<unknown>): Promise<number>;
};

export const watchedGateway = async (
  t: ExecutionContext,
  settings: Record<string, string>,
): Promise<WatchedGateway> => {
  const inherited = Object.entries(process.env).filter(([name]) => !name.startsWith('GW_'));
  const child = fork(probe, [], {
    cwd: root,
    env: { ...Object.fromEntries(inherited), ...settings },
    execArgv: [],
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  });
  const ended = once(child, 'close');
  t.teardown(async () => {
    child.kill('SIGTERM');
    await ended;
  });
  let output = '';
  const ready = Promise.withResolvers<void>();
  const read = (text: string): void => {
    output += text;
    if (output.includes('the gateway is ready')) ready.resolve();
  };
  for (const stream of [child.stdout, child.stderr]) stream?.setEncoding('utf8').on('data', read);
  void ended.then(() => ready.reject(new Error(`The gateway ended: ${output}`)));
  await ready.promise;

  const ask = async (message: string): Promise<unknown> => {
    const answer = once(child, 'message');
    child.send(message);
    return (await answer)[0];
  };
  const { referenceMs } = z.object({ referenceMs: z.number() }).parse(await ask('calibrate'));
  return {
    credentials: await credentialsIn(settings['GW_DATA_DIR'] ?? ''),
    referenceMs,
    collectGarbage: () => ask('collect'),
    async longestTurn(work) {
      await ask('watch');
      await work();
      return z.object({ longestMs: z.number() }).parse(await ask('report')).longestMs;
    },
  };
};
