/**
 * Practice calls: V8 compiles a function when it is called first, so the stored code of the gateway
 * (`gateway-script.mjs`) has the functions of calls and take-overs only if some have run. The program that stores the
 * code therefore runs a gateway with simulated calls, and two more as processes that are killed:
 *
 * - the killed process of the same gateway, whose calls continue as after a restart;
 * - another killed gateway of the database, whose calls this one takes over as a standby does.
 *
 * Everything is in a temporary folder with a database of its own, and reachable on this machine only.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Writable } from 'node:stream';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

const program = fileURLToPath(new URL('practice-gateway.mjs', import.meta.url));
const root = fileURLToPath(new URL('..', import.meta.url));

const pollMs = 20;
/** Time for PostgreSQL to end, in which it removes its socket and its shared memory. */
const databaseEndMs = 2_000;

/** Known numbers of the simulated line (sip/simulator/callees.ts). */
const callees = { polite: '01000000001', silent: '01000000006', interrupts: '01000000008' };

/** Settings of the program's own environment could connect the gateway to something real. */
const inherited = () =>
  Object.fromEntries(Object.entries(process.env).filter(([name]) => !/^(GW_|PG|OTEL_)/.test(name)));

const settingsOf = (folder, node) => ({
  GW_DATA_DIR: folder,
  GW_NODE: node,
  GW_HOST: '127.0.0.1',
  GW_PORT: '0',
  GW_LINES: 'simulator',
  // The calls are shorter, and a busy machine does not refuse them.
  GW_SIMULATOR_SPEED: '10',
  GW_MAX_DELAY_MS: '0',
  GW_DRAIN_SEC: '0',
  GW_LOG_LEVEL: 'info',
  GW_LOG_FORMAT: 'json',
  GW_MASTER_KEY: Buffer.alloc(32, 1).toString('base64'),
});

/** Ends the embedded database in this folder, which a killed gateway leaves running. */
const endDatabase = (folder) => {
  try {
    const pid = Number.parseInt(readFileSync(join(folder, 'postgresql/cluster/postmaster.pid'), 'utf8'), 10);
    process.kill(pid, 'SIGQUIT');
    const until = Date.now() + databaseEndMs;
    const sleeping = new Int32Array(new SharedArrayBuffer(4));
    // Throws when the process has ended.
    while (Date.now() < until && process.kill(pid, 0)) Atomics.wait(sleeping, 0, 0, pollMs);
  } catch {
    // The process does not run.
  }
};

/** A folder that is removed when this process ends at the latest, after what runs in it was ended. */
const openWorkshop = () => {
  const folder = mkdtempSync(join(tmpdir(), 'trunkline-practice-'));
  const children = new Set();
  const close = () => {
    process.off('exit', close);
    for (const child of children) child.kill('SIGKILL');
    endDatabase(join(folder, 'own'));
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  };
  process.once('exit', close);
  return { folder, children, close };
};

/** Resolves when `probe` returns something else than undefined. */
const until = async (signal, probe) => {
  for (;;) {
    signal.throwIfAborted();
    const found = await probe();
    if (found !== undefined) return found;
    await pause(pollMs);
  }
};

