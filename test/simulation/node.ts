/** A gateway on its own machine: started, killed, and restarted on the state that it left. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pino from 'pino';
import { readConfig } from '#config/config.ts';
import { startGateway, type Gateway } from '#src/gateway.ts';
// The gateway loads these modules at its start, and loading takes real time.
import '#sip/simulator/simulator-lines.ts';
import '#sip/webphone/web-phones.ts';
import '#src/parts/http.ts';
import { openQuickEncoding } from '#test/helpers/quick-encoding.ts';
import { silentSynthesizer } from '#test/helpers/silent-synthesizer.ts';
import { createApiServer, type ApiServer } from './api-server.ts';
import type { DatabaseServer } from './database-server.ts';
import type { FarNetwork } from './far-servers.ts';
import { arriveIn, runIn, type SimulatedProcess } from './simulated-time.ts';
import { withFarEnds, type FarEnds } from './far-ends.ts';

export type NodeWorld = {
  database: DatabaseServer;
  network: FarNetwork;
  farEnds: FarEnds;
  /**
   * Called when a call's chart enters another state; `state` is named as in the drawing of the chart, and `null` when
   * the call has ended or was released.
   */
  moved: (node: SimulatedNode, process: SimulatedProcess, callId: string, state: string | null) => void;
  /** Receives log lines, one at a time. */
  log: (process: SimulatedProcess, line: string) => void;
  /** Called after a failed start; the supervisor retries. */
  onFailedStart: (node: SimulatedNode) => void;
};

type Running = { process: SimulatedProcess; api: ApiServer; gateway: Gateway | null; isClosing: boolean };

const settingsOf = (name: string, dataFolder: string): Record<string, string> => ({
  GW_NODE: name,
  GW_PORT: '8080',
  GW_DATA_DIR: dataFolder,
  GW_DATABASE_URL: 'postgresql://trunkline@database.test/postgres',
  GW_DATABASE_POOL: '4',
  GW_DATABASE_JOURNAL_POOL: '2',
  GW_MASTER_KEY: Buffer.alloc(32, 7).toString('base64'),
  GW_AGENT_ALLOWED_HOSTS: 'agent.test,receiver.test',
  GW_LINES: 'simulator',
  GW_SIMULATOR_SPEED: '1',
  GW_DRAIN_SEC: '20',
  // The event-loop delay of the simulating machine is irrelevant.
  GW_MAX_DELAY_MS: '0',
});

export class SimulatedNode {
  readonly name: string;
  readonly #world: NodeWorld;
  readonly #dataFolder: string;
  /** Offset of its wall clock, which survives its processes. */
  wallOffsetMs = 0;
  #running: Running | null = null;
  #starts = 0;
  readonly #apis: ApiServer[] = [];

  constructor(name: string, world: NodeWorld) {
    this.name = name;
    this.#world = world;
    this.#dataFolder = mkdtempSync(join(tmpdir(), 'trunkline-simulation-'));
  }

  isRunning(): boolean {
    return this.#running?.process.isAlive === true;
  }

  isReady(): boolean {
    return this.isRunning() && this.#running?.gateway !== null;
  }

  /** Whether it is ready and has not received SIGTERM. */
  isStaying(): boolean {
    return this.isReady() && this.#running?.isClosing === false;
  }

  get api(): ApiServer | undefined {
    return this.isReady() ? this.#running?.api : undefined;
  }

  get credentials(): Gateway['credentials'] | undefined {
    return this.#running?.gateway?.credentials;
  }

  process(): SimulatedProcess | undefined {
    return this.#running?.process;
  }

  /** Begins to start; ready after some simulated time. */
  start(): void {
    const { database, network, farEnds, moved, log } = this.#world;
    this.#starts += 1;
    const process: SimulatedProcess = {
      name: this.name,
      id: `${this.name} ${this.#starts}`,
      isAlive: true,
      held: null,
      interruptions: 0,
      wallOffsetMs: this.wallOffsetMs,
      steadyOffsetMs: this.wallOffsetMs,
      charts: new Map(),
      actors: new Set(),
    };
    const api = createApiServer(process);
    const running: Running = { process, api, gateway: null, isClosing: false };
    this.#apis.push(api);
    this.#running = running;
    const logger = pino({ level: 'debug', base: null }, { write: (line: string) => log(process, line) });
    runIn(process, () => {
      startGateway(readConfig(settingsOf(this.name, this.#dataFolder), false), logger, {
        openDatabaseStream: () => database.open(process),
        openDispatcher: () => network.dispatcherOf(process),
        listen: api.listen,
        betweenLines: (lines) => withFarEnds(lines, { farEnds, process }),
        openEncoding: openQuickEncoding,
        // The installed programs of machines differ.
        synthesizer: silentSynthesizer,
        onChart: (callId, state) => moved(this, process, callId, state),
      }).then(
        (gateway) => (running.gateway = gateway),
        (error: unknown) => {
          if (!process.isAlive) return;
          log(process, `did not start: ${String(error)}`);
          process.isAlive = false;
          database.died(process);
          this.#world.onFailedStart(this);
        },
      );
    });
  }

  /** Dies as by SIGKILL or a power failure. */
  kill(): void {
    const { process } = this.#running ?? {};
    if (process?.isAlive === true) this.#end(process);
  }

  /** Ends as by SIGTERM. Ignores a gateway that is still starting, and does not call `onEnded`. */
  close(onEnded: () => void): void {
    const running = this.#running;
    if (running === null || running.gateway === null || !running.process.isAlive) return;
    const { process, gateway } = running;
    running.isClosing = true;
    const end = (): void => {
      if (!process.isAlive) return;
      this.#end(process);
      runIn(null, onEnded);
    };
    arriveIn(process, () => {
      gateway.close().then(end, (error: unknown) => {
        this.#world.log(process, `did not end well: ${String(error)}`);
        end();
      });
    });
  }

  #end(process: SimulatedProcess): void {
    process.isAlive = false;
    this.#world.database.died(process);
  }

  /** Sets the wall clock of its machine. */
  step(milliseconds: number): void {
    this.wallOffsetMs += milliseconds;
    if (this.#running !== null) this.#running.process.wallOffsetMs = this.wallOffsetMs;
  }

  remove(): void {
    for (const api of this.#apis) api.forget();
    rmSync(this.#dataFolder, { recursive: true, force: true });
  }
}
