/**
 * Cursors of lists, which encode the position after a page. Clients must treat a cursor as opaque, because its content
 * may change.
 */
import * as z from 'zod';

/** Cursor of a list that is sorted by a timestamp, then by an id. */
export type MomentCursor = { at: Date; id: string };

const form = /^(\d{1,15})\.([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})$/;

export const encodeMomentCursor = ({ at, id }: MomentCursor): string =>
  Buffer.from(`${at.getTime()}.${id}`).toString('base64url');

/** Decodes a cursor; `undefined` for any value that `encodeMomentCursor` did not create. */
export const decodeMomentCursor = (cursor: string): MomentCursor | undefined => {
  const [, time, id] = form.exec(Buffer.from(cursor, 'base64url').toString()) ?? [];
  if (time === undefined || id === undefined) return undefined;
  const at = new Date(Number(time));
  const decoded = { at, id };
  return Number(time) < Date.UTC(10_000, 0) && encodeMomentCursor(decoded) === cursor ? decoded : undefined;
};

/** Cursor of a list of calls. `durationSec` is set in the order by duration; null for a call without a duration. */
export type CallCursor = MomentCursor & { durationSec?: number | null | undefined };

const lengthForm = /^(none|\d{1,9}(?:\.\d{1,25})?(?:e-\d{1,3})?) (.*)$/;

export const encodeCallCursor = ({ durationSec, ...moment }: CallCursor): string => {
  const place = encodeMomentCursor(moment);
  return durationSec === undefined
    ? place
    : Buffer.from(`${durationSec ?? 'none'} ${place}`).toString('base64url');
};

/** Decodes a cursor; `undefined` for any value that `encodeCallCursor` did not create. */
export const decodeCallCursor = (cursor: string): CallCursor | undefined => {
  const [, length, place] = lengthForm.exec(Buffer.from(cursor, 'base64url').toString()) ?? [];
  if (length === undefined || place === undefined) return decodeMomentCursor(cursor);
  const moment = decodeMomentCursor(place);
  if (moment === undefined) return undefined;
  const decoded = { ...moment, durationSec: length === 'none' ? null : Number(length) };
  return encodeCallCursor(decoded) === cursor ? decoded : undefined;
};

/** Property of every page of a list. */
export const nextCursor = z.string().nullable().meta({
  description: 'For the next page; null on the last one.',
  example: 'MTc2Mzc3MjAwMDAwMC43ZjljMmY2ZS00ZjBlLTRiN2UtOWIxYy0yZDFkNWExZTBjMTE',
});

const inQuery = <Cursor>(decode: (cursor: string) => Cursor | undefined) =>
  z
    .string()
    .transform((value, context) => {
      const cursor = decode(value);
      if (cursor !== undefined) return cursor;
      context.addIssue({ code: 'custom', message: 'This is no cursor of this list.' });
      return z.NEVER;
    })
    .meta({ description: 'The `next_cursor` of the previous page.', override: { type: 'string' } });

export const momentCursorInQuery = inQuery(decodeMomentCursor);

export const callCursorInQuery = inQuery(decodeCallCursor);

/** Cursor of a list that is sorted by an increasing number. */
export const encodeCountCursor = (count: number): string => Buffer.from(`n${count}`).toString('base64url');

export const decodeCountCursor = (cursor: string): number | undefined => {
  const [, digits] = /^n(\d{1,15})$/.exec(Buffer.from(cursor, 'base64url').toString()) ?? [];
  return digits !== undefined && encodeCountCursor(Number(digits)) === cursor ? Number(digits) : undefined;
};

export const countCursorInQuery = inQuery(decodeCountCursor);
