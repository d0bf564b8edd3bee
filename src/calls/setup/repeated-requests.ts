/** Requests for a call that a client may repeat under one key (guides/design/wire.md, "Repeated requests"). */
import { Refusal } from '#src/domain/refusal.ts';
import {
  findKeyedAnswer,
  type KeyedAnswer,
  type KeyedRequest,
} from '#src/persistence/workspaces/idempotency-records.ts';
import type { Sealing } from '#src/persistence/database/sealing.ts';
import type { Statements } from '#src/persistence/database/statements.ts';

export type { KeyedRequest } from '#src/persistence/workspaces/idempotency-records.ts';

export type RepeatedRequests = {
  /**
   * Resolves to the stored response of the same request, or to the data under which its response must be stored. Two
   * requests of a number are equal if their key and text are equal. Throws a Refusal (`idempotency_key_reused`) for a
   * key that was used with another text.
   */
  find(request: {
    numberId: string;
    key: string;
    text: string;
  }): Promise<{ answer: KeyedAnswer } | { keyed: KeyedRequest }>;
};

export const createRepeatedRequests = (db: Statements, sealing: Sealing): RepeatedRequests => ({
  async find({ numberId, key, text }) {
    const answer = await findKeyedAnswer(db, { numberId, key });
    if (answer === undefined) return { keyed: { key, fingerprint: sealing.fingerprint(text) } };
    // All fingerprints are compared, because the response may have been stored under an earlier master key.
    if (!sealing.fingerprints(text).some((fingerprint) => fingerprint.equals(answer.fingerprint))) {
      throw new Refusal(
        'idempotency_key_reused',
        'This key was used with another body. Use a new key for a new request.',
      );
    }
    return { answer };
  },
});
