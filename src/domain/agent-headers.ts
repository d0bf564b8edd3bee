/**
 * Headers of a customer's own on every request to its agent endpoint (guides/design/agents.md, "Headers"): a key that the
 * server takes nowhere else, or what a proxy in front of it routes by. Names are case-insensitive (RFC 9110, section 5.1);
 * they are stored, shown and sent in lower case.
 */

export type AgentHeaders = Readonly<Record<string, string>>;

/** Null removes a header; one that is not named stays. */
export type AgentHeaderChanges = Readonly<Record<string, string | null>>;

/** As they are stored: the values sealed. */
export type SealedHeaders = Readonly<Record<string, string>>;

export const mostAgentHeaders = 10;
export const longestAgentHeader = 4_096;

export const agentHeaderName = /^[A-Za-z0-9-]{1,64}$/;

/** HTTP drops spaces at the ends of a value, so it would not arrive as it was given. */
export const isAgentHeaderValue = (value: string): boolean =>
  value.length <= longestAgentHeader && /^[ -~]*$/.test(value) && value.trim() === value;

/** Those that concern one connection (RFC 9110, section 7.6.1), and the framing of a request. */
const hopByHop = [
  'connection',
  'expect',
  'host',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
];

/** Those that the gateway writes. */
const ownHeaders = ['authorization', 'traceparent'];
const ownPrefixes = ['content-', 'x-gw-'];

const reserved: ReadonlySet<string> = new Set([...hopByHop, ...ownHeaders]);

/** Whether no customer may set this header. */
export const isReservedHeader = (name: string): boolean => {
  const known = name.toLowerCase();
  return reserved.has(known) || ownPrefixes.some((prefix) => known.startsWith(prefix));
};

/** The headers after a change. `null` removes all of them, `undefined` keeps them. */
export const changedHeaders = (
  headers: AgentHeaders,
  changes: AgentHeaderChanges | null | undefined,
): AgentHeaders => {
  if (changes === null) return {};
  const kept = Object.entries({ ...headers, ...changes }).flatMap(([name, value]) =>
    value === null ? [] : [[name, value] as const],
  );
  return Object.fromEntries(kept);
};
