/**
 * Splits lists in SIP headers (RFC 3261 section 7.3.1). Commas separate values and semicolons separate parameters,
 * except within a quoted string or `<…>`. The time is linear in the length of the header.
 */

/** Reader of a message's headers. drachtio-srf joins repeated headers with a comma. */
export type Headers = { has(name: string): boolean; get(name: string): string };

/** Returns a header's value; '' if the header is missing. */
export const headerOf = (message: Headers, name: string): string =>
  message.has(name) ? message.get(name) : '';

/** Maximum length that is parsed. The rest of a longer header is cut off, and values beyond the limit are ignored. */
const longestHeader = 16_384;
const mostValues = 200;

/** Splits at separators outside quotes and brackets. An unclosed quote or bracket extends to the end. */
const split = (text: string, separator: ',' | ';'): string[] => {
  const parts: string[] = [];
  let from = 0;
  let within: '' | '"' | '<' = '';
  const end = Math.min(text.length, longestHeader);
  for (let at = 0; at < end && parts.length < mostValues; at += 1) {
    const sign = text[at];
    if (within === '"') {
      if (sign === '\\') at += 1;
      else if (sign === '"') within = '';
    } else if (within === '<') {
      if (sign === '>') within = '';
    } else if (sign === '"' || sign === '<') within = sign;
    else if (sign === separator) {
      parts.push(text.slice(from, at));
      from = at + 1;
    }
  }
  if (parts.length < mostValues) parts.push(text.slice(from, end));
  return parts;
};

/** Returns the non-empty values of a list. */
export const valuesIn = (header: string): string[] =>
  split(header, ',')
    .map((value) => value.trim())
    .filter((value) => value !== '');

/** Returns option tags, methods and other tokens, as in Require, Supported and Allow. */
export const tokensIn = valuesIn;

/** Returns the content of a quoted string, without quotes and escapes. Other text is returned unchanged. */
export const unquoted = (text: string): string => {
  const [, inner] = /^"([\s\S]*)"$/.exec(text.trim()) ?? [];
  return inner === undefined ? text.trim() : inner.replaceAll(/\\([\s\S])/g, '$1');
};

/** Parameters by their names in lower case. The first parameter of a name counts; its value is '' if there is none. */
export type Parameters = ReadonlyMap<string, string>;

/** Adds a parameter in the form `name=value`. */
export const addParameter = (parameters: Map<string, string>, text: string): void => {
  const equals = text.indexOf('=');
  const name = (equals === -1 ? text : text.slice(0, equals)).trim().toLowerCase();
  if (name === '' || parameters.has(name)) return;
  parameters.set(name, equals === -1 ? '' : unquoted(text.slice(equals + 1)));
};

/** Splits a value into the part before its first `;` and the parameters after it. */
export const parametrized = (value: string): { value: string; parameters: Parameters } => {
  const [first = '', ...others] = split(value, ';');
  const parameters = new Map<string, string>();
  for (const other of others) addParameter(parameters, other);
  return { value: first.trim(), parameters };
};
