/** Formats the events of a call: who says what, and what happens. */
import { z } from 'zod';
import type { CallEvent } from '#src/client/schema.ts';
import { delayOf } from './reply-delays.ts';
import type { Words } from './words.ts';

export type CallRow = {
  /** Seconds since the answer; null before the answer. */
  atSec: number | null;
  /** Speaker; null for other events. */
  speaker: 'assistant' | 'user' | null;
  text: string;
  /** Seconds that the other party waited for this reply. */
  delaySec: number | null;
};

const spoken = z.object({ role: z.enum(['assistant', 'user']), text: z.string(), whole: z.boolean() });
const summarized = z.object({ summary: z.string() });

/** Details of an event worth showing: pressed keys, the failure of a reply, who answered, the target of a transfer. */
const detail = z.union([
  z.object({ keys: z.string() }).transform(({ keys }) => keys),
  z.object({ digit: z.string() }).transform(({ digit }) => digit),
  z.object({ failure: z.string() }).transform(({ failure }) => failure.replaceAll('_', ' ')),
  z.object({ by: z.string() }).transform(({ by }) => by),
  z.object({ to: z.string() }).transform(({ to }) => to),
]);

/** Why a transfer has failed. */
const failedTransfer = z.object({ reason: z.string() });

/** The end and the recording are shown separately. */
const untold = new Set(['call.ended', 'recording.completed']);

const isNamed = <Names extends object>(names: Names, name: string): name is string & keyof Names =>
  Object.hasOwn(names, name);

/** Marks where an interrupted sentence broke off. */
const wordsOf = (data: CallEvent['data']): Pick<CallRow, 'speaker' | 'text'> | undefined => {
  const said = spoken.safeParse(data).data;
  return said && { speaker: said.role, text: said.whole ? said.text : `${said.text} –` };
};

const reasonOf = (data: CallEvent['data'], { one }: Words['calls']): string | undefined => {
  const reason = failedTransfer.safeParse(data).data?.reason;
  if (reason === undefined) return undefined;
  return isNamed(one.transferReason, reason) ? one.transferReason[reason] : reason;
};

const happening = ({ type, data }: CallEvent, { calls }: Words): Pick<CallRow, 'speaker' | 'text'> => {
  const names = calls.one.fact;
  const name = isNamed(names, type) ? names[type] : type;
  const more =
    summarized.safeParse(data).data?.summary ?? reasonOf(data, calls) ?? detail.safeParse(data).data;
  return { speaker: null, text: more === undefined ? name : `${name}: ${more}` };
};

/** `undefined` for events that are not shown. */
export const rowOf = (event: CallEvent, words: Words): CallRow | undefined => {
  if (untold.has(event.type)) return undefined;
  const said = event.type === 'turn.spoken' ? wordsOf(event.data) : undefined;
  return {
    atSec: event.t_offset_sec,
    ...(said ?? happening(event, words)),
    delaySec: delayOf(event.data),
  };
};
