/**
 * Takes calls and resumes them, even if the database's confirmation is lost: a call whose new holder does not know it
 * would never end, because its previous holder is already cleaned up.
 */
import type { Database } from '#src/persistence/database/database.ts';
import { confirmTaken, TakingInDoubt, type TakenCall } from '#src/persistence/calls/claim-calls.ts';

export type Ownership = {
  /** Resolves when each call has its actor here, or is being ended. Rejects if the database is down. */
  take(ask: () => Promise<TakenCall[]>): Promise<void>;
  /**
   * Resumes calls whose take-over is in doubt, once the database confirms them; the caller retries after a rejection.
   */
  settleDoubts(): Promise<void>;
};

export const createOwnership = ({
  database,
  resume,
}: {
  database: Database;
  /** Resumes these calls, or ends them. Never rejects. */
  resume: (calls: readonly TakenCall[]) => Promise<void>;
}): Ownership => {
  let inDoubt: readonly TakenCall[] = [];

  const settleDoubts = async (): Promise<void> => {
    if (inDoubt.length === 0) return;
    // Removed from the list during the query, so that no concurrent run resumes these calls as well.
    const asked = inDoubt;
    inDoubt = [];
    let taken: TakenCall[];
    try {
      taken = await confirmTaken(database, asked);
    } catch (error) {
      inDoubt = [...inDoubt, ...asked];
      throw error;
    }
    await resume(taken);
  };

  return {
    settleDoubts,
    async take(ask) {
      let taken: TakenCall[];
      try {
        taken = await ask();
      } catch (error) {
        if (!(error instanceof TakingInDoubt)) throw error;
        inDoubt = [...inDoubt, ...error.calls];
        return settleDoubts();
      }
      await resume(taken);
    },
  };
};
