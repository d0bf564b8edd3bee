import { getCall, getCallEvents } from '../api.ts';
import { type TalkLine, withKeys } from './phone-state.ts';
import type { CallEvent } from '../api/records.ts';

// Words of a call before this page was loaded, from the call's journal.

const withFact = (lines: TalkLine[], { type, data, sequence }: CallEvent): TalkLine[] => {
  const { text = '' } = data;
  if (type === 'turn.digit') return withKeys(lines, 'my-keys', data.digit ?? '');
  if (type === 'keys.pressed') return withKeys(lines, 'agent-keys', data.keys ?? '');
  if (type !== 'turn.spoken' || text === '') return lines;
  if (data.role === 'user') return [...lines, { who: 'me', text }];
  // Utterance ids of the line start at one; negative ids cannot match a current utterance.
  return [...lines, { who: 'agent', parts: [{ utterance: -sequence, text }], isCut: data.whole === false }];
};

/** A turn is stored at its end but dated at its beginning, hence the order. */
export const journalLines = (events: readonly CallEvent[]): TalkLine[] =>
  events
    .toSorted((a, b) => Date.parse(a.at) - Date.parse(b.at) || a.sequence - b.sequence)
    .reduce<TalkLine[]>(withFact, []);

/** `since` is the time of the answer, in milliseconds since the epoch; null if it is not yet in the journal. */
export type Recalled = { since: number | null; lines: TalkLine[] };

export const recall = async (callId: string): Promise<Recalled> => {
  const [call, events] = await Promise.all([getCall(callId), getCallEvents(callId)]);
  const since = call.answered_at === null ? null : Date.parse(call.answered_at);
  return { since, lines: journalLines(events) };
};
