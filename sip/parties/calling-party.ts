/**
 * Reads the caller from the headers of an INVITE (RFC 3261, RFC 3323, RFC 3325, and Remote-Party-ID of
 * draft-ietf-sip-privacy-04, which many trunks still send).
 *
 * A withheld identity is never shown, even if the trunk sends the number. An identity is withheld by `Privacy` of id,
 * user or header, by a Remote-Party-ID with privacy of full or uri, or by an anonymous From as in RFC 3323
 * (`anonymous@anonymous.invalid`). Otherwise the caller is the first of these that contains a number:
 * P-Asserted-Identity, which the network guarantees; Remote-Party-ID; From; and the display name, where some trunks put
 * the number because their From contains the account.
 */
import { anonymous } from '#src/domain/caller-identity.ts';
import type { Country } from '#src/domain/phone-number.ts';
import { readPhoneNumber, type BareDigits } from '#src/domain/read-number.ts';
import { headerOf, type Headers } from '../headers/header-values.ts';
import { nameAddressesIn, type NameAddress } from '../headers/name-addresses.ts';
import { callingNumber, userOf } from './number-format.ts';

const privately: ReadonlySet<string> = new Set(['id', 'user', 'header']);

/**
 * Users of From that mean a withheld number. `unavailable` and `unknown` are not among them: they mean an unknown
 * number.
 */
const withheldUsers: ReadonlySet<string> = new Set([anonymous, 'restricted', 'private', 'blocked']);

/**
 * The words ANONYMOUS, RESTRICTED, BLOCKED, UNKNOWN and UNAVAILABLE, spelled by the letters on a telephone keypad. Some
 * networks send them in place of a number.
 */
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

/** Returns the Remote-Party-ID entries that name the caller; other entries may name the callee. */
const remoteParties = (headers: Headers): NameAddress[] =>
  named(headers, 'Remote-Party-ID').filter((party) => !hasParameter(party, 'party', ['called']));

/** Whether the caller's identity is withheld. */
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

/** Maximum number of characters of a caller's name. */
const longestName = 100;

/**
 * Returns the caller's name as the network reports it, else as the caller states it. Null if the name is a number, or
 * if the name or the identity is withheld.
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

/** Returns the caller's number: domestic, `+…` from abroad, or `anonymous`; never empty. */
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
