/**
 * Reads the called number from an INVITE, usually from the Request-URI. A trunk that is registered at may put our own
 * contact there; the number then stands in P-Called-Party-ID (RFC 7315), which goes first, since it is what the
 * Request-URI was before, or else in To.
 */
import type { Country } from '#src/domain/phone-number.ts';
import type { BareDigits } from '#src/domain/read-number.ts';
import { headerOf, type Headers } from '../headers/header-values.ts';
import { nameAddressesIn } from '../headers/name-addresses.ts';
import { bareDigitsIn, calledNumber } from './number-format.ts';

export type CalledParty = {
  /** Domestic format, without repetition; the likeliest first, none when no number of this country was called. */
  numbers: readonly string[];
  /** How this trunk writes numbers of this country: a caller's digits are to be read in the same way. */
  bare: BareDigits;
};

export const calledParty = (request: Headers & { uri: string }, country: Country): CalledParty => {
  const named = (header: string): string[] =>
    nameAddressesIn(headerOf(request, header)).map(({ uri }) => uri);
  const uris = [...named('P-Called-Party-ID'), request.uri, ...named('To')];
  const numbers = uris.map((uri) => calledNumber(uri, country)).filter((number) => number !== undefined);
  return {
    numbers: [...new Set(numbers)],
    bare: uris.some((uri) => bareDigitsIn(uri, country) === 'international') ? 'international' : 'national',
  };
};
