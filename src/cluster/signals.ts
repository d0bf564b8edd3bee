/**
 * Asking the gateway that holds a call: it does what is asked and says so, or it is not reached in time. A request that
 * is given up is withdrawn, so that it is not carried out long after.
 */
import { randomUUID } from 'node:crypto';
import type { Logger } from 'pino';
import type { Clock } from '#src/domain/clock.ts';
import { withTimeout } from '#src/domain/with-timeout.ts';
import type { Database } from '#src/persistence/database.ts';
import {
  answerSignal,
  sendSignal,
  signalChannel,
  takeAnswers,
  takeSignals,
  withdrawSignal,
  type StoredSignal,
} from '#src/persistence/node-signals.ts';

/** The other gateway did not answer in time. */
export class NodeUnreachable extends Error {
  override readonly name = 'NodeUnreachable';
}

export type NodeSignals = {
  /** Does what others ask from now on. Never rejects in `perform`'s name: what it throws is logged and not answered. */
  open(perform: (request: unknown) => Promise<object>): Promise<void>;
  /** Resolves to the answer of that gateway. Rejects with `NodeUnreachable`, or when the database is away. */
  ask(node: string, request: object): Promise<unknown>;
  close(): Promise<void>;
};

export const createNodeSignals = (options: {
  database: Database;
  node: string;
  /** How long an answer is waited for. */
  answerMs: number;
  clock: Clock;
  logger: Logger;
}): NodeSignals => {
  const { database, node, answerMs, clock, logger } = options;
  const waiting = new Map<string, (answer: unknown) => void>();
  let perform: ((request: unknown) => Promise<object>) | null = null;
  let reading: Promise<void> | null = null;
  let isWanted = false;
  let unlisten: (() => Promise<void>) | null = null;

  const answer = async (signal: StoredSignal): Promise<void> => {
    if (perform === null) return;
    try {
      await answerSignal(database, signal, await perform(signal.request));
    } catch (error) {
      logger.error(
        { err: error, from_node: signal.fromNode },
        'what another gateway asked could not be done',
      );
    }
  };

  const readOnce = async (): Promise<void> => {
    if (waiting.size > 0) {
      for (const { id, answer: given } of await takeAnswers(database, [...waiting.keys()]))
        waiting.get(id)?.(given);
    }
    // Not waited for: one that takes long holds up no other.
    for (const signal of await takeSignals(database, node, answerMs)) void answer(signal);
  };

  const readAll = async (): Promise<void> => {
    while (isWanted) {
      isWanted = false;
      try {
        await readOnce();
      } catch (error) {
        logger.warn({ err: error }, 'signals of other gateways could not be read');
      }
    }
    reading = null;
  };

  const read = (): void => {
    isWanted = true;
    reading ??= readAll();
  };

  return {
    async open(performer) {
      perform = performer;
      unlisten = await database.listen(signalChannel(node), read);
      read();
    },
    async ask(other, request) {
      const id = randomUUID();
      const answer = Promise.withResolvers<unknown>();
      waiting.set(id, answer.resolve);
      const send = async (): Promise<unknown> => {
        await sendSignal(database, { id, toNode: other, fromNode: node, request });
        return answer.promise;
      };
      try {
        return await withTimeout(clock, answerMs, send, {
          error: () => new NodeUnreachable(`No answer within ${answerMs} ms`),
        });
      } catch (error) {
        // One that cannot be withdrawn is too old to be taken soon.
        await withdrawSignal(database, id).catch(() => undefined);
        throw error;
      } finally {
        waiting.delete(id);
      }
    },
    async close() {
      perform = null;
      await unlisten?.();
      await reading;
    },
  };
};
