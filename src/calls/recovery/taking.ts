/**
 * Taking calls, and going on with them, whatever becomes of the database's answer: a call whose new holder did not learn
 * that it holds it would stand for ever, since whoever held it before has nothing left to be cleaned up after.
 */
import type { Database } from '#src/persistence/database.ts';
import { confirmTaken, TakingInDoubt, type TakenCall } from '#src/persistence/held-calls.ts';

export type Taking = {
  /** Resolves when each call has its actor here, or is being ended. Rejects where the database is away. */
  take(ask: () => Promise<TakenCall[]>): Promise<void>;
  /** Goes on with what was taken in doubt, once the database says so; to be asked for again when it rejects. */
  settleDoubts(): Promise<void>;
};

export const createTaking = ({
  database,
  goOn,
}: {
  database: Database;
  /** Goes on with these calls, or ends them. Never rejects. */
  goOn: (calls: readonly TakenCall[]) => Promise<void>;
}): Taking => {
  let inDoubt: readonly TakenCall[] = [];

  const settleDoubts = async (): Promise<void> => {
    if (inDoubt.length === 0) return;
    // Nobody else asks of these meanwhile, so that nobody else goes on with them.
    const asked = inDoubt;
    inDoubt = [];
    let taken: TakenCall[];
    try {
      taken = await confirmTaken(database, asked);
    } catch (error) {
      inDoubt = [...inDoubt, ...asked];
      throw error;
    }
    await goOn(taken);
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
      await goOn(taken);
    },
  };
};
