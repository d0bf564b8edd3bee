/**
 * `npm run film`: what a newcomer sees, with times. Clones this checkout into an empty folder, runs `npm start` and
 * `npm run call` there, and prints when each step was reached. Times depend on the machine and on the cache of npm, so
 * only a step that hangs fails.
 */
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

/** Time in milliseconds after which a step counts as hanging. */
const hangMs = 10 * 60_000;

const checkout = fileURLToPath(new URL('..', import.meta.url));

const load = (): string => (loadavg()[0] ?? 0).toFixed(1);

type Program = {
  isRunning(): boolean;
  /** Signals npm and all that it has started, as Ctrl-C in a terminal does. */
  interrupt(): void;
  /** Resolves when the output contains the text; rejects when the program ends without it, or hangs. */
  prints(text: RegExp): Promise<void>;
  /** Resolves to the exit code. */
  ended(): Promise<number | null>;
};

const run = (args: readonly string[], folder: string, environment: NodeJS.ProcessEnv): Program => {
  const child = spawn('npm', args, {
    cwd: folder,
    env: environment,
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  });
  const exit = once(child, 'exit');
  const command = `npm ${args.join(' ')}`;
  let output = '';
  const waiting = new Set<() => void>();
  const take = (text: string): void => {
    output += text;
    for (const look of waiting) look();
  };
  child.stdout.setEncoding('utf8').on('data', take);
  child.stderr.setEncoding('utf8').on('data', take);
  const failure = (why: string): Error =>
    new Error(`${command} ${why}. Its last output:\n${output.slice(-2_000)}`);

  const within = async (what: string, reached: Promise<void>): Promise<void> => {
    const limit = Promise.withResolvers<never>();
    const timer = setTimeout(() => limit.reject(failure(`hangs: ${what}`)), hangMs);
    try {
      await Promise.race([reached, limit.promise]);
    } finally {
      clearTimeout(timer);
    }
  };

  // A program that a signal has ended has no exit code.
  const isRunning = (): boolean => child.exitCode === null && child.signalCode === null;

  return {
    isRunning,
    interrupt() {
      if (isRunning() && child.pid !== undefined) process.kill(-child.pid, 'SIGINT');
    },
    async prints(text) {
      const seen = Promise.withResolvers<void>();
      const look = (): void => {
        if (text.test(output)) seen.resolve();
      };
      waiting.add(look);
      look();
      const over = async (): Promise<void> => {
        await exit;
        if (!text.test(output)) throw failure(`ended without ${text}`);
      };
      try {
        await within(`it has not printed ${text}`, Promise.race([seen.promise, over()]));
      } finally {
        waiting.delete(look);
      }
    },
    async ended() {
      await within(
        'it does not end',
        exit.then(() => undefined),
      );
      return child.exitCode;
    },
  };
};

/** Returns a port that was free a moment ago. */
const freePort = async (): Promise<number> => {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  if (address === null || typeof address === 'string') throw new Error('The server has no port');
  return address.port;
};

const film = async (folder: string): Promise<void> => {
  const begun = performance.now();
  let last = begun;
  const mark = (what: string): number => {
    const now = performance.now();
    const seconds = (from: number): string => ((now - from) / 1_000).toFixed(1).padStart(6);
    console.log(`${seconds(begun)} s  (+${seconds(last)} s, load ${load()})  ${what}`);
    last = now;
    return now;
  };
  console.log(`Load at the beginning: ${load()}`);

  const clone = join(folder, 'trunkline');
  await promisify(execFile)('git', ['clone', '--quiet', checkout, clone], { timeout: hangMs });
  mark('cloned');

  // Settings and paths of this run of npm are not those of a newcomer.
  const kept = Object.entries(process.env).filter(([name]) => !/^(npm_|GW_|NODE_|INIT_CWD$)/.test(name));
  const environment = {
    ...Object.fromEntries(kept),
    PATH: (process.env['PATH'] ?? '')
      .split(':')
      .filter((path) => !path.includes('node_modules'))
      .join(':'),
    GW_PORT: String(await freePort()),
  };
  const started = run(['start'], clone, environment);
  try {
    await started.prints(/\n> trunkline\S* start\n/);
    mark('packages installed, console built');
    await started.prints(/Trunkline is ready/);
    mark('ready');

    const task = 'Confirm the reservation of tomorrow at three';
    const call = run(['run', 'call', '--', '01000000001', task, '--language', 'en'], clone, environment);
    try {
      await call.prints(/\nCalling /);
      mark('call placed');
      await call.prints(/Answered/);
      const answered = mark('answered');
      await call.prints(/Agent +\S/);
      const spoken = mark('first words');
      console.log(`         answered -> first words: ${((spoken - answered) / 1_000).toFixed(1)} s`);
      const code = await call.ended();
      mark('call over');
      if (code !== 0) throw new Error(`npm run call ended with ${code}`);
    } finally {
      call.interrupt();
    }
    started.interrupt();
    await started.ended();
    mark('stopped');
  } finally {
    if (started.isRunning()) {
      started.interrupt();
      await started.ended();
    }
  }
};

const folder = await mkdtemp(join(tmpdir(), 'trunkline-film-'));
try {
  await film(folder);
} finally {
  await rm(folder, { recursive: true, force: true });
}
