/**
 * Reads the called number from an INVITE, usually from the Request-URI. A trunk at which the gateway is registered may
 * put the gateway's contact there instead; the number is then in P-Called-Party-ID (RFC 7315), or else in To.
 * P-Called-Party-ID has precedence, because it contains the original Request-URI.
 */
import type { Country } from '#src/domain/phone-number.ts';
import type { BareDigits } from '#src/domain/read-number.ts';
import { headerOf, type Headers } from '../headers/header-values.ts';
import { nameAddressesIn } from '../headers/name-addresses.ts';
import { bareDigitsIn, calledNumber } from './number-format.ts';

export type CalledParty = {
  /**
   * Possible called numbers in domestic format, without repetition, the likeliest first; empty if no number of this
   * country was called.
   */
  numbers: readonly string[];
  /** Format in which this trunk writes numbers of this country. The caller's digits must be read in the same format. */
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
