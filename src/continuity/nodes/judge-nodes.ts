/**
 * Decides whether another gateway is dead. The decision uses consecutive checks by this gateway, without a gap and
 * without a wall clock: after a database outage all rows are old, but no gateway is dead.
 *
 * - A process that dies loses its session, because its kernel closes the connection: no session, and an unchanged row
 *   for `looksWithoutSession` checks. A running gateway with a broken connection renews its row and restores its
 *   session earlier.
 * - A machine without network or power leaves its session open, and so does a frozen process: the row must be unchanged
 *   for `looksOfLease` checks. That is long, because a gateway that is only cut off from the database continues its
 *   calls.
 * - A gateway that another gateway declared dead, and whose clean-up is incomplete, is dead for all.
 *
 * A gateway without lines could only end the calls of a dead one: for the duration of a lease it leaves the clean-up to
 * others and to the dead gateway's next process (`numbersWithoutLines`), and longer if calls remain (`clean-ups.ts`).
 */
import type { OtherNode } from '#src/persistence/nodes/nodes.ts';

export type JudgeNumbers = { looksWithoutSession: number; looksOfLease: number; looksOfLost: number };

export const numbersWithoutLines = <Numbers extends JudgeNumbers>(numbers: Numbers): Numbers => {
  const { looksOfLease } = numbers;
  return { ...numbers, looksWithoutSession: looksOfLease, looksOfLost: looksOfLease };
};

export type NodeJudge = {
  /** The dead gateways among the others according to this check. */
  look(others: readonly OtherNode[]): OtherNode[];
  /** A check failed: counting restarts. */
  blink(): void;
};

type Seen = { instance: string; seenAt: number; unchanged: number; withoutSession: number };

export const createNodeJudge = (numbers: JudgeNumbers): NodeJudge => {
  let seen = new Map<string, Seen>();

  const next = ({ name, instance, seenAt, hasSession }: OtherNode): Seen => {
    const before = seen.get(name);
    const isSame = before?.instance === instance && before.seenAt === seenAt.getTime();
    return {
      instance,
      seenAt: seenAt.getTime(),
      unchanged: isSame ? before.unchanged + 1 : 0,
      withoutSession: isSame && !hasSession ? before.withoutSession + 1 : 0,
    };
  };

  return {
    look(others) {
      seen = new Map(others.map((other) => [other.name, next(other)]));
      return others.filter((other) => {
        const { unchanged = 0, withoutSession = 0 } = seen.get(other.name) ?? {};
        return (
          (other.isLost && unchanged >= numbers.looksOfLost) ||
          withoutSession >= numbers.looksWithoutSession ||
          unchanged >= numbers.looksOfLease
        );
      });
    },
    blink() {
      seen = new Map();
    },
  };
};
