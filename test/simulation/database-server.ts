/**
 * Database server on the simulated network: connections have latency, may break or go silent, and a node may be cut
 * off. PostgreSQL itself executes the statements (`postgres.ts`), one after the other: while one connection is in a
 * transaction, the statements of others wait.
 */
import type { Effects } from './effects.ts';
import { DatabaseSocket } from './database-socket.ts';
import type { Postgres, Session } from './postgres.ts';
import type { Random } from './random.ts';
import { arriveIn, runIn, type SimulatedProcess, type SimulatedTime } from './simulated-time.ts';
import { claimsDeliveries, isEffect, statementName, takesCalls } from './statement-name.ts';
import {
  commandDone,
  errorOf,
  messageOf,
  readyFor,
  textsOf,
  welcome,
  type Message,
} from './wire-messages.ts';

/** Probabilities of faults of a statement. */
export type StatementFaults = {
  /** The connection breaks before the server receives the statement. */
  lostBefore: number;
  /** The server executes the statement, and the connection breaks before the answer arrives. */
  lostAfter: number;
  /**
   * The connection breaks after the server has committed a take-over of calls; half as often before it receives the
   * commit.
   */
  takingUnconfirmed: number;
  /** The server rejects the statement with a time-out. */
  refused: number;
  /** The statement is slow. */
  slow: number;
  /** A notification is lost. */
  unheard: number;
  /** A notification arrives twice. */
  repeated: number;
  /** A notification arrives after later ones. */
  late: number;
};

export const noFaults: StatementFaults = {
  lostBefore: 0,
  lostAfter: 0,
  takingUnconfirmed: 0,
  refused: 0,
  slow: 0,
  unheard: 0,
  repeated: 0,
  late: 0,
};

type Connection = Session & {
  socket: DatabaseSocket;
  process: SimulatedProcess;
  channels: Set<string>;
  /** Messages in both directions, held while the node is cut off. */
  held: (() => void)[];
  /** Earliest arrival of the next message, which preserves the order. */
  arrivesFrom: number;
  /** Whether its transaction takes calls over. */
  takes: boolean;
  /** Whether its transaction claims deliveries. */
  claims: boolean;
  isOpen: boolean;
};

type Question = { connection: Connection; messages: readonly Message[]; text: string };

const slowMs = 1_500;
/** Maximum delay of a late notification. */
const lateMs = 500;
/** Time without messages after which the server gives up a connection (`tcp_keepalives` of node-connection.ts). */
const vanishedMs = 25_000;

/** `listen "channel"`, `unlisten "channel"`. */
const listening = /^(un)?listen "?([^"]+)"?/i;

const textOf = (messages: readonly Message[]): string => {
  for (const message of messages) {
    if (message.kind === 'Q') return textsOf(message, 1).texts[0] ?? '';
    if (message.kind === 'P') return textsOf(message, 2).texts[1] ?? '';
  }
  return '';
};

export class DatabaseServer {
  faults: StatementFaults = noFaults;
  /** Number of times that all connections broke at once. */
  breaks = 0;
  readonly #postgres: Postgres;
  readonly #time: SimulatedTime;
  readonly #random: Random;
  readonly #effects: Effects;
  readonly #connections = new Map<number, Connection>();
  /** Connections with messages in progress while their node is cut off, accepted or not. */
  readonly #halted = new Set<Connection>();
  /** Statements that wait for another connection's transaction, in order. */
  #waiting: Question[] = [];
  /** Statements that wait for another connection's lock, which it holds until it ends. */
  #waitingForLock: Question[] = [];
  #inTransaction: Connection | null = null;
  readonly #chores: (() => void)[] = [];
  readonly #cutOff = new Set<string>();
  #pids = 100;

  constructor(parts: { postgres: Postgres; time: SimulatedTime; random: Random; effects: Effects }) {
    this.#postgres = parts.postgres;
    this.#time = parts.time;
    this.#random = parts.random;
    this.#effects = parts.effects;
  }

  /** Opens a connection of this process in the form that `pg` expects. */
  open(process: SimulatedProcess): DatabaseSocket {
    this.#pids += 1;
    const pid = this.#pids;
    const socket = new DatabaseSocket(process, () => ({
      connect: () => this.#arrive(connection, () => this.#accept(connection)),
      ask: (messages) => this.#ask(connection, messages),
      close: () => this.#arrive(connection, () => this.#end(connection)),
    }));
    const connection: Connection = {
      pid,
      texts: new Map(),
      socket,
      process,
      channels: new Set(),
      held: [],
      arrivesFrom: 0,
      takes: false,
      claims: false,
      isOpen: false,
    };
    return socket;
  }

