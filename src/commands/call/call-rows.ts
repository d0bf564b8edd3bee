/** Rows of a call in a terminal: what was said, and what happened. */
import { z } from 'zod';
import type { CallEvent } from '#src/client/schema.ts';
import { delayOf } from './reply-delays.ts';
import type { Words } from './words.ts';

/** One event of a call: a spoken turn or another event. */
export type CallRow = {
  /** Seconds since the answer; null before the answer. */
  atSec: number | null;
  /** Speaker; null for other events. */
  speaker: 'assistant' | 'user' | null;
  text: string;
  /** Whether the turn was heard to its end; true for other events. */
  isWhole: boolean;
  /** Seconds that the other party waited for this reply. */
  delaySec: number | null;
};

const spoken = z.object({ role: z.enum(['assistant', 'user']), text: z.string(), whole: z.boolean() });
const summarized = z.object({ summary: z.string() });

/**
 * Details of an event that are shown: DTMF digits, the failure of a reply, the result of answer detection, the target
 * of a transfer.
 */
const detail = z.union([
  z.object({ keys: z.string() }).transform(({ keys }) => keys),
  z.object({ digit: z.string() }).transform(({ digit }) => digit),
  z.object({ failure: z.string() }).transform(({ failure }) => failure.replaceAll('_', ' ')),
  z.object({ by: z.string() }).transform(({ by }) => by),
  z.object({ to: z.string() }).transform(({ to }) => to),
]);

/** Reason for a failed transfer. */
const failedTransfer = z.object({ reason: z.string() });

/** Events without a row: the end and the recording are shown separately. */
const untold = new Set(['call.ended', 'recording.completed']);

const isNamed = <Names extends object>(names: Names, name: string): name is string & keyof Names =>
  Object.hasOwn(names, name);

type Told = Pick<CallRow, 'speaker' | 'text' | 'isWhole'>;

const wordsOf = (data: CallEvent['data']): Told | undefined => {
  const said = spoken.safeParse(data).data;
  return said && { speaker: said.role, text: said.text, isWhole: said.whole };
};

const reasonOf = (data: CallEvent['data'], { one }: Words['calls']): string | undefined => {
  const reason = failedTransfer.safeParse(data).data?.reason;
  if (reason === undefined) return undefined;
  return isNamed(one.transferReason, reason) ? one.transferReason[reason] : reason;
};

const happening = ({ type, data }: CallEvent, { calls }: Words): Told => {
  const names = calls.one.fact;
  const name = isNamed(names, type) ? names[type] : type;
  const more =
    summarized.safeParse(data).data?.summary ?? reasonOf(data, calls) ?? detail.safeParse(data).data;
  return { speaker: null, text: more === undefined ? name : `${name}: ${more}`, isWhole: true };
};

/** Returns the row of an event; `undefined` for events that are not shown. */
export const rowOf = (event: CallEvent, words: Words): CallRow | undefined => {
  if (untold.has(event.type)) return undefined;
  const said = event.type === 'turn.spoken' ? wordsOf(event.data) : undefined;
  return {
    atSec: event.t_offset_sec,
    ...(said ?? happening(event, words)),
    delaySec: delayOf(event.data),
  };
};

/** Orders rows by their times. Rows from before the answer come first; rows of the same time keep their order. */
export const byTime = (one: { atSec: number | null }, other: { atSec: number | null }): number =>
  (one.atSec ?? -1) - (other.atSec ?? -1);
