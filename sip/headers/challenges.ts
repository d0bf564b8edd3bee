/**
 * Parses WWW-Authenticate, Proxy-Authenticate, Authorization and Proxy-Authorization (RFC 3261 sections 20.7 and 20.44,
 * RFC 8760). Commas separate both the challenges and the parameters of each challenge; a value of the form `Scheme
 * name=value` begins the next challenge.
 */
import { addParameter, valuesIn, type Parameters } from './header-values.ts';

/** A challenge or credentials. `scheme` is in lower case. */
export type Challenge = { scheme: string; parameters: Parameters };

export const challengesIn = (header: string): Challenge[] => {
  const found: { scheme: string; parameters: Map<string, string> }[] = [];
  for (const value of valuesIn(header)) {
    const [, scheme, first = ''] = /^([\w!#$%&'*+.^`|~-]+)[ \t\r\n]+(\S[\s\S]*)$/.exec(value) ?? [];
    const isParameter = scheme === undefined || first.startsWith('=');
    if (!isParameter) found.push({ scheme: scheme.toLowerCase(), parameters: new Map() });
    const current = found.at(-1);
    if (current !== undefined) addParameter(current.parameters, isParameter ? value : first);
  }
  return found;
};
