/**
 * Detects the death of another gateway within milliseconds: the kernel closes the connections of a process that dies.
 * Only gateways that reach the same far ends are detected here; `judge-nodes.ts` judges the others, and every death
 * that is missed here.
 *
 * A living gateway may lose some of its connections, so two servers must agree: the relay reports that the gateway's
 * connection has ended, and the database has no session and no other connection of it left. Without the relay the
 * database alone decides. A wrong decision costs simulated calls nothing, because their far ends end with the gateway;
 * real calls without the relay wait for almost a second in which a living gateway reconnects.
 *
 * Each gateway waits for the database session of one other, the next by name, so that one is woken by a death and the
 * others are not. Gateways may die together: after a death all others are checked, and a starting gateway checks all
 * others once.
 *
 * A gateway that lives nevertheless is fenced like every other that was declared dead (`membership.ts`).
 */
import type { Logger } from 'pino';
import type { Clock } from '#src/domain/clock.ts';
import type { Database } from '#src/persistence/database/database.ts';
import { nodesWithoutConnections, otherNodes, type OtherNode } from '#src/persistence/nodes/nodes.ts';

/**
 * Checks at which a gateway must have no connection to the database to count as dead. `one`: all connections of a process
 * have just ended. `all`: a living gateway that reconnects to the database is told from a dead one.
 */
type Checks = 'one' | 'all';

export type SharedLines = {
  /** The far ends that this gateway reaches, as `takesLines` of its row. */
  lines: string;
  /** The server that reports lost gateways. */
  reportedBy: 'relay' | 'database';
  checks: Checks;
};

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

/** Confirms by the database which gateways have died. */
const createConfirmations = (
  { database, confirmMs, clock, logger }: SuddenDeathsOptions,
  onDead: (dead: OtherNode) => void,
) => {
  /** Names in confirmation. */
  const pending = new Set<string>();
  /** Timers of the next checks. */
  const timers = new Set<unknown>();
  let isClosed = false;

  const check = async (
    names: readonly string[],
    checks: Checks,
    [afterMs, ...later]: readonly number[],
  ): Promise<void> => {
    const unconnected = await nodesWithoutConnections(database, names);
    if (isClosed) return;
    const isLast = afterMs === undefined;
    const dead = checks === 'one' || isLast ? unconnected : [];
    const areUnconnected = new Set(unconnected.map(({ name }) => name));
    const undecided = names.filter((name) => !isLast && areUnconnected.has(name) === (checks === 'all'));
    for (const name of names) if (!undecided.includes(name)) pending.delete(name);
    for (const one of dead) onDead(one);
    if (undecided.length === 0) return;
    const timer = clock.setTimeout(() => {
      timers.delete(timer);
      run(undecided, checks, later);
    }, afterMs ?? 0);
    timers.add(timer);
  };

  const run = (names: readonly string[], checks: Checks, delays: readonly number[]): void => {
    check(names, checks, delays).catch((error: unknown) => {
      for (const name of names) pending.delete(name);
      logger.debug({ other_nodes: names, err: error }, 'the death of gateways could not be confirmed');
    });
  };

  return {
    begin(names: readonly string[], checks: Checks): void {
      const fresh = names.filter((name) => !pending.has(name));
      for (const name of fresh) pending.add(name);
      if (fresh.length > 0) run(fresh, checks, confirmMs);
    },
    close(): void {
      isClosed = true;
      for (const timer of timers) clock.clearTimeout(timer);
    },
  };
};

export const createSuddenDeaths = (options: SuddenDeathsOptions): SuddenDeaths => {
  const { database, node, shared, onDead, logger } = options;
  if (shared === null) return { look() {}, blink() {}, leftRelay() {}, close() {} };
  /** Processes that were reported dead, until their rows are gone. */
  const reported = new Set<string>();
  let awaited: { name: string; waiting: AbortController } | null = null;
  let isStarting = true;

  const isCandidate = ({ isLost, takesLines, instance }: OtherNode): boolean =>
    !isLost && takesLines === shared.lines && !reported.has(instance);

  const confirmations = createConfirmations(options, (dead) => {
    if (!isCandidate(dead)) return;
    reported.add(dead.instance);
    onDead(dead);
    if (shared.reportedBy === 'database') checkOthers();
  });

  const checkOthers = (): void => {
    otherNodes(database, node).then(
      (others) =>
        confirmations.begin(
          others.filter(isCandidate).map(({ name }) => name),
          shared.checks,
        ),
      (error: unknown) => logger.debug({ err: error }, 'the other gateways could not be checked'),
    );
  };

  const stop = (): void => {
    awaited?.waiting.abort();
    awaited = null;
  };

  const awaitEnd = async (name: string, waiting: AbortController): Promise<void> => {
    try {
      if (await database.awaitSessionEnd(name, waiting.signal)) confirmations.begin([name], shared.checks);
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
      for (const instance of reported)
        if (others.every((other) => other.instance !== instance)) reported.delete(instance);
      if (shared.reportedBy !== 'database') return;
      const candidates = others.filter(isCandidate);
      const namesOf = (hasSession: boolean): string[] =>
        candidates.filter((other) => other.hasSession === hasSession).map(({ name }) => name);
      if (isStarting) confirmations.begin(namesOf(false), 'all');
      isStarting = false;
      const next = nextAfter(node, namesOf(true));
      if (awaited?.name === next) return;
      stop();
      if (next === undefined) return;
      awaited = { name: next, waiting: new AbortController() };
      void awaitEnd(next, awaited.waiting);
    },
    blink: stop,
    leftRelay(name) {
      if (shared.reportedBy === 'relay' && name !== node) confirmations.begin([name], shared.checks);
    },
    close() {
      stop();
      confirmations.close();
    },
  };
};
