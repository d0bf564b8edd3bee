/** How a call is written to a trunk: where it goes, and who calls (RFC 3261, RFC 3323, RFC 3325). */
import { isIPv6 } from 'node:net';
import type { Country } from '#src/domain/phone-number.ts';
import type { Trunk } from '#src/domain/trunk.ts';
import { dialledNumber } from '../parties/number-format.ts';

const inUri = (host: string): string => (isIPv6(host) ? `[${host}]` : host);

/** As a parameter of a URI; UDP is what is meant without one. */
export const transportIn = ({ transport }: Pick<Trunk, 'transport'>): string =>
  transport === 'udp' ? '' : `;transport=${transport}`;

/** Without a user: where the trunk itself is asked, as for OPTIONS and REGISTER. */
export const trunkUri = ({ host, port, transport }: Trunk, user?: string): string =>
  [
    'sip:',
    user === undefined ? '' : `${user}@`,
    inUri(host),
    port === null ? '' : `:${port}`,
    transportIn({ transport }),
  ].join('');

/** A user name as the user of a URI; the domain that some trunks put into it stands there already. */
export const userInUri = (username: string): string =>
  encodeURIComponent(username.split('@')[0] ?? '').replaceAll('%2B', '+');

export const trunkDomain = ({ fromDomain, host }: Trunk): string => inUri(fromDomain ?? host);

export type Invite = { uri: string; headers: Record<string, string> };

/** Numbers in domestic format. */
export const inviteTo = (trunk: Trunk, call: { from: string; to: string }, country: Country): Invite => {
  const written = (number: string): string => dialledNumber(number, country, trunk.numberFormat);
  const domain = trunkDomain(trunk);
  const caller = `<sip:${written(call.from)}@${domain}>`;
  const asserts = trunk.callerId !== 'from';
  const visible =
    asserts && trunk.username !== null ? `<sip:${userInUri(trunk.username)}@${domain}>` : caller;
  return {
    uri: trunkUri(trunk, written(call.to)),
    headers: {
      From: trunk.privacy ? '"Anonymous" <sip:anonymous@anonymous.invalid>' : visible,
      ...(trunk.callerId === 'p-asserted-identity' ? { 'P-Asserted-Identity': caller } : {}),
      ...(trunk.callerId === 'p-preferred-identity' ? { 'P-Preferred-Identity': caller } : {}),
      ...(trunk.privacy ? { Privacy: 'id' } : {}),
    },
  };
};

/** For drachtio-srf, which answers a challenge with it; absent where there is none. */
export const credentialsOf = ({
  username,
  password,
}: Trunk): { auth?: { username: string; password: string } } =>
  username === null || password === null ? {} : { auth: { username, password } };
