/**
 * Lifetime of a registration. The answer to a REGISTER lists all contacts of the account, each with its own expiry (RFC
 * 3261 section 10.2.4): ours counts.
 */
import { headerOf, type Headers } from '../headers/header-values.ts';
import { nameAddressesIn } from '../headers/name-addresses.ts';

/** Returns undefined unless the text is a whole number of seconds. */
export const secondsIn = (text: string | undefined): number | undefined =>
  text !== undefined && /^\s*\d{1,9}\s*$/.test(text) ? Number(text) : undefined;

/** The parts that distinguish contacts; the host in lower case, the port as a number. */
const partsOf = (uri: string): { user: string; address: string } => {
  const [, scheme = '', user = '', host = '', port] =
    /^(sips?):(?:([^@]*)@)?(\[[^\]]*\]|[^:;?]*)(?::(\d{1,5}))?/i.exec(uri) ?? [];
  const isTls = scheme.toLowerCase() === 'sips' || /;transport=tls(?:;|$)/i.test(uri);
  return { user, address: `${host.toLowerCase()}:${Number(port ?? (isTls ? 5061 : 5060))}` };
};

/**
 * Seconds for our contact; undefined if the answer does not contain them. A registrar may replace our address by the
 * one it saw: then contacts of our user count, and the earliest expiry among several. Contacts of other users do not
 * count, except a single contact, which is ours under any name.
 */
export const registeredSec = (response: Headers, contact: string): number | undefined => {
  const ours = partsOf(contact);
  const all = nameAddressesIn(headerOf(response, 'Contact')).map(({ uri, parameters }) => ({
    ...partsOf(uri),
    seconds: secondsIn(parameters.get('expires')),
  }));
  const ofUser = all.filter(({ user }) => user === ours.user);
  const exact = ofUser.filter(({ address }) => address === ours.address);
  const candidates = exact.length > 0 ? exact : ofUser.length > 0 ? ofUser : all.length === 1 ? all : [];
  const seconds = candidates.flatMap((one) => one.seconds ?? []);
  return seconds.length > 0 ? Math.min(...seconds) : secondsIn(headerOf(response, 'Expires'));
};
