/**
 * Keys of numbers for trials, which the session of an admin may reveal. A key is in this module's memory alone, and only
 * while the page of one operation is open: a form, the address and the shown command never contain it. The audit log has
 * one entry for each reveal.
 */
import { createClient, type PhoneNumber } from '#src/client/client.ts';
import { Problem, requestOnce } from '../api/request.ts';
import { learnSession } from '../signing.ts';

/** A refused request fails at once, because this page has no dialog to sign in again. */
const client = createClient({ baseUrl: '', fetch: requestOnce });

export const listOwnNumbers = async (): Promise<readonly PhoneNumber[]> =>
  (await client.listNumbers()).numbers;

const known = new Map<string, string>();

export const forgetSessionKeys = (): void => known.clear();

/** Returns the key of a number. Throws a `Problem` if the session may not reveal it, or `Unreachable`. */
export const sessionKeyOf = async (numberId: string): Promise<string> => {
  const before = known.get(numberId);
  if (before !== undefined) return before;
  try {
    const { key } = await client.revealKey({ id: numberId });
    known.set(numberId, key);
    return key;
  } catch (error) {
    if (error instanceof Problem && error.status === 401) await learnSession();
    throw error;
  }
};
