/**
 * Redirect targets of a trunk: the Contacts of a 3xx (RFC 3261 sections 8.1.3.4 and 20.10). Contacts are untrusted, so
 * the dialled URI is built from the recognized parts, and the rest is ignored.
 */
import type { Country } from '#src/domain/phone-number.ts';
import { trunkTransports, type Trunk, type TrunkTransport } from '#src/domain/trunk.ts';
import { nameAddressesIn } from '../headers/name-addresses.ts';
import { longestUri } from '../drachtio/connection/message-limits.ts';
import { calledNumber } from '../parties/number-format.ts';
import { transportIn, type InviteTarget } from './addressing.ts';

export type Redirection = InviteTarget & {
  /** Dialled number in domestic format. */
  number: string;
};

/** Maximum number of Contacts that are read. */
const mostContacts = 10;

/** Returns the preference; 1 without a valid `q` (RFC 3261 section 20.10). */
const priorityOf = (q: string | undefined): number =>
  q !== undefined && /^[01](?:\.\d{0,3})?$/.test(q) ? Number(q) : 1;

const sipUri =
  /^(sips?):([\w+.;=()-]{1,128})@(\[[0-9a-f:.]{2,45}\]|[0-9a-z][0-9a-z.-]{0,252})(?::(\d{1,5}))?((?:;[^;?]*)*)$/i;

/** Returns the transport of the Contact, or else of the trunk. TLS is never downgraded. */
const transportFor = (
  { transport: own }: Pick<Trunk, 'transport'>,
  scheme: string,
  parameters: string,
): TrunkTransport | undefined => {
  const [, said = ''] = /;transport=([a-z]{1,9})(?:;|$)/i.exec(parameters) ?? [];
  const wanted = scheme.toLowerCase() === 'sips' ? 'tls' : said === '' ? own : said.toLowerCase();
  const known = trunkTransports.find((one) => one === wanted);
  return own === 'tls' && known !== 'tls' ? undefined : known;
};

const ownHosts = ({ host, fromDomain, addresses }: Trunk): string[] =>
  [host, fromDomain, ...addresses.map((address) => address.host)].flatMap((one) =>
    one === null ? [] : [one.toLowerCase()],
  );

const redirectionTo = (uri: string, trunk: Trunk, country: Country): Redirection | undefined => {
  const [, scheme = '', user = '', host = '', port = '', parameters = ''] = sipUri.exec(uri) ?? [];
  const number = scheme === '' ? undefined : calledNumber(uri, country);
  const transport = transportFor(trunk, scheme, parameters);
  if (number === undefined || transport === undefined || Number(port) > 65_535) return undefined;
  const target = `sip:${user}@${host}${port === '' ? '' : `:${port}`}${transportIn({ transport })}`;
  if (target.length > longestUri) return undefined;
  return {
    uri: target,
    number,
    key: null,
    isOwn: ownHosts(trunk).includes(host.toLowerCase().replaceAll(/[[\]]/g, '')),
  };
};

/** Returns the allowed targets in the order of attempts, with the highest `q` first. */
export const redirectionsIn = (contacts: string, trunk: Trunk, country: Country): Redirection[] => {
  if (trunk.redirects === 'refused') return [];
  return nameAddressesIn(contacts)
    .slice(0, mostContacts)
    .map(({ uri, parameters }) => ({ uri, q: priorityOf(parameters.get('q')) }))
    .toSorted((one, other) => other.q - one.q)
    .flatMap(({ uri }) => redirectionTo(uri, trunk, country) ?? [])
    .filter(({ isOwn }) => isOwn || trunk.redirects === 'any');
};

/** Maximum number of followed redirects in one call over one trunk. */
const mostRedirections = 5;

/**
 * Targets of one call over one trunk, tried in order: first the trunk's own targets, then its redirect targets. Each
 * target is tried once and the number of redirects is limited, so a call cannot loop.
 */
export const createTargets = (own: readonly InviteTarget[]) => {
  const left: InviteTarget[] = [...own];
  const known = new Set(own.map(({ uri }) => uri));
  let redirections = 0;

  return {
    next: (): InviteTarget | undefined => left.shift(),
    /** Inserts redirect targets before the remaining ones. Returns the number of targets that are new. */
    redirect(targets: readonly InviteTarget[]): number {
      const followed = targets.filter(({ uri }) => !known.has(uri)).slice(0, mostRedirections - redirections);
      redirections += followed.length;
      for (const { uri } of followed) known.add(uri);
      left.unshift(...followed);
      return followed.length;
    },
  };
};

export type Targets = ReturnType<typeof createTargets>;
