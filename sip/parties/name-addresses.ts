/** Headers that name somebody: From, To, P-Asserted-Identity and their like (RFC 3261 section 20.10). */

/** One `"Name" <uri>;parameters`. */
export type NameAddress = { name: string; uri: string; parameters: string };

/** A parameter behind the brackets, without its quotes; undefined where it is not there. Its name is in small letters. */
export const parameterOf = ({ parameters }: NameAddress, name: string): string | undefined => {
  for (const parameter of parameters.split(';')) {
    const [key = '', value = ''] = parameter.split('=');
    if (key.trim().toLowerCase() === name) return value.trim().replaceAll('"', '');
  }
  return undefined;
};

/** Each part is read once, from where the one before ended. */
const quoted = /\s*"((?:[^"\\]|\\[\s\S])*)"\s*<([^<>]*)>([^,]*),?/y;
const bracketed = /([^<",]*)<([^<>]*)>([^,]*),?/y;
const plain = /\s*([^<",;]+)([^,]*),?/y;

/** All that the header names, in order; what cannot be read, and all behind it, is left out. */
export const nameAddressesIn = (header: string): NameAddress[] => {
  const found: NameAddress[] = [];
  for (let at = 0; at < header.length;) {
    const match = (pattern: RegExp): RegExpExecArray | null => {
      pattern.lastIndex = at;
      return pattern.exec(header);
    };
    const withBrackets = match(quoted) ?? match(bracketed);
    const read = withBrackets ?? match(plain);
    if (read === null) break;
    const [whole, first = '', second = '', third = ''] = read;
    at += whole.length;
    if (withBrackets === null) found.push({ name: '', uri: first.trim(), parameters: second });
    else
      found.push({
        name: first.replaceAll(/\\([\s\S])/g, '$1').trim(),
        uri: second.trim(),
        parameters: third,
      });
  }
  return found;
};
