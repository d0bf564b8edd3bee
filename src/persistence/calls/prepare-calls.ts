/**
 * Runs the statements of every call and of a take-over once without effect. The server then has their plans in a
 * connection of each pool, and the first calls after a start do not wait for them.
 */
import { randomUUID } from 'node:crypto';
import { insertCalls } from './calls.ts';
import { prepareFacts } from './call-facts.ts';
import { journalsOf } from './call-journal.ts';
import { takeFromLostNode } from './claim-calls.ts';
import type { Database } from '../database/database.ts';
import { claimLostNode, nodesWithoutConnections } from '../nodes/nodes.ts';
import { findNumberByDigits } from '../numbers/callable-numbers.ts';

const prepareCreation = async (db: Database): Promise<void> => {
  await findNumberByDigits(db, '');
  await insertCalls(db, []);
};

/** No gateway has this name, so its claims and its journals find no rows. */
const noNode = '';

/**
 * Prepares the statements from a death to the resumed calls. A pool uses the connection that was released last, so the
 * first take-over gets the one that has them.
 */
const prepareTakeOver = async (db: Database): Promise<void> => {
  await nodesWithoutConnections(db, [noNode]);
  await claimLostNode(db, {
    name: noNode,
    instance: randomUUID(),
    seenAt: new Date(0),
    forMs: 0,
    leaves: { form: 0, forMs: 0 },
  });
  await takeFromLostNode(db, { from: noNode, by: noNode, canResume: true });
  await journalsOf(db, []);
};

export const prepareCalls = async (db: Database): Promise<void> => {
  await Promise.all([prepareCreation(db), prepareFacts(db.journal)]);
  await prepareTakeOver(db);
};
