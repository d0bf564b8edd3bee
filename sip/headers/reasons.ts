/** The header Reason: why a request or a response was sent (RFC 3326), with several values (RFC 9366). */
import type { SipReason } from '#machines/line.ts';
import { parametrized, valuesIn } from './header-values.ts';

/** Enough for SIP, Q.850 and one more. */
const mostReasons = 4;
const longestText = 200;

/** Without control and formatting characters: the text is shown to people. */
export const plainText = (text: string, longest = longestText): string =>
  Array.from(text.replaceAll(/[\p{C}\s]+/gu, ' ').trim())
    .slice(0, longest)
    .join('');

/** Whole numbers of up to three digits: statuses of SIP, causes of Q.850. */
const causeIn = (text: string | undefined): number | null =>
  text !== undefined && /^\d{1,3}$/.test(text) ? Number(text) : null;

/** Values whose protocol is no token are left out, and so are those without a cause and a text. */
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
