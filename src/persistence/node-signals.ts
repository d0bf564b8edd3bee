/**
 * Requests from gateway to gateway, as rows that are taken once: whoever is told only learns that there is something to
 * read, so none can be lost with a connection, and one that came too late is never carried out.
 */
import { createHash } from 'node:crypto';
import { now, secondsAgo } from './expressions.ts';
import { prepared } from './prepared.ts';
import type { Statements } from './statements.ts';
import type { Row } from './tables.ts';

export type StoredSignal = Pick<Row<'NodeSignal'>, 'id' | 'fromNode' | 'request'>;

/** The channel on which a gateway hears that it is asked or answered. Names of channels are short, those of gateways not. */
export const signalChannel = (node: string): string =>
  `signals_${createHash('sha256').update(node).digest('hex').slice(0, 32)}`;

type Sending = { id: string; toNode: string; fromNode: string; request: object };

const sending = prepared((queries, { id, toNode, fromNode, request }: Sending) =>
  queries.insertInto('NodeSignal').values({ id, toNode, fromNode, request, state: 'sent', sentAt: now }),
);

/** Whom it is for is not told. */
export const sendSignal = async (db: Statements, signal: Sending): Promise<void> => {
  await sending(db, signal);
};

type Taking = { node: string; withinSec: number; forgottenSec: number };

const taking = prepared((queries, { node, withinSec, forgottenSec }: Taking) =>
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

/** Requests to this gateway that nobody has taken yet; older than `withinMs`, nobody waits for it any more. */
export const takeSignals = (db: Statements, node: string, withinMs: number): Promise<StoredSignal[]> =>
  taking(db, { node, withinSec: withinMs / 1_000, forgottenSec: (2 * withinMs) / 1_000 });

const answering = prepared((queries, { id, answer }: { id: string; answer: object }) =>
  queries
    .updateTable('NodeSignal')
    .set({ state: 'answered', answer })
    .where('id', '=', id)
    .where('state', '=', 'taken')
    .returning('id'),
);

/** Whether somebody still waits for it; who asked is not told. */
export const answerSignal = async (
  db: Statements,
  { id }: Pick<StoredSignal, 'id'>,
  answer: object,
): Promise<boolean> => (await answering(db, { id, answer })).length > 0;

const takingAnswers = prepared((queries, { ids }: { ids: readonly string[] }) =>
  queries
    .deleteFrom('NodeSignal')
    .where('id', '=', ({ fn, val }) => fn.any(val(ids)))
    .where('state', '=', 'answered')
    .returning(['id', 'answer']),
);

/** The answers to these signals, as far as there are any; they are gone with it. */
export const takeAnswers = (
  db: Statements,
  ids: readonly string[],
): Promise<{ id: string; answer: unknown }[]> => takingAnswers(db, { ids });

const withdrawing = prepared((queries, { id }: { id: string }) =>
  queries.deleteFrom('NodeSignal').where('id', '=', id),
);

/** It is too late for this signal: it is not carried out any more, if it was not already. */
export const withdrawSignal = async (db: Statements, id: string): Promise<void> => {
  await withdrawing(db, { id });
};
