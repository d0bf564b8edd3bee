/**
 * Reads the diverting parties of a call from `Diversion` (RFC 5806), which most trunks send, else from `History-Info`
 * (RFC 7044, with the causes of RFC 4458). The last diversion comes first, as in `Diversion`. A restricted number is
 * returned as `anonymous`.
 */
import { anonymous, type Diversion } from '#src/domain/caller-identity.ts';
import type { Country } from '#src/domain/phone-number.ts';
import type { BareDigits } from '#src/domain/read-number.ts';
import { headerOf, type Headers } from '../headers/header-values.ts';
import { nameAddressesIn, type NameAddress } from '../headers/name-addresses.ts';
import { callingNumber } from './number-format.ts';

/** Maximum number of diversions; more of them indicate a loop. */
const mostDiversions = 5;

/** Maximum length of a reason, twice the longest reason of RFC 5806. */
const longestReason = 40;

/** Reasons in the terms of RFC 5806 by the causes of RFC 4458 (SIP statuses). */
const reasonOfCause: Readonly<Record<string, string>> = {
  302: 'unconditional',
  404: 'unknown',
  408: 'no-answer',
  480: 'deflection',
  486: 'user-busy',
  487: 'deflection',
  503: 'unavailable',
};

type Reading = { country: Country; bare: BareDigits };

const diversionOf = (
  uri: string,
  isHidden: boolean,
  reason: string | undefined,
  { country, bare }: Reading,
): Diversion[] => {
  const number = isHidden ? anonymous : callingNumber(uri, country, bare);
  if (number === undefined) return [];
  const word = reason?.toLowerCase().slice(0, longestReason);
  return [{ number, reason: word === undefined || !/^[\w.-]+$/.test(word) ? null : word }];
};

const hidingWords: ReadonlySet<string> = new Set(['full', 'uri', 'name,uri']);

const fromDiversion = (entries: readonly NameAddress[], reading: Reading): Diversion[] =>
  entries.flatMap((entry) =>
    diversionOf(
      entry.uri,
      hidingWords.has(entry.parameters.get('privacy')?.toLowerCase() ?? ''),
      entry.parameters.get('reason'),
      reading,
    ),
  );

/** Returns the cause, a parameter of the URI's user part: `;cause=302`. */
const causeOf = (entry: NameAddress | undefined): string | undefined =>
  /;cause=(\d{3})(?!\d)/i.exec(entry?.uri ?? '')?.[1];

const isHistoryHidden = ({ uri }: NameAddress): boolean =>
  uri
    .toLowerCase()
    .split(/[?&]/)
    .some((header) => header.startsWith('privacy=') && header.includes('history'));

/**
 * Reads diversions from History-Info. An entry was diverted if the next entry has a cause; other entries are proxies.
 */
const fromHistory = (entries: readonly NameAddress[], isHidden: boolean, reading: Reading): Diversion[] =>
  entries
    .flatMap((entry, index) => {
      const cause = causeOf(entries[index + 1]);
      if (cause === undefined) return [];
      return diversionOf(entry.uri, isHidden || isHistoryHidden(entry), reasonOfCause[cause], reading);
    })
    .toReversed();

export const diversionsIn = (headers: Headers, country: Country, bare: BareDigits): Diversion[] => {
  const reading = { country, bare };
  const diverted = fromDiversion(nameAddressesIn(headerOf(headers, 'Diversion')), reading);
  const privacy = headerOf(headers, 'Privacy').toLowerCase();
  const found =
    diverted.length > 0
      ? diverted
      : fromHistory(
          nameAddressesIn(headerOf(headers, 'History-Info')),
          /\b(?:history|header)\b/.test(privacy),
          reading,
        );
  return found.slice(0, mostDiversions);
};
