/** What is shown of each event of a call: who says what, or what happens. */
import { z } from 'zod';
import type { CallEvent } from '#src/client/schema.ts';
import { delayOf } from './reply-delays.ts';
import type { Words } from './words.ts';

export type CallRow = {
  /** Seconds from the answer; null before it. */
  atSec: number | null;
  /** Whose words these are; null of what happens. */
  speaker: 'assistant' | 'user' | null;
  text: string;
  /** How long the other party waited for it, in seconds. */
  delaySec: number | null;
};

const spoken = z.object({ role: z.enum(['assistant', 'user']), text: z.string(), whole: z.boolean() });
const summarized = z.object({ summary: z.string() });

/** What belongs to an event and is worth a word: the keys that were pressed, the failure of a reply, who answered. */
const detail = z.union([
  z.object({ keys: z.string() }).transform(({ keys }) => keys),
  z.object({ digit: z.string() }).transform(({ digit }) => digit),
  z.object({ failure: z.string() }).transform(({ failure }) => failure.replaceAll('_', ' ')),
  z.object({ by: z.string() }).transform(({ by }) => by),
]);

/** The end is told at the end, and what becomes of the recording behind it. */
const untold = new Set(['call.ended', 'recording.completed']);

const isNamed = <Names extends object>(names: Names, name: string): name is string & keyof Names =>
  Object.hasOwn(names, name);

/** A cut sentence shows where it broke off. */
const wordsOf = (data: CallEvent['data']): Pick<CallRow, 'speaker' | 'text'> | undefined => {
  const said = spoken.safeParse(data).data;
  return said && { speaker: said.role, text: said.whole ? said.text : `${said.text} –` };
};

const happening = ({ type, data }: CallEvent, { calls }: Words): Pick<CallRow, 'speaker' | 'text'> => {
  const names = calls.one.fact;
  const name = isNamed(names, type) ? names[type] : type;
  const more = summarized.safeParse(data).data?.summary ?? detail.safeParse(data).data;
  return { speaker: null, text: more === undefined ? name : `${name}: ${more}` };
};

/** `undefined` of what is not shown. */
export const rowOf = (event: CallEvent, words: Words): CallRow | undefined => {
  if (untold.has(event.type)) return undefined;
  const said = event.type === 'turn.spoken' ? wordsOf(event.data) : undefined;
  return {
    atSec: event.t_offset_sec,
    ...(said ?? happening(event, words)),
    delaySec: delayOf(event.data),
  };
};
