/**
 * Keys of numbers, for placing and ending calls. The keys are cached in memory, so that the audit log contains only one
 * reveal.
 */
import { issueKey, revealKey } from './api.ts';
import { Problem } from './api/request.ts';

const known = new Map<string, string>();

export const forgetKeys = (): void => known.clear();

export const keyOf = async (numberId: string): Promise<string> => {
  const key = known.get(numberId) ?? (await revealKey(numberId));
  known.set(numberId, key);
  return key;
};

export const newKeyOf = async (numberId: string): Promise<string> => {
  const key = await issueKey(numberId);
  known.set(numberId, key);
  return key;
};

/** Calls a function with the number's key. If the cached key was replaced, calls it again with the new key. */
export const withKeyOf = async <Result>(
  numberId: string,
  act: (key: string) => Promise<Result>,
): Promise<Result> => {
  const wasKnown = known.has(numberId);
  try {
    return await act(await keyOf(numberId));
  } catch (error) {
    if (!wasKnown || !(error instanceof Problem) || error.status !== 401) throw error;
    known.delete(numberId);
    return act(await keyOf(numberId));
  }
};
