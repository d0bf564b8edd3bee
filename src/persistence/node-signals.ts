/**
 * Requests from gateway to gateway, as rows that are taken once: a notification only says that there is something to
 * read, so none can be lost with a connection, and one that came too late is never carried out.
 */
import { createHash } from 'node:crypto';
import type { Database } from './database.ts';

export type StoredSignal = { id: string; fromNode: string; request: unknown };

/** The channel on which a gateway hears that it is asked or answered. Names of channels are short, those of gateways not. */
export const signalChannel = (node: string): string =>
  `signals_${createHash('sha256').update(node).digest('hex').slice(0, 32)}`;

export const sendSignal = async (
  db: Database,
  signal: { id: string; toNode: string; fromNode: string; request: object },
): Promise<void> => {
  await db.execute(
    `with sent as (
       insert into node_signal (id, to_node, from_node, request, state, sent_at)
       values ($1, $2, $3, $4::jsonb, 'sent', now()) returning id
     ) select pg_notify($5, '') from sent`,
    [signal.id, signal.toNode, signal.fromNode, JSON.stringify(signal.request), signalChannel(signal.toNode)],
  );
};

/** What this gateway is asked and nobody has taken yet; older than `withinMs`, nobody waits for it any more. */
export const takeSignals = (db: Database, node: string, withinMs: number): Promise<StoredSignal[]> =>
  db.execute<StoredSignal>(
    `with too_late as (
       delete from node_signal where to_node = $1 and sent_at < now() - make_interval(secs => 2 * $2::float8)
     )
     update node_signal set state = 'taken'
     where to_node = $1 and state = 'sent' and sent_at >= now() - make_interval(secs => $2::float8)
     returning id, from_node as "fromNode", request`,
    [node, withinMs / 1000],
  );

export const answerSignal = async (
  db: Database,
  { id, fromNode }: StoredSignal,
  answer: object,
): Promise<void> => {
  await db.execute(
    `with answered as (
       update node_signal set state = 'answered', answer = $2::jsonb where id = $1 and state = 'taken' returning id
     ) select pg_notify($3, '') from answered`,
    [id, JSON.stringify(answer), signalChannel(fromNode)],
  );
};

/** The answers to these signals, as far as there are any; they are gone with it. */
export const takeAnswers = (
  db: Database,
  ids: readonly string[],
): Promise<{ id: string; answer: unknown }[]> =>
  db.execute<{ id: string; answer: unknown }>(
    `delete from node_signal where id = any ($1::uuid[]) and state = 'answered' returning id, answer`,
    [ids],
  );

/** It is too late for this signal: it is not carried out any more, if it was not already. */
export const withdrawSignal = async (db: Database, id: string): Promise<void> => {
  await db.execute('delete from node_signal where id = $1', [id]);
};
