/**
 * When another gateway counts as dead. It is judged by what this one sees in looks that follow each other without a
 * gap, and not by any clock: after the database was away for everybody, all rows are old and nobody is dead.
 *
 * - A process that dies takes its session with it, for its kernel closes the connection: no session, and a row that
 *   stays as it is for `looksWithoutSession` looks. A living gateway whose connection broke renews its row and has its
 *   session back before.
 * - A machine that loses its network or its power leaves its session open, and so does a process that is frozen: the row
 *   must stay as it is for `looksOfLease` looks. That is long, because the calls of a gateway that is cut off from the
 *   database alone go on.
 * - One that another gateway has found dead, and which is not cleaned up after, is dead for everybody.
 *
 * A gateway without lines could only end the calls of a dead one: it leaves it to the others, and to its next process, for
 * as long as a lease lasts (`numbersWithoutLines`).
 */
import type { OtherNode } from '#src/persistence/nodes.ts';

export type JudgeNumbers = { looksWithoutSession: number; looksOfLease: number; looksOfLost: number };

export const numbersWithoutLines = <Numbers extends JudgeNumbers>(numbers: Numbers): Numbers => {
  const { looksOfLease } = numbers;
  return { ...numbers, looksWithoutSession: looksOfLease, looksOfLost: looksOfLease };
};

export type NodeJudge = {
  /** The dead among the others, as this look shows them. */
  look(others: readonly OtherNode[]): OtherNode[];
  /** Nothing was seen this time: whatever was counted begins anew. */
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
