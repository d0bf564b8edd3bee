/**
 * The world of one seed: a database, telephones, customers' servers and gateways, with one clock and one random
 * generator.
 */
import { checkAlways } from './checks.ts';
import { settle, determine } from './determinism.ts';
import { DatabaseServer, noFaults } from './database-server.ts';
import type { FarEnds } from './far-ends.ts';
import { createFarNetwork, reliable, type FarNetwork, type FarServer } from './far-servers.ts';
import { createSimulationJournal, type SimulationJournal } from './journal.ts';
import { SimulatedNode } from './node.ts';
import type { Postgres } from './postgres.ts';
import { createRandom, type Random } from './random.ts';
import { createSilenceWatch } from './silence-watch.ts';
import { beginningMs, runIn, SimulatedTime, type SimulatedProcess } from './simulated-time.ts';
import { declaresDead, takesCalls } from './statement-name.ts';

/** Rounds in which promises that wait for each other can settle; none of them waits for an external event. */
const roundsOfEnd = 50;

/** Names from `statementName`; writes outside of a call's journal cannot break its rules. */
const writesOfCalls = /insert call_fact|(insert|update) call\b|insert event\b/;

/**
 * Time for which writes are gathered for one check. Facts, and rows of ended calls, do not change any more, so a broken
 * rule stays broken.
 */
const checkMs = 2_000;

/** A step of a call's chart; `from` is `null` when a gateway begins or takes over the call. */
export type Move = { from: string | null; to: string };

/** Numbers of deaths: of all, and of those of a process that was taking calls over or ending one. */
export type Deaths = { all: number; takingOver: number; ending: number };

const tookOver = [`before ${takesCalls}`, `after ${takesCalls}`, `after ${declaresDead}`];
const ended = ['before BYE', 'after BYE'];

/** Delay before a restart after a failed start. */
const supervisorMs = 1_000;

export const nameOf = ({ from, to }: Move): string => `${from ?? 'nothing'} → ${to}`;

export class World {
  readonly random: Random;
  readonly time: SimulatedTime;
  readonly journal: SimulationJournal;
  readonly postgres: Postgres;
  readonly database: DatabaseServer;
  readonly network: FarNetwork;
  readonly farEnds: FarEnds;
  readonly nodes: SimulatedNode[];
  readonly violations: string[] = [];
  /** Count of each effect so far, by name. */
  readonly effects = new Map<string, number>();
  /** Count of each pair of a call chart's state and the point at which its process died. */
  readonly coverage = new Map<string, number>();
  readonly deaths: Deaths = { all: 0, takingOver: 0, ending: 0 };
  /** Every step of calls' charts, in the order of their first occurrence. */
  readonly moves = new Map<string, Move>();
  /** Called for each step of a chart, before its consequences. */
  onMove: (node: SimulatedNode, move: Move) => void = () => {};
  /** Decides whether a process dies now. */
  crashes: (process: SimulatedProcess, point: string) => boolean = () => false;
  /**
   * `null`: the process continues. Otherwise it is frozen until this number of milliseconds after its calls were taken
   * over.
   */
  freezes: (process: SimulatedProcess, point: string) => number | null = () => null;
  /** The frozen process; at most one. */
  frozen: { process: SimulatedProcess; afterTakingMs: number } | null = null;
  /** Total duration of all freezes. */
  frozenMs = 0;
  #frozenAt = 0;
  /** Whether each write is checked, so that a violation is beside it in the journal. */
  readonly #checksEachWrite: boolean;
  /** Time from which the rules are checked; `null` without writes since the last check. */
  #checksFrom: number | null = null;

  constructor(parts: {
    seed: number;
    checksEachWrite: boolean;
    postgres: Postgres;
    nodes: readonly string[];
    servers: ReadonlyMap<string, FarServer>;
  }) {
    const { seed, postgres, servers } = parts;
    this.#checksEachWrite = parts.checksEachWrite;
    this.random = createRandom(seed);
    this.time = new SimulatedTime(this.random);
    this.journal = createSimulationJournal(() => this.time.now(), beginningMs);
    this.postgres = postgres;
    const { random, time } = this;
    const effects = {
      happens: (process: SimulatedProcess, point: string) => this.#happens(process, point),
      seen: (process: SimulatedProcess, statement: string) => this.#seen(process, statement),
    };
    this.database = new DatabaseServer({ postgres, time, random, effects });
    this.network = createFarNetwork({
      time,
      random,
      effects,
      servers,
      askGateway: ({ method, url, headers, body: sent }, onAnswer) => {
        const { host, pathname } = new URL(url);
        const api = this.nodes.find(({ name }) => `${name}.test` === host)?.api;
        if (api === undefined) return null;
        return api.askRaw({ method, path: pathname, headers, body: sent }, ({ status, body, ...answer }) =>
          onAnswer({ status, contentType: 'application/octet-stream', pieces: [body], ...answer }),
        );
      },
    });
    this.farEnds = {
      effects,
      silence: createSilenceWatch(time, (what) => this.violate(what)),
      time,
      random,
      latestMs: 0,
      burstMs: null,
      bursts: new Map(),
      standing: new Map(),
      legs: new Map(),
      rung: new Map(),
      cancelled: new Map(),
      heard: new Map(),
      deafTo: [],
      talked: new Map(),
    };
    const { database, network, farEnds } = this;
    this.nodes = parts.nodes.map(
      (name) =>
        new SimulatedNode(name, {
          database,
          network,
          farEnds,
          moved: (node, process, callId, state) => this.#moved(node, process, callId, state),
          log: (process, line) => this.#log(process, line),
          onFailedStart: (node) =>
            runIn(null, () => {
              time.after(supervisorMs, () => {
                if (!node.isRunning()) node.start();
              });
            }),
        }),
    );
    postgres.begin(seed);
    determine({ time, random });
  }