const request = async (signal, { url, token }, method, path, body) => {
  const response = await fetch(url + path, {
    method,
    headers: { 'content-type': 'application/json', authorization: `Bearer ${token}` },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    signal,
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`${method} ${path}: ${response.status}`);
  return text.startsWith('{') ? JSON.parse(text) : undefined;
};

/** Starts a gateway in a process of its own. */
const startOther = async (signal, { children }, folder, node, settings = {}) => {
  const child = spawn(process.execPath, [...process.execArgv, program], {
    cwd: root,
    env: { ...inherited(), ...settingsOf(folder, node), ...settings },
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
  });
  children.add(child);
  const ended = once(child, 'exit');
  ended.catch(() => undefined);
  const credentials = await until(signal, async () => {
    if (child.exitCode !== null || child.signalCode !== null)
      throw new Error(`the gateway ${node} has ended`);
    try {
      const known = JSON.parse(await readFile(join(folder, 'dev-credentials.json'), 'utf8'));
      const { ok } = await fetch(`${known.base_url}/readyz`, { signal });
      return ok ? known : undefined;
    } catch {
      return undefined;
    }
  });
  return {
    credentials,
    url: credentials.base_url,
    async kill() {
      child.kill('SIGKILL');
      await ended;
      children.delete(child);
    },
  };
};

/** Calls through the gateway at this address, with the keys of the first one. */
const callsAt = (signal, url, { number_key: key, admin_token: adminToken, number }) => {
  const asClient = (...asked) => request(signal, { url, token: key }, ...asked);
  const asAdmin = (...asked) => request(signal, { url, token: adminToken }, ...asked);
  const has = async (id, type) => {
    const { events } = await asClient('GET', `/api/v1/calls/${id}/events`);
    return events.some((event) => event.type === type);
  };
  return {
    async place(...to) {
      const placed = [];
      for (const callee of to) placed.push((await asClient('POST', '/api/v1/calls', { to: callee })).call_id);
      return placed;
    },
    async receive() {
      const asked = { to: number, from: callees.polite };
      return (await asAdmin('POST', '/api/v1/admin/simulator/calls', asked)).call_id;
    },
    /** Resolves when each of these calls has a fact of this type. */
    async untilEach(ids, type) {
      for (const id of ids) await until(signal, async () => ((await has(id, type)) ? true : undefined));
    },
    async hangUp(ids, immediate) {
      for (const id of ids)
        // A call may have ended by itself.
        await asClient('POST', `/api/v1/calls/${id}/hangup`, { immediate }).catch(() => undefined);
    },
    async read(id) {
      for (const path of ['', '/transcript']) await asClient('GET', `/api/v1/calls/${id}${path}`);
      await asAdmin('GET', '/api/v1/admin/calls');
    },
  };
};

/** Discards log lines, which are formatted as usual. */
const nowhere = () =>
  new Writable({
    write(_lines, _encoding, done) {
      done();
    },
  });

const carryCalls = async (signal, { load, importInPieces }, workshop) => {
  const { folder } = workshop;
  const own = join(folder, 'own');
  const first = await startOther(signal, workshop, own, 'gateway');
  const keys = first.credentials;
  const before = callsAt(signal, first.url, keys);
  const left = [...(await before.place(callees.silent, callees.polite)), await before.receive()];
  await before.untilEach(left, 'turn.spoken');
  await first.kill();

  const { readConfig } = load('config/config.ts');
  const { createLogger } = load('src/logger.ts');
  const { prepareSocketFolder } = load('src/persistence/embedded/socket-folder.ts');
  const { startGateway } = load('src/gateway.ts');
  const host = await prepareSocketFolder(join(own, 'postgresql'));
  const query = new URLSearchParams({ host, user: 'postgres' });
  const starting = startOther(signal, workshop, join(folder, 'other'), 'other', {
    GW_DATABASE_URL: `postgresql://localhost/postgres?${query}`,
  });
  // Awaited below.
  starting.catch(() => undefined);
  const config = readConfig(settingsOf(own, 'gateway'), false);
  const logger = await createLogger({ level: config.logLevel, format: config.logFormat }, nowhere());
  const gateway = await startGateway(config, logger, undefined, { importInPieces, loaded() {} });
  const here = callsAt(signal, gateway.credentials.base_url, keys);

  const second = await starting;
  const there = callsAt(signal, second.url, keys);
  const lost = await there.place(callees.silent, callees.interrupts);
  await there.untilEach(lost, 'turn.spoken');
  await second.kill();
  await here.untilEach([...left.slice(0, 1), ...lost.slice(0, 1)], 'call.taken_over');

  const fresh = [...(await here.place(callees.polite, callees.interrupts)), await here.receive()];
  await here.untilEach(fresh, 'turn.spoken');
  const [polite, ...others] = fresh;
  await here.hangUp([polite], false);
  await here.hangUp([...left, ...lost, ...others], true);
  await until(signal, () => (gateway.callsInProgress() === 0 ? true : undefined));
  await here.read(polite);
  await gateway.close();
};

/**
 * Runs the practice calls in the modules of this loader. Rejects if they fail or take longer than `withinMs`; the process
 * should end then, because a part of the gateway may still run.
 */
export const practise = async (loader, withinMs) => {
  const limit = AbortSignal.timeout(withinMs);
  const workshop = openWorkshop();
  const late = new Promise((_resolve, reject) => {
    limit.addEventListener('abort', () => reject(limit.reason));
  });
  // Otherwise what remains of the gateway could start its database again before the process ends.
  await Promise.race([carryCalls(limit, loader, workshop), late]);
  workshop.close();
};
