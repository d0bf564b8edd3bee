/**
 * Parses headers that name a party: From, To, Contact, Route, P-Asserted-Identity and others (RFC 3261 section 20.10).
 */
import { parametrized, valuesIn, type Parameters } from './header-values.ts';

/** One entry of the form `"Name" <uri>;parameters`. */
export type NameAddress = { name: string; uri: string; parameters: Parameters };

/** Parses one entry. Without `<…>`, parameters belong to the header, not to the URI (RFC 3261 section 20). */
const read = (text: string): NameAddress | undefined => {
  const [quotedName = '', name = ''] = /^"((?:[^"\\]|\\[\s\S])*)"\s*/.exec(text) ?? [];
  const rest = text.slice(quotedName.length);
  const opening = rest.indexOf('<');
  const closing = rest.indexOf('>', opening);
  if (opening === -1) {
    const { value, parameters } = parametrized(rest);
    return quotedName !== '' || value === '' || value.includes('"')
      ? undefined
      : { name: '', uri: value, parameters };
  }
  const bareName = rest.slice(0, opening);
  const uri = rest.slice(opening + 1, closing);
  if (closing === -1 || uri.includes('<') || bareName.includes('"')) return undefined;
  return {
    name: (quotedName === '' ? bareName : name.replaceAll(/\\([\s\S])/g, '$1')).trim(),
    uri: uri.trim(),
    parameters: parametrized(rest.slice(closing + 1)).parameters,
  };
};

/** Returns the entries of a header in order. Entries that cannot be parsed are omitted. */
export const nameAddressesIn = (header: string): NameAddress[] =>
  valuesIn(header).flatMap((value) => read(value) ?? []);

/** Returns the first URI of a header; '' if there is none. */
export const uriIn = (header: string): string => nameAddressesIn(header)[0]?.uri ?? '';

/** Returns the tag of From or To; '' if there is none. */
export const tagIn = (header: string): string => nameAddressesIn(header)[0]?.parameters.get('tag') ?? '';
