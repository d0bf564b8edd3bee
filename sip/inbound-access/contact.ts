/**
 * Checks whether a request can be answered. drachtio-server 0.9.10 crashes when it sends any response, even a refusal,
 * to an INVITE whose Contact has no host, such as `<tel:+8210…>` or `*`, because it compares the host with the sender's
 * address.
 */

/**
 * Splits the head into lines like drachtio-server: at any line ending, and without blanks at the beginning of a line.
 */
const headerLines = (raw: string): string[] => {
  const lines: string[] = [];
  for (const line of raw.split(/\r\n|\r|\n/)) {
    if (line === '') break;
    if (/^[ \t]/.test(line) && lines.length > 0) lines.push(`${lines.pop() ?? ''}${line}`);
    else lines.push(line);
  }
  return lines;
};

/** Matches a host name or an address, with brackets for IPv6. */
const host = /^(?:[A-Za-z0-9](?:[A-Za-z0-9._-]*)|\[[0-9A-Fa-f:.]+\])(?::\d{1,5})?(?:[;?]|$)/;
/** Characters of a user part. Characters that other parsers take for its end are excluded. */
const user = /^[A-Za-z0-9+_.%!~*'()&=$,;:-]*$/;

const namesHost = (uri: string): boolean => {
  const [, rest] = /^sips?:(.*)$/is.exec(uri) ?? [];
  if (rest === undefined) return false;
  const at = rest.indexOf('@');
  if (at === -1) return host.test(rest);
  const name = rest.slice(0, at);
  return /^[A-Za-z0-9+_.%-]/.test(name) && user.test(name) && host.test(rest.slice(at + 1));
};

/**
 * Returns the URI of a Contact of the form `"A. Caller" <sip:…>;expires=60` or of a bare address; undefined for other
 * text.
 */
const uriOf = (contact: string): string | undefined => {
  const unnamed = contact.trim().replace(/^"(?:[^"\\]|\\.)*"\s*/, '');
  const opening = unnamed.indexOf('<');
  if (opening === -1) return /^[^\s,"<>]+$/.test(unnamed) ? unnamed : undefined;
  const closing = unnamed.indexOf('>', opening);
  const isOne =
    closing !== -1 &&
    /^[^",<>;:@]*$/.test(unnamed.slice(0, opening)) &&
    /^\s*(?:;(?:[^",]|"[^"]*")*)?$/.test(unnamed.slice(closing + 1));
  return isOne ? unnamed.slice(opening + 1, closing) : undefined;
};

/**
 * Whether a request can be answered: true without a Contact; false for several Contacts, for a Contact without a host,
 * and for a Contact that cannot be parsed with certainty. `raw` is the whole request.
 */
export const isAnswerable = (raw: string): boolean => {
  const contacts = headerLines(raw).flatMap((line) => {
    const [, value] = /^\s*(?:contact|m)\s*:(.*)$/is.exec(line) ?? [];
    return value === undefined ? [] : [value];
  });
  const [contact] = contacts;
  if (contact === undefined) return true;
  const uri = contacts.length === 1 ? uriOf(contact) : undefined;
  return uri !== undefined && namesHost(uri);
};
