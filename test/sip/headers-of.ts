import type { Headers } from '#sip/headers/header-values.ts';

/** Headers of an INVITE by name; header names are case-insensitive. */
export const headersOf = (headers: Record<string, string>): Headers => {
  const byName = new Map(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
  return {
    has: (header) => byName.has(header.toLowerCase()),
    get: (header) => byName.get(header.toLowerCase()) ?? '',
  };
};
