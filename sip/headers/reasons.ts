/**
 * Parses why a request or a response was sent: the header Reason (RFC 3326), with several values (RFC 9366), and the
 * Call-Info of a refusal, which names an address for complaints (RFC 8688). The values come from other systems, so they
 * are shortened, and control and formatting characters are removed.
 */
import type { SipDetails, SipReason } from '#machines/line.ts';
import { headerOf, parametrized, valuesIn, type Headers } from './header-values.ts';
import { nameAddressesIn } from './name-addresses.ts';

/** Maximum number of reasons: one each for SIP and Q.850, and two more. */
const mostReasons = 4;
const longestText = 200;

/** Removes control and formatting characters, because the text is shown to people. */
export const plainText = (text: string, longest = longestText): string =>
  Array.from(text.replaceAll(/[\p{C}\s]+/gu, ' ').trim())
    .slice(0, longest)
    .join('');

/** Parses a whole number of up to three digits: a SIP status or a Q.850 cause. */
const causeIn = (text: string | undefined): number | null =>
  text !== undefined && /^\d{1,3}$/.test(text) ? Number(text) : null;

/**
 * Parses the header Reason. Values are omitted if their protocol is no token, or if they have neither a cause nor a
 * text.
 */
export const reasonsIn = (header: string): SipReason[] =>
  valuesIn(header)
    .flatMap((one): SipReason[] => {
      const { value: protocol, parameters } = parametrized(one);
      const cause = causeIn(parameters.get('cause'));
      const text = plainText(parameters.get('text') ?? '') || null;
      return /^[\w.+-]{1,20}$/.test(protocol) && (cause !== null || text !== null)
        ? [{ protocol, cause, text }]
        : [];
    })
    .slice(0, mostReasons);

const mostAddresses = 3;
const longestAddress = 500;

/** Returns the web addresses in a Call-Info header. */
const callInfoIn = (header: string): string[] =>
  nameAddressesIn(header)
    .map(({ uri }) => uri)
    .filter((uri) => uri.length <= longestAddress && /^https?:\/\/[\x21-\x7E]+$/i.test(uri))
    .slice(0, mostAddresses);

/** Reads Reason and Call-Info of the message that ended a call: a refusal, CANCEL or BYE. */
export const explanationIn = (message: Headers): Pick<SipDetails, 'reasons' | 'callInfo'> => {
  const reasons = reasonsIn(headerOf(message, 'Reason'));
  const callInfo = callInfoIn(headerOf(message, 'Call-Info'));
  return {
    ...(reasons.length === 0 ? {} : { reasons }),
    ...(callInfo.length === 0 ? {} : { callInfo }),
  };
};
