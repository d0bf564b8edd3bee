import { getCall, getCallEvents } from '../api.ts';
import { journalLines } from './journal-lines.ts';
import type { TalkLine } from './phone-state.ts';

/**
 * Restored lines of a call. `since` is the time of the answer in milliseconds since the epoch; null if the journal does
 * not contain the answer yet.
 */
export type Recalled = { since: number | null; lines: TalkLine[] };

export const recall = async (callId: string): Promise<Recalled> => {
  const [call, events] = await Promise.all([getCall(callId), getCallEvents(callId)]);
  const since = call.answered_at === null ? null : Date.parse(call.answered_at);
  return { since, lines: journalLines(events) };
};
