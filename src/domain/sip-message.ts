/** A SIP message of a call as it went over the wire, without its secrets. */

export const sipTransports = ['udp', 'tcp', 'tls', 'ws', 'wss'] as const;
export type SipTransport = (typeof sipTransports)[number];

export type SipMessage = {
  /** Microseconds since the epoch; no two messages of a call have the same. */
  atMicros: number;
  direction: 'in' | 'out';
  transport: SipTransport;
  /** Our end and the other one: `host:port`, with brackets around the host where it is an IPv6 address. */
  local: string;
  remote: string;
  /** Start line, headers and body. */
  text: string;
  /** How many messages of the call came before it, and after the one that was kept last, and were not kept. */
  leftOut: number;
};

/** Of an end of which nothing is known. */
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

/** A SIP message without one belongs to no call. */
export const sipCallIdOf = (text: string): string | undefined =>
  /^(?:call-id|i)[ \t]*:[ \t]*(\S+)/im.exec(text)?.[1];

const isNumeric = (address: string): boolean =>
  address.startsWith('[') || /^\d{1,3}(\.\d{1,3}){3}:/.test(address);

/**
 * Where the first request of a call goes, its name alone is known, until somebody answers: here it has the address of
 * whoever did, for readers who need one.
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
