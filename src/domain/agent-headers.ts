/**
 * A customer's own headers, sent with every request to its agent endpoint (guides/design/agents.md, "Headers"), such as
 * an API key or a proxy's routing header. Header names are case-insensitive (RFC 9110, section 5.1), and are stored,
 * shown and sent in lower case.
 */

export type AgentHeaders = Readonly<Record<string, string>>;

/** Changes of the headers by name. Null removes a header; headers without an entry are unchanged. */
export type AgentHeaderChanges = Readonly<Record<string, string | null>>;

/** Stored headers with sealed values. */
export type SealedHeaders = Readonly<Record<string, string>>;

export const mostAgentHeaders = 10;
export const longestAgentHeader = 4_096;

export const agentHeaderName = /^[A-Za-z0-9-]{1,64}$/;

/**
 * Whether a value can be sent unchanged. HTTP removes spaces at both ends of a value, so values with such spaces are
 * rejected.
 */
export const isAgentHeaderValue = (value: string): boolean =>
  value.length <= longestAgentHeader && /^[ -~]*$/.test(value) && value.trim() === value;

/** Hop-by-hop headers (RFC 9110, section 7.6.1) and headers for the framing of messages. */
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

/** Names of headers that the gateway sets. */
const ownHeaders = ['authorization', 'traceparent'];
const ownPrefixes = ['content-', 'x-gw-'];

const reserved: ReadonlySet<string> = new Set([...hopByHop, ...ownHeaders]);

/** Whether customers must not set this header. */
export const isReservedHeader = (name: string): boolean => {
  const known = name.toLowerCase();
  return reserved.has(known) || ownPrefixes.some((prefix) => known.startsWith(prefix));
};

/** Applies changes to the headers. `null` removes all headers, `undefined` changes none. */
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
