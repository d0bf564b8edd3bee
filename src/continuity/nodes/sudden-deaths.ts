/**
 * Detects the death of another gateway within milliseconds: the kernel closes the connections of a process that dies.
 * Only gateways that reach the same far ends are detected here; `judge-nodes.ts` judges the others, and every death
 * that is missed here.
 *
 * A living gateway may lose some of its connections, so two servers must agree: the relay reports that the gateway's
 * connection has ended, and the database has no session and no other connection of it left. Simulated lines have no
 * relay, and their far ends end with the gateway: there the database alone decides. Each gateway waits for the session
 * of one other, the next by name, so that one is woken by a death and the others are not.
 *
 * A gateway that lives nevertheless is fenced like every other that was declared dead (`membership.ts`).
 */
import type { Logger } from 'pino';
import type { Clock } from '#src/domain/clock.ts';
import type { Database } from '#src/persistence/database/database.ts';
import { nodeWithoutConnections, type OtherNode } from '#src/persistence/nodes/nodes.ts';

/** The far ends that this gateway reaches, as `takesLines` of its row, and the server that reports lost gateways. */
export type SharedLines = { lines: string; reportedBy: 'relay' | 'database' };

export type SuddenDeaths = {
  /** Chooses the gateway whose session is awaited. */
  look(others: readonly OtherNode[]): void;
  /** Called when the database is unavailable and the wait for a session has failed. */
  blink(): void;
  /** The relay has lost its connection with this gateway. */
  leftRelay(name: string): void;
  close(): void;
};

type SuddenDeathsOptions = {
  database: Database;
  /** Name of this gateway. */
  node: string;
  /** Null if this gateway shares no lines. */
  shared: SharedLines | null;
  /** Delays between the checks whether all connections have ended: PostgreSQL closes them one by one. */
  confirmMs: readonly number[];
  onDead: (dead: OtherNode) => void;
  clock: Pick<Clock, 'setTimeout' | 'clearTimeout'>;
  logger: Logger;
};

/** The next gateway by name, in a ring. */
const nextAfter = (node: string, names: readonly string[]): string | undefined =>
  names.toSorted().find((name) => name > node) ?? names.toSorted()[0];

/** Confirms by the database that a gateway has died. */
const createConfirmations = (
  { database, confirmMs, onDead, clock, logger }: SuddenDeathsOptions,
  lines: string,
) => {
  /** Names in confirmation, with the timer of the next check. */
  const pending = new Map<string, unknown>();

  const check = async (name: string, [afterMs, ...later]: readonly number[]): Promise<void> => {
    const dead = await nodeWithoutConnections(database, name);
    if (!pending.has(name)) return;
    if (dead === undefined && afterMs !== undefined) {
      pending.set(
        name,
        clock.setTimeout(() => run(name, later), afterMs),
      );
      return;
    }
    pending.delete(name);
    if (dead?.takesLines === lines) onDead(dead);
  };

  const run = (name: string, delays: readonly number[]): void => {
    check(name, delays).catch((error: unknown) => {
      pending.delete(name);
      logger.debug({ other_node: name, err: error }, 'the death of a gateway could not be confirmed');
    });
  };

  return {
    begin(name: string): void {
      if (pending.has(name)) return;
      pending.set(name, undefined);
      run(name, confirmMs);
    },
    close(): void {
      for (const timer of pending.values()) clock.clearTimeout(timer);
      pending.clear();
    },
  };
};

export const createSuddenDeaths = (options: SuddenDeathsOptions): SuddenDeaths => {
  const { database, node, shared, logger } = options;
  if (shared === null) return { look() {}, blink() {}, leftRelay() {}, close() {} };
  const confirmations = createConfirmations(options, shared.lines);
  let awaited: { name: string; waiting: AbortController } | null = null;

  const stop = (): void => {
    awaited?.waiting.abort();
    awaited = null;
  };

  const awaitEnd = async (name: string, waiting: AbortController): Promise<void> => {
    try {
      if (await database.awaitSessionEnd(name, waiting.signal)) confirmations.begin(name);
    } catch (error) {
      logger.debug(
        { other_node: name, err: error },
        "waiting for the end of another gateway's database session was interrupted",
      );
    }
    // The next check begins another wait.
    if (awaited?.waiting === waiting) awaited = null;
  };

  return {
    look(others) {
      if (shared.reportedBy !== 'database') return;
      const candidates = others.filter(
        ({ isLost, hasSession, takesLines }) => !isLost && hasSession && takesLines === shared.lines,
      );
      const next = nextAfter(
        node,
        candidates.map(({ name }) => name),
      );
      if (awaited?.name === next) return;
      stop();
      if (next === undefined) return;
      awaited = { name: next, waiting: new AbortController() };
      void awaitEnd(next, awaited.waiting);
    },
    blink: stop,
    leftRelay(name) {
      if (shared.reportedBy === 'relay' && name !== node) confirmations.begin(name);
    },
    close() {
      stop();
      confirmations.close();
    },
  };
};