  #happens(process: SimulatedProcess, point: string): boolean {
    if (!process.isAlive) return true;
    this.effects.set(point, (this.effects.get(point) ?? 0) + 1);
    if (!this.crashes(process, point)) {
      const afterTakingMs = this.frozen === null ? this.freezes(process, point) : null;
      if (afterTakingMs !== null) this.#freeze(process, point, afterTakingMs);
      return false;
    }
    this.#dies(process, point);
    process.isAlive = false;
    this.database.died(process);
    return true;
  }

  #freeze(process: SimulatedProcess, point: string, afterTakingMs: number): void {
    this.journal.note(`${process.name} is frozen ${point}`);
    this.frozen = { process, afterTakingMs };
    this.#frozenAt = this.time.now();
    this.time.freeze(process);
  }

  #thaw(): void {
    if (this.frozen === null) return;
    const { process } = this.frozen;
    this.journal.note(`${process.name} runs again`);
    this.frozen = null;
    this.frozenMs += this.time.now() - this.#frozenAt;
    this.time.thaw(process);
  }

  /** Called when the calls of a frozen or dead process were taken over. */
  #taken(by: SimulatedProcess): void {
    const { frozen } = this;
    if (frozen === null || frozen.process === by) return;
    runIn(null, () => void this.time.after(frozen.afterTakingMs, () => this.#thaw()));
  }

  /** `when` is the point of the death, in the format of the effects' names. */
  kill(node: SimulatedNode, when: string): void {
    const process = node.process();
    if (process?.isAlive !== true) return;
    this.#dies(process, when);
    node.kill();
  }

  #dies(process: SimulatedProcess, when: string): void {
    const states = new Set(process.charts.values());
    this.journal.note(`${process.name} dies ${when} (${[...states].join(', ')})`);
    this.deaths.all += 1;
    if (states.has('active.taking-over') || tookOver.includes(when)) this.deaths.takingOver += 1;
    if (states.has('active.ending') || ended.includes(when)) this.deaths.ending += 1;
    for (const state of states.size === 0 ? ['no call'] : states) {
      const pair = `${state} × ${when}`;
      this.coverage.set(pair, (this.coverage.get(pair) ?? 0) + 1);
    }
  }

  #moved(node: SimulatedNode, process: SimulatedProcess, callId: string, to: string | null): void {
    if (!process.isAlive) return;
    if (to === null) {
      process.actors.delete(callId);
      return;
    }
    process.actors.add(callId);
    const from = process.charts.get(callId) ?? null;
    if (from === to) return;
    process.charts.set(callId, to);
    const move = { from, to };
    this.moves.set(nameOf(move), move);
    this.onMove(node, move);
  }

  #seen(process: SimulatedProcess, statement: string): void {
    this.journal.note(`${process.name} ${statement}`);
    if (statement === takesCalls) this.#taken(process);
    if (!writesOfCalls.test(statement)) return;
    this.#checksFrom ??= this.time.now() + (this.#checksEachWrite ? 0 : checkMs);
    if (this.#checksEachWrite) this.#check();
  }

  /** Checks the rules that hold at any time, when writes have not been checked for a while. */
  #checkIfDue(): void {
    if (this.#checksFrom !== null && this.time.now() >= this.#checksFrom && !this.database.isInTransaction())
      this.#check();
  }

  #check(): void {
    this.#checksFrom = null;
    for (const broken of checkAlways(this.postgres)) this.violate(broken);
  }

  /** Records each violation once. */

  violate(what: string): void {
    if (this.violations.includes(what)) return;
    this.journal.note(`VIOLATION ${what}`);
    this.violations.push(what);
  }

  #log(process: SimulatedProcess, line: string): void {
    if (process.isAlive) this.journal.note(`${process.name} ${line.trim()}`);
  }

  /** Advances time by this duration, or until `isDone`. Returns whether it is done. */
  async run(milliseconds: number, isDone: () => boolean = () => false): Promise<boolean> {
    const until = this.time.now() + milliseconds;
    for (;;) {
      await settle();
      this.#checkIfDue();
      if (isDone()) return true;
      if (!this.time.step(until)) return isDone();
    }
  }

  healAll(): void {
    this.database.faults = noFaults;
    this.network.faults = reliable;
    this.farEnds.latestMs = 0;
    this.farEnds.burstMs = null;
    this.#thaw();
    for (const { name } of this.nodes) this.database.joinAgain(name);
  }

  /** Resources of live processes that should have been released. */
  leftOver(): string[] {
    const { standing, legs } = this.farEnds;
    const of = (lines: typeof standing | typeof legs): string[] =>
      [...lines].flatMap(([callId, holders]) =>
        [...holders.keys()].some(({ isAlive }) => isAlive) ? [callId] : [],
      );
    return [
      ...of(standing).map((callId) => `a line of ${callId} still stands`),
      ...of(legs).map((callId) => `a person is still rung, or spoken with, for ${callId}`),
    ];
  }

  /** Pending work finishes in these rounds without further due events, so that it does not reach the next world. */
  async end(): Promise<void> {
    for (const node of this.nodes) {
      node.kill();
      node.remove();
    }
    for (let round = 0; round < roundsOfEnd; round += 1) await settle();
    determine(null);
  }
}
