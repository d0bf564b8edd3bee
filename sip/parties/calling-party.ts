/**
 * The caller, by the headers of an INVITE (RFC 3261, RFC 3323, RFC 3325, and Remote-Party-ID of
 * draft-ietf-sip-privacy-04, which many trunks still send).
 *
 * Whoever asked to be unknown stays unknown: with `Privacy` of id, user or header, a Remote-Party-ID with privacy of
 * full or uri, or From as RFC 3323 wants it (`anonymous@anonymous.invalid`), the number that a trunk tells all the
 * same is not shown. Otherwise the first of these that shows a number says who calls: P-Asserted-Identity, for which
 * the network answers, Remote-Party-ID, From, and the name that is displayed, where some trunks put the number
 * because From holds the account.
 */
import { anonymous } from '#src/domain/caller-identity.ts';
import type { Country } from '#src/domain/phone-number.ts';
import { readPhoneNumber, type BareDigits } from '#src/domain/read-number.ts';
import { headerOf, type Headers } from '../headers/header-values.ts';
import { nameAddressesIn, type NameAddress } from '../headers/name-addresses.ts';
import { callingNumber, userOf } from './number-format.ts';

const privately: ReadonlySet<string> = new Set(['id', 'user', 'header']);

/** Users of From where a number is withheld; `unavailable` and `unknown` only mean that the number is unknown. */
const withheldUsers: ReadonlySet<string> = new Set([anonymous, 'restricted', 'private', 'blocked']);

/** ANONYMOUS, RESTRICTED, BLOCKED, UNKNOWN and UNAVAILABLE on the keys of a telephone: no numbers, but sent as such. */
const spelledOnKeys: ReadonlySet<string> = new Set([
  '+266696687',
  '+7378742833',
  '+2562533',
  '+8656696',
  '+86282452253',
]);

const hasParameter = (party: NameAddress, name: string, values: readonly string[]): boolean =>
  values.includes(party.parameters.get(name)?.toLowerCase() ?? '');

const named = (headers: Headers, header: string): NameAddress[] => nameAddressesIn(headerOf(headers, header));

/** Entries that name the caller: Remote-Party-ID may also name the callee. */
const remoteParties = (headers: Headers): NameAddress[] =>
  named(headers, 'Remote-Party-ID').filter((party) => !hasParameter(party, 'party', ['called']));

/** Whether who calls asked not to be known. */
const isWithheld = (headers: Headers): boolean => {
  const privacy = headerOf(headers, 'Privacy').toLowerCase().split(/[;,]/);
  return (
    privacy.some((value) => privately.has(value.trim())) ||
    remoteParties(headers).some((party) => hasParameter(party, 'privacy', ['full', 'uri'])) ||
    named(headers, 'From').some(
      ({ uri }) => /@anonymous\.invalid\b/i.test(uri) || withheldUsers.has(userOf(uri).toLowerCase()),
    )
  );
};

/** Maximum number of characters of a name. */
const longestName = 100;

/**
 * The caller's name, as the network tells it, else the caller itself; null where it says nothing but a number, or
 * withholds who it is, be it the name alone.
 */
export const callingName = (headers: Headers, country: Country): string | null => {
  const remote = remoteParties(headers);
  if (isWithheld(headers) || remote.some((party) => hasParameter(party, 'privacy', ['name']))) return null;
  for (const party of [...named(headers, 'P-Asserted-Identity'), ...remote, ...named(headers, 'From')]) {
    const name = party.name.replaceAll(/[\p{C}\s]+/gu, ' ').trim();
    const isNumber = /^[-+.() \d]*$/.test(name) || readPhoneNumber(name, country) !== undefined;
    if (!isNumber && name.toLowerCase() !== anonymous) return Array.from(name).slice(0, longestName).join('');
  }
  return null;
};

/** The number of the caller: domestic, `+…` from abroad, or `anonymous`; never empty. */
export const callingParty = (headers: Headers, country: Country, bare: BareDigits): string => {
  if (isWithheld(headers)) return anonymous;
  const from = named(headers, 'From');
  for (const { uri } of [...named(headers, 'P-Asserted-Identity'), ...remoteParties(headers), ...from]) {
    const number = callingNumber(uri, country, bare);
    if (number !== undefined) return spelledOnKeys.has(number) ? anonymous : number;
  }
  for (const { name } of from) {
    const number = readPhoneNumber(name.replaceAll(/[-.() ]/g, ''), country, bare);
    if (number !== undefined) return number;
  }
  return anonymous;
};
