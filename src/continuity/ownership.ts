/**
 * Takes calls and resumes them, even if the database's confirmation is lost: a call whose holder does not know it would
 * never end, because its previous holder is already cleaned up.
 */
import type { Database } from '#src/persistence/database/database.ts';
import {
  confirmTaken,
  takeHandedOver,
  TakingInDoubt,
  type TakenCall,
} from '#src/persistence/calls/claim-calls.ts';

export type Ownership = {
  /** Resolves when each call has its actor here, or is being ended. Rejects if the database is down. */
  take(ask: () => Promise<TakenCall[]>): Promise<void>;
  /**
   * Calls that this gateway has released because others declared it dead. `settle` claims those that still name it as
   * their holder: the other gateway may have died before it took them, or has taken them before they began.
   */
  takeBack(callIds: readonly string[]): void;
  /**
   * Claims calls of `takeBack`, and resumes calls whose take-over is in doubt once the database confirms them; the
   * caller retries after a rejection.
   */
  settle(): Promise<void>;
};

export const createOwnership = ({
  database,
  node,
  release,
  resume,
}: {
  database: Database;
  /** Name of this gateway. */
  node: string;
  /** Releases the actor of a call, if this gateway has one from before it lost the call. */
  release: (callId: string) => void;
  /** Resumes these calls, or ends them. Never rejects. */
  resume: (calls: readonly TakenCall[]) => Promise<void>;
}): Ownership => {
  let inDoubt: readonly TakenCall[] = [];
  let settling: Promise<void> | null = null;
  let released: readonly string[] = [];
  /** Number of takes in progress. */
  let takes = 0;
  let claimOfReleased: Promise<void> | null = null;

  const resumeTaken = async (taken: readonly TakenCall[]): Promise<void> => {
    const ids = new Set(taken.map(({ id }) => id));
    released = released.filter((id) => !ids.has(id));
    ids.forEach(release);
    await resume(taken);
  };

  /** After a `TakingInDoubt`, `settleDoubts` finds out whether these calls were taken. */
  const claim = async (ask: () => Promise<TakenCall[]>): Promise<void> => {
    let taken: TakenCall[];
    try {
      taken = await ask();
    } catch (error) {
      if (error instanceof TakingInDoubt) inDoubt = [...inDoubt, ...error.calls];
      throw error;
    }
    await resumeTaken(taken);
  };

  const settleKnownDoubts = async (): Promise<void> => {
    const asked = inDoubt;
    inDoubt = [];
    let taken: TakenCall[];
    try {
      taken = await confirmTaken(database, asked);
    } catch (error) {
      inDoubt = [...inDoubt, ...asked];
      throw error;
    }
    await resumeTaken(taken);
  };

  /** Resolves when no take-over is in doubt. Concurrent runs share a query, so that none resumes calls of another. */
  const settleDoubts = async (): Promise<void> => {
    while (settling !== null || inDoubt.length > 0) {
      settling ??= settleKnownDoubts().finally(() => {
        settling = null;
      });
      await settling;
    }
  };

  const claimReleased = async (): Promise<void> => {
    const callIds = released;
    released = [];
    try {
      await claim(() => takeHandedOver(database, { from: node, by: node, callIds }));
    } catch (error) {
      released = [...callIds, ...released];
      throw error;
    }
  };

  /**
   * A take and a claim of released calls do not run at the same time: after the statement of the take, the claim would
   * find a call under this gateway's name and start a second actor of it. `settle` tries again.
   */
  const claimReleasedAlone = async (): Promise<void> => {
    if (released.length === 0 || takes > 0 || claimOfReleased !== null) return;
    claimOfReleased = claimReleased().finally(() => {
      claimOfReleased = null;
    });
    await claimOfReleased;
  };

  const take = async (ask: () => Promise<TakenCall[]>): Promise<void> => {
    // A call that is in doubt since an earlier take would be resumed by this claim and again when the doubt is settled.
    await settleDoubts();
    try {
      return await claim(ask);
    } catch (error) {
      if (!(error instanceof TakingInDoubt)) throw error;
    }
    await settleDoubts();
    // Repeats a claim that was rolled back; one that was committed has left no calls to claim.
    return claim(ask);
  };

  return {
    takeBack(callIds) {
      released = [...released, ...callIds];
    },
    async settle() {
      // Begins with the doubts: a confirmed call is no longer a released one.
      await settleDoubts();
      await claimReleasedAlone();
    },
    async take(ask) {
      while (claimOfReleased !== null) await claimOfReleased.catch(() => undefined);

      takes += 1;
      try {
        await take(ask);
      } finally {
        takes -= 1;
      }
    },
  };
};
