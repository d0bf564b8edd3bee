import { getCall, getCallEvents } from '../api.ts';
import { journalLines } from './journal-lines.ts';
import type { TalkLine } from './phone-state.ts';

/** `since` is the answer, in milliseconds since the epoch; null where the journal does not have it yet. */
export type Recalled = { since: number | null; lines: TalkLine[] };

export const recall = async (callId: string): Promise<Recalled> => {
  const [call, events] = await Promise.all([getCall(callId), getCallEvents(callId)]);
  const since = call.answered_at === null ? null : Date.parse(call.answered_at);
  return { since, lines: journalLines(events) };
};
