/** A SIP message of a call as sent, with masked secrets. */

export const sipTransports = ['udp', 'tcp', 'tls', 'ws', 'wss'] as const;
export type SipTransport = (typeof sipTransports)[number];

export type SipMessage = {
  /** Time in microseconds since the epoch, unique within a call. */
  atMicros: number;
  direction: 'in' | 'out';
  transport: SipTransport;
  /** Local and remote address: `host:port`, with brackets for IPv6. */
  local: string;
  remote: string;
  /** Text of the message: start line, headers and body. */
  text: string;
  /** Number of lost messages: in a message, those before it; at the end, those after the last stored one. */
  leftOut: number;
};

/** Placeholder for an unknown address. */
export const unknownAddress = '0.0.0.0:5060';

export const addressOf = (host: string, port: string | number): string => {
  const bare = host.replace(/^\[|\]$/g, '');
  return `${bare.includes(':') ? `[${bare}]` : bare}:${port}`;
};

export const splitAddress = (address: string): { host: string; port: number } => {
  const colon = address.lastIndexOf(':');
  return { host: address.slice(0, colon).replace(/^\[|\]$/g, ''), port: Number(address.slice(colon + 1)) };
};

export const startLineOf = (text: string): string => /^[^\r\n]*/.exec(text)?.[0] ?? '';

/** Returns the Call-ID; undefined for a message without one, which belongs to no call. */
export const sipCallIdOf = (text: string): string | undefined =>
  /^(?:call-id|i)[ \t]*:[ \t]*(\S+)/im.exec(text)?.[1];

const isNumeric = (address: string): boolean =>
  address.startsWith('[') || /^\d{1,3}(\.\d{1,3}){3}:/.test(address);

/**
 * Replaces host names by numeric addresses. A request that has no response yet knows only the name, so the address of
 * the later response is used.
 */
export const withNumericAddresses = <Message extends SipMessage>(
  messages: readonly Message[],
): readonly Message[] => {
  const heard = new Map<string | undefined, string>();
  for (const { remote, text } of messages.toReversed())
    if (isNumeric(remote)) heard.set(sipCallIdOf(text), remote);
  return messages.map((message) =>
    isNumeric(message.remote)
      ? message
      : { ...message, remote: heard.get(sipCallIdOf(message.text)) ?? unknownAddress },
  );
};
