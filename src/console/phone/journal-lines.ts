/** Words of a call before this page was loaded, from the call's journal. */
import type { CallEvent } from '../api/records.ts';
import { withKeys, type TalkLine } from './phone-state.ts';

const withFact = (lines: TalkLine[], { type, data, sequence }: CallEvent): TalkLine[] => {
  const { text = '' } = data;
  if (type === 'turn.digit') return withKeys(lines, 'my-keys', data.digit ?? '');
  if (type === 'keys.pressed') return withKeys(lines, 'agent-keys', data.keys ?? '');
  if (type !== 'turn.spoken' || text === '') return lines;
  if (data.role === 'user') return [...lines, { who: 'me', text }];
  // The id is negative, because utterance ids of the line start at one and must not match.
  return [...lines, { who: 'agent', parts: [{ utterance: -sequence, text }], isCut: data.whole === false }];
};

/** Converts journal entries to lines, in order of time: a turn is stored at its end but dated at its beginning. */
export const journalLines = (events: readonly CallEvent[]): TalkLine[] =>
  events
    .toSorted((a, b) => Date.parse(a.at) - Date.parse(b.at) || a.sequence - b.sequence)
    .reduce<TalkLine[]>(withFact, []);