  /** Stops all messages between this node and the server until it is joined again. */
  cutOff(name: string): void {
    this.#cutOff.add(name);
    for (const connection of this.#connections.values())
      if (connection.process.name === name) {
        connection.process.interruptions += 1;
        if (this.#inTransaction === connection) this.#end(connection);
        this.#world(vanishedMs, () => this.#vanish(connection));
      }
  }

  isCutOff(name: string): boolean {
    return this.#cutOff.has(name);
  }

  /** Whether every statement reaches the server, and its answer the client. */
  isReliable(): boolean {
    const { lostBefore, lostAfter, refused } = this.faults;
    return lostBefore + lostAfter + refused === 0;
  }

  isInTransaction(): boolean {
    return this.#inTransaction !== null;
  }

  joinAgain(name: string): void {
    this.#cutOff.delete(name);
    for (const connection of this.#halted) {
      if (connection.process.name !== name) continue;
      this.#halted.delete(connection);
      for (const travel of connection.held.splice(0)) travel();
    }
  }

  /** The kernel closes the connections of a dead process. */
  died(process: SimulatedProcess): void {
    for (const connection of this.#connections.values())
      if (connection.process === process) this.#world(this.#latency(), () => this.#end(connection));
  }

  /** Breaks every connection at once, as a server restart does. */
  breakAll(): void {
    this.breaks += 1;
    for (const connection of this.#connections.values()) this.#break(connection);
  }

  #latency(): number {
    return this.#random.chance(this.faults.slow) ? slowMs : this.#random.below(3);
  }

  /** Runs work of the server and the network, regardless of which processes are alive. */
  #world(milliseconds: number, work: () => void): void {
    runIn(null, () => void this.#time.after(milliseconds, work));
  }

  /** Delivers after the network latency, in order. */
  #arrive(connection: Connection, work: () => void): void {
    const due = Math.max(this.#time.now() + this.#latency(), connection.arrivesFrom);
    connection.arrivesFrom = due;
    this.#world(due - this.#time.now(), () => {
      if (!this.#cutOff.has(connection.process.name)) return work();
      connection.held.push(work);
      this.#halted.add(connection);
      return undefined;
    });
  }

  #accept(connection: Connection): void {
    if (!connection.process.isAlive) return;
    connection.isOpen = true;
    this.#connections.set(connection.pid, connection);
    this.#keepHouse(() => this.#postgres.beginSession(connection.pid, connection.process));
    connection.socket.opened();
  }

  #ask(connection: Connection, messages: readonly Message[]): void {
    if (!connection.process.isAlive) return;
    const text = textOf(messages) || [...connection.texts.values()].at(-1) || '';
    const name = this.#nameOf(connection, messages, text);
    if (isEffect(name) && this.#effects.happens(connection.process, `before ${name}`)) return;
    const { lostBefore, takingUnconfirmed } = this.faults;
    const isLost = connection.takes ? Math.max(lostBefore, takingUnconfirmed / 2) : lostBefore;
    if (isEffect(name) && this.#random.chance(isLost)) return this.#break(connection);
    arriveIn(connection.process, () =>
      this.#arrive(connection, () => this.#do({ connection, messages, text: name })),
    );
  }

  /** Later executions of a prepared statement contain only its name. */
  #nameOf(connection: Connection, messages: readonly Message[], text: string): string {
    const binding = messages.find(({ kind }) => kind === 'B');
    const name = binding && textsOf(binding, 2).texts[1];
    const statement = statementName((name && connection.texts.get(name)) || text);
    return connection.claims && statement === 'commit' ? `commit ${claimsDeliveries}` : statement;
  }

  #do(question: Question): void {
    const { connection, messages, text } = question;
    if (!connection.isOpen) return;
    const [first] = messages;
    if (first?.kind === 'startup') return this.#tell(connection, welcome(connection.pid));
    if (first?.kind === 'X') return this.#end(connection);
    if (this.#inTransaction !== null && this.#inTransaction !== connection) {
      this.#waiting.push(question);
      return;
    }
    if (this.#inTransaction === null && isEffect(text) && this.#random.chance(this.faults.refused))
      return this.#tell(
        connection,
        Buffer.concat([errorOf('57014', 'canceling statement due to statement timeout'), readyFor('I')]),
      );
    this.#run(question);
  }

