/**
 * Requests between gateways, stored as rows. Each row is taken once. Notifications only announce the rows, so a lost
 * connection loses no request. An expired request is never executed.
 */
import { createHash } from 'node:crypto';
import { now, secondsAgo } from '../database/expressions.ts';
import { kyselyQuery } from '../database/kysely-query.ts';
import type { Statements } from '../database/statements.ts';
import type { Row } from '../database/tables.ts';

export type StoredSignal = Pick<Row<'NodeSignal'>, 'id' | 'fromNode' | 'request'>;

/**
 * Returns the channel that announces requests and answers to a gateway. The channel's name is derived from the
 * gateway's, because only names of channels are limited in length.
 */
export const signalChannel = (node: string): string =>
  `signals_${createHash('sha256').update(node).digest('hex').slice(0, 32)}`;

type Sending = { id: string; toNode: string; fromNode: string; request: object };

const sending = kyselyQuery((queries, { id, toNode, fromNode, request }: Sending) =>
  queries.insertInto('NodeSignal').values({ id, toNode, fromNode, request, state: 'sent', sentAt: now }),
);

/** Inserts a request without notifying its recipient. */
export const sendSignal = async (db: Statements, signal: Sending): Promise<void> => {
  await sending(db, signal);
};

type Taking = { node: string; withinSec: number; forgottenSec: number };

const taking = kyselyQuery((queries, { node, withinSec, forgottenSec }: Taking) =>
  queries
    .with('tooLate', (write) =>
      write
        .deleteFrom('NodeSignal')
        .where('toNode', '=', node)
        .where('sentAt', '<', secondsAgo(forgottenSec)),
    )
    .updateTable('NodeSignal')
    .set({ state: 'taken' })
    .where('toNode', '=', node)
    .where('state', '=', 'sent')
    .where('sentAt', '>=', secondsAgo(withinSec))
    .returning(['id', 'fromNode', 'request']),
);

/** Takes the open requests to this gateway. Requests older than `withinMs` have expired. */
export const takeSignals = (db: Statements, node: string, withinMs: number): Promise<StoredSignal[]> =>
  taking(db, { node, withinSec: withinMs / 1_000, forgottenSec: (2 * withinMs) / 1_000 });

const answering = kyselyQuery((queries, { id, answer }: { id: string; answer: object }) =>
  queries
    .updateTable('NodeSignal')
    .set({ state: 'answered', answer })
    .where('id', '=', id)
    .where('state', '=', 'taken')
    .returning('id'),
);

/** Stores the answer if the requester still waits. The requester is not notified here. */
export const answerSignal = async (
  db: Statements,
  { id }: Pick<StoredSignal, 'id'>,
  answer: object,
): Promise<boolean> => (await answering(db, { id, answer })).length > 0;

const takingAnswers = kyselyQuery((queries, { ids }: { ids: readonly string[] }) =>
  queries
    .deleteFrom('NodeSignal')
    .where('id', '=', ({ fn, val }) => fn.any(val(ids)))
    .where('state', '=', 'answered')
    .returning(['id', 'answer']),
);

/** Returns the available answers to these signals and deletes them with the signals. */
export const takeAnswers = (
  db: Statements,
  ids: readonly string[],
): Promise<{ id: string; answer: unknown }[]> => takingAnswers(db, { ids });

const withdrawing = kyselyQuery((queries, { id }: { id: string }) =>
  queries.deleteFrom('NodeSignal').where('id', '=', id).returning(['state', 'answer']),
);

export type WithdrawnSignal = Pick<Row<'NodeSignal'>, 'state' | 'answer'>;

/**
 * Withdraws an expired request, and returns its last state. The request is not executed afterwards. A request that was
 * `sent` has not been executed either; one that was `taken`, or is no longer stored, may have been.
 */
export const withdrawSignal = async (db: Statements, id: string): Promise<WithdrawnSignal | undefined> =>
  (await withdrawing(db, { id }))[0];
