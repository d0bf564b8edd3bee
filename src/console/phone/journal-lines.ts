/** What was said in a call before this page was loaded, from the journal of the call. */
import type { CallEvent } from '../api/records.ts';
import { withKeys, type TalkLine } from './phone-state.ts';

const withFact = (lines: TalkLine[], { type, data, sequence }: CallEvent): TalkLine[] => {
  const { text = '' } = data;
  if (type === 'turn.digit') return withKeys(lines, 'my-keys', data.digit ?? '');
  if (type === 'keys.pressed') return withKeys(lines, 'agent-keys', data.keys ?? '');
  if (type !== 'turn.spoken' || text === '') return lines;
  if (data.role === 'user') return [...lines, { who: 'me', text }];
  // Utterances of the line count from one: none of them is taken for one that sounds.
  return [...lines, { who: 'agent', parts: [{ utterance: -sequence, text }], isCut: data.whole === false }];
};

/** A turn is written when it is over, and happened when it began. */
export const journalLines = (events: readonly CallEvent[]): TalkLine[] =>
  events
    .toSorted((a, b) => Date.parse(a.at) - Date.parse(b.at) || a.sequence - b.sequence)
    .reduce<TalkLine[]>(withFact, []);