  #run(question: Question): void {
    const { connection, messages, text: name } = question;
    if (this.#listens(connection, messages)) return;
    const {
      sqlState,
      isInTransaction,
      notifications,
      messages: told,
    } = this.#postgres.run(messages, connection);
    if (sqlState === '55P03') {
      this.#waitingForLock.push(question);
      return;
    }
    this.#inTransaction = isInTransaction ? connection : null;
    const takes = connection.takes || name === takesCalls;
    connection.takes = takes && isInTransaction;
    connection.claims = (connection.claims || name === claimsDeliveries) && isInTransaction;
    for (const { channel, payload } of notifications) this.#notify(channel, payload);
    this.#effects.seen(connection.process, name);
    const isDone = isEffect(name) && !isInTransaction && sqlState === undefined;
    if (isDone && this.#effects.happens(connection.process, `after ${name}`)) return;
    const { lostAfter, takingUnconfirmed } = this.faults;
    if (isDone && this.#random.chance(takes ? Math.max(lostAfter, takingUnconfirmed) : lostAfter))
      this.#break(connection);
    else this.#tell(connection, Buffer.concat(told.map(({ bytes }) => bytes)));
    if (!isInTransaction) this.#goOn();
  }

  /** `listen` and `unlisten` are implemented here. */
  #listens(connection: Connection, messages: readonly Message[]): boolean {
    const [, un, channel] = listening.exec(textOf(messages)) ?? [];
    if (channel === undefined) return false;
    if (un === undefined) connection.channels.add(channel);
    else connection.channels.delete(channel);
    if (un === undefined) this.#postgres.exec(`listen "${channel}"`);
    this.#tell(connection, Buffer.concat([commandDone('LISTEN'), readyFor('I')]));
    return true;
  }

  #notify(channel: string, payload: string): void {
    if (channel === 'simulated_end') {
      const ended = this.#connections.get(Number(payload));
      if (ended !== undefined) this.#world(0, () => this.#break(ended));
      return;
    }
    for (const connection of this.#connections.values())
      if (connection.channels.has(channel) && !this.#random.chance(this.faults.unheard)) {
        const notification = messageOf('A', Buffer.alloc(4), channel, payload);
        if (!this.#random.chance(this.faults.late)) this.#tell(connection, notification);
        else this.#tellLater(connection, notification);
        if (this.#random.chance(this.faults.repeated)) this.#tellLater(connection, notification);
      }
  }

  #tellLater(connection: Connection, notification: Buffer): void {
    this.#world(this.#random.below(lateMs), () => {
      if (connection.isOpen) this.#tell(connection, notification);
    });
  }

  #tell(connection: Connection, bytes: Buffer): void {
    this.#arrive(connection, () => connection.socket.hear(bytes));
  }

  #break(connection: Connection): void {
    this.#end(connection);
    this.#arrive(connection, () => connection.socket.break('ECONNRESET'));
  }

  #vanish(connection: Connection): void {
    if (this.#cutOff.has(connection.process.name)) this.#break(connection);
  }

  #end(connection: Connection): void {
    if (!connection.isOpen) return;
    connection.isOpen = false;
    this.#connections.delete(connection.pid);
    if (this.#inTransaction === connection) {
      this.#postgres.exec('rollback');
      this.#inTransaction = null;
    }
    const isOther = (question: Question): boolean => question.connection !== connection;
    this.#waiting = [...this.#waiting, ...this.#waitingForLock.splice(0)].filter(isOther);
    this.#keepHouse(() => this.#postgres.endSession(connection.pid));
    if (this.#inTransaction === null) this.#goOn();
  }

  /** The server's session table is not part of any client's transaction. */
  #keepHouse(chore: () => void): void {
    if (this.#inTransaction === null) chore();
    else this.#chores.push(chore);
  }

  /** Retries waiting statements, in any order of their connections. */
  #goOn(): void {
    for (const chore of this.#chores.splice(0)) chore();
    const waiting = Map.groupBy(this.#waiting.splice(0), ({ connection }) => connection);
    const left = [...waiting.values()];
    while (left.length > 0)
      for (const question of left.splice(this.#random.below(left.length), 1)[0] ?? [])
        this.#world(0, () => this.#do(question));
  }
}
