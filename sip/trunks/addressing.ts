/** The addressing of a call to a trunk: where it goes, and who calls (RFC 3261, RFC 3323, RFC 3325). */
import type { Country } from '#src/domain/phone-number.ts';
import type { Trunk, TrunkAddress } from '#src/domain/trunk.ts';
import type { Credentials } from '../digest/digest-response.ts';
import { dialledNumber } from '../parties/number-format.ts';
import { addressKey, addressName, hostInUri } from '#src/domain/trunk-addresses.ts';

/** As a parameter of a URI; UDP is what is meant without one. */
export const transportIn = ({ transport }: Pick<Trunk, 'transport'>): string =>
  transport === 'udp' ? '' : `;transport=${transport}`;

/** Without a user: where the trunk itself is asked, as for OPTIONS and REGISTER. */
export const trunkUri = (
  { transport, ...trunk }: Trunk,
  user?: string,
  address: Pick<TrunkAddress, 'host' | 'port'> = trunk,
): string =>
  `sip:${user === undefined ? '' : `${user}@`}${addressName(address)}${transportIn({ transport })}`;

/** A user name as the user of a URI; the domain that some trunks put into it stands there already. */
export const userInUri = (username: string): string =>
  encodeURIComponent(username.split('@')[0] ?? '').replaceAll('%2B', '+');

export const trunkDomain = ({ fromDomain, host }: Trunk): string => hostInUri(fromDomain ?? host);

/** Where an INVITE goes. */
export type Place = {
  uri: string;
  /** Whether this is the trunk itself, which gets its password and may be told who calls. */
  isOwn: boolean;
  /** The `addressKey` of the trunk's own addresses; null where it has sent the call on to. */
  key: string | null;
};

export type Invite = {
  uri: string;
  headers: Record<string, string>;
  /** For challenges; absent where there are none, and for others than the trunk itself. */
  credentials?: Credentials;
};

export const credentialsOf = ({ username, password }: Trunk): Credentials | undefined =>
  username === null || password === null ? undefined : { username, password };

/** An address of the trunk, for a number in domestic format. */
export const placeAt = (trunk: Trunk, address: TrunkAddress, number: string, country: Country): Place => ({
  uri: trunkUri(trunk, dialledNumber(number, country, trunk.numberFormat), address),
  isOwn: true,
  key: addressKey(trunk, address),
});

/** A number in domestic format calls. */
export const inviteTo = (trunk: Trunk, { uri, isOwn }: Place, from: string, country: Country): Invite => {
  const domain = trunkDomain(trunk);
  const caller = `<sip:${dialledNumber(from, country, trunk.numberFormat)}@${domain}>`;
  const asserts = trunk.callerId !== 'from';
  const visible =
    asserts && trunk.username !== null ? `<sip:${userInUri(trunk.username)}@${domain}>` : caller;
  // A caller who wants privacy is named to the trunk alone (RFC 3325 section 7).
  const isToldWho = isOwn || !trunk.privacy;
  const credentials = isOwn ? credentialsOf(trunk) : undefined;
  return {
    uri,
    headers: {
      From: trunk.privacy ? '"Anonymous" <sip:anonymous@anonymous.invalid>' : visible,
      ...(isToldWho && trunk.callerId === 'p-asserted-identity' ? { 'P-Asserted-Identity': caller } : {}),
      ...(isToldWho && trunk.callerId === 'p-preferred-identity' ? { 'P-Preferred-Identity': caller } : {}),
      ...(trunk.privacy ? { Privacy: 'id' } : {}),
    },
    ...(credentials === undefined ? {} : { credentials }),
  };
};

/** drachtio-server puts its own address in place of `localhost` in From alone. */
const referringHost = (trunk: Trunk): string =>
  trunk.fromDomain === 'localhost' ? hostInUri(trunk.host) : trunkDomain(trunk);

/**
 * Headers of a REFER (RFC 3515, RFC 3892) by which the trunk is to call a number in domestic format, written as the
 * Request-URI of an INVITE would be. `from` asks for it; a caller who wants privacy is not named.
 */
export const referTo = (
  trunk: Trunk,
  to: string,
  from: string,
  country: Country,
): Record<string, string> => ({
  'Refer-To': `<${trunkUri(trunk, dialledNumber(to, country, trunk.numberFormat))}>`,
  ...(trunk.privacy
    ? {}
    : { 'Referred-By': `<sip:${dialledNumber(from, country, trunk.numberFormat)}@${referringHost(trunk)}>` }),
});
