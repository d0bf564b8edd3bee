/**
 * Fields for custom SIP headers (guides/design/wire.md, "SIP headers"): the headers of one call, and the lists of a
 * trunk.
 */
import * as z from 'zod';
import {
  areDifferentHeaders,
  isSipHeaderValue,
  longestSipHeader,
  mostListedHeaders,
  mostSipHeaders,
  sipHeaderName,
} from '#src/domain/sip-headers.ts';

const headerName = z.string().regex(sipHeaderName, {
  error: 'The name of a header is X- and 1 to 60 letters of ASCII, digits, hyphens, dots and underscores.',
});

const twice = { error: 'A header is listed twice.' };

/** Headers of one call. */
export const sipHeaders = z
  .record(
    headerName,
    z.string().refine(isSipHeaderValue, {
      error: `A header has 1 to ${longestSipHeader} bytes, no space at its ends, no line end and no other control character.`,
    }),
  )
  .refine((headers) => Object.keys(headers).length <= mostSipHeaders, {
    error: `There may be up to ${mostSipHeaders} headers.`,
  })
  .refine((headers) => areDifferentHeaders(Object.keys(headers)), twice)
  .meta({
    description: `Headers for the INVITE, at most ${mostSipHeaders}. Only those that a trunk of the number lists in its \`headers_out\`; the call uses only trunks that list all of them.`,
    example: { 'X-Ticket': '1042' },
  });

/** Header list of a trunk. */
export const headerNames = z.array(headerName).max(mostListedHeaders).refine(areDifferentHeaders, twice);
