/** Addressing of a call to a trunk: Request-URI and caller identity (RFC 3261, RFC 3323, RFC 3325). */
import type { Country } from '#src/domain/phone-number.ts';
import { type Trunk, type TrunkAddress, addressKey, addressName, hostInUri } from '#src/domain/trunk.ts';
import type { Credentials } from '../digest/digest-response.ts';
import { dialledNumber } from '../parties/number-format.ts';

/** Returns the transport as a URI parameter; empty for UDP, the default. */
export const transportIn = ({ transport }: Pick<Trunk, 'transport'>): string =>
  transport === 'udp' ? '' : `;transport=${transport}`;

/** Returns a URI without a user, for requests to the trunk itself, such as OPTIONS and REGISTER. */
export const trunkUri = (
  { transport, ...trunk }: Trunk,
  user?: string,
  address: Pick<TrunkAddress, 'host' | 'port'> = trunk,
): string =>
  `sip:${user === undefined ? '' : `${user}@`}${addressName(address)}${transportIn({ transport })}`;

/** Returns the user name as the user part of a URI, without the domain that some trunks require in the user name. */
export const userInUri = (username: string): string =>
  encodeURIComponent(username.split('@')[0] ?? '').replaceAll('%2B', '+');

export const trunkDomain = ({ fromDomain, host }: Trunk): string => hostInUri(fromDomain ?? host);

/** Target of an INVITE. */
export type InviteTarget = {
  uri: string;
  /**
   * Whether the target is an address of the trunk itself, which may receive the trunk's password and the caller's
   * identity.
   */
  isOwn: boolean;
  /** The `addressKey` of the trunk's own address; null for a redirect target. */
  key: string | null;
};

export type Invite = {
  uri: string;
  headers: Record<string, string>;
  /** Credentials for challenges; absent for redirect targets, and for trunks without credentials. */
  credentials?: Credentials;
};

export const credentialsOf = ({ username, password }: Trunk): Credentials | undefined =>
  username === null || password === null ? undefined : { username, password };

/** Returns the target for a number in domestic format at an address of the trunk. */
export const targetAt = (
  trunk: Trunk,
  address: TrunkAddress,
  number: string,
  country: Country,
): InviteTarget => ({
  uri: trunkUri(trunk, dialledNumber(number, country, trunk.numberFormat), address),
  isOwn: true,
  key: addressKey(trunk, address),
});

/** Creates the INVITE for a caller's number in domestic format. */
export const inviteTo = (
  trunk: Trunk,
  { uri, isOwn }: InviteTarget,
  from: string,
  country: Country,
): Invite => {
  const domain = trunkDomain(trunk);
  const caller = `<sip:${dialledNumber(from, country, trunk.numberFormat)}@${domain}>`;
  const asserts = trunk.callerId !== 'from';
  const visible =
    asserts && trunk.username !== null ? `<sip:${userInUri(trunk.username)}@${domain}>` : caller;
  // Whether the caller's identity is sent. With privacy, only the trunk itself receives the identity (RFC 3325 section
  // 7).
  const sendsIdentity = isOwn || !trunk.privacy;
  const credentials = isOwn ? credentialsOf(trunk) : undefined;
  return {
    uri,
    headers: {
      From: trunk.privacy ? '"Anonymous" <sip:anonymous@anonymous.invalid>' : visible,
      ...(sendsIdentity && trunk.callerId === 'p-asserted-identity' ? { 'P-Asserted-Identity': caller } : {}),
      ...(sendsIdentity && trunk.callerId === 'p-preferred-identity'
        ? { 'P-Preferred-Identity': caller }
        : {}),
      ...(trunk.privacy ? { Privacy: 'id' } : {}),
    },
    ...(credentials === undefined ? {} : { credentials }),
  };
};

/** Host of the referrer. drachtio-server replaces `localhost` by its own address only in From. */
const referringHost = (trunk: Trunk): string =>
  trunk.fromDomain === 'localhost' ? hostInUri(trunk.host) : trunkDomain(trunk);

/**
 * Returns the headers of a REFER (RFC 3515, RFC 3892) that asks the trunk to call a number in domestic format. The
 * number is written like the Request-URI of an INVITE. `from` is the referrer, who is omitted with privacy.
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
