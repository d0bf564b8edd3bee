/**
 * Runs the statements of every call once without effect. The server then has their plans in a connection of each pool,
 * and the first calls after a start do not wait for them.
 */
import { insertCalls } from './calls.ts';
import { prepareFacts } from './call-facts.ts';
import { compileJournals } from './call-journal.ts';
import { compileClaim } from './claim-calls.ts';
import type { Database } from '../database/database.ts';
import { findNumberByDigits } from '../numbers/callable-numbers.ts';

const prepareCreation = async (db: Database): Promise<void> => {
  await findNumberByDigits(db, '');
  await insertCalls(db, []);
};

export const prepareCalls = async (db: Database): Promise<void> => {
  await Promise.all([prepareCreation(db), prepareFacts(db.journal)]);
};

/** Compiles the queries of a take-over, so that the calls of a gateway that dies do not wait for it. */
export const compileTakeOver = (db: Pick<Database, 'queries'>): void => {
  compileClaim(db);
  compileJournals(db);
};
