/** SIP messages as text and in parsed form (RFC 3261 section 7), as far as the doubles need them. */

export type SipMessage = {
  startLine: string;
  headers: readonly (readonly [name: string, value: string])[];
  body: string;
};

const crlf = '\r\n';

export const parseSip = (text: string): SipMessage => {
  const end = text.indexOf(`${crlf}${crlf}`);
  const [startLine = '', ...lines] = (end === -1 ? text.trimEnd() : text.slice(0, end)).split(crlf);
  const headers = lines.map((line) => {
    const colon = line.indexOf(':');
    return [line.slice(0, colon).trim(), line.slice(colon + 1).trim()] as const;
  });
  return { startLine, headers, body: end === -1 ? '' : text.slice(end + 4) };
};

const isNamed = (name: string, other: string): boolean => name.toLowerCase() === other.toLowerCase();

/** The first header of this name; undefined if absent. */
export const headerOf = ({ headers }: SipMessage, name: string): string | undefined =>
  headers.find(([known]) => isNamed(known, name))?.[1];

/** A mandatory header; '' in an invalid message. */
export const mustHave = (message: SipMessage, name: string): string => headerOf(message, name) ?? '';

export const formatSip = ({ startLine, headers, body }: SipMessage): string =>
  [
    startLine,
    ...headers
      .filter(([name]) => !isNamed(name, 'Content-Length'))
      .map(([name, value]) => `${name}: ${value}`),
    `Content-Length: ${Buffer.byteLength(body)}`,
    '',
    body,
  ].join(crlf);

/** Undefined for a request. */
export const statusOf = ({ startLine }: SipMessage): number | undefined => {
  const [, status] = /^SIP\/2\.0 (\d{3})/.exec(startLine) ?? [];
  return status === undefined ? undefined : Number(status);
};

/** Method of a request; for a response, the method of its request. */
export const methodOf = (message: SipMessage): string =>
  statusOf(message) === undefined
    ? (message.startLine.split(' ')[0] ?? '')
    : (mustHave(message, 'CSeq').split(/\s+/)[1] ?? '');

/** Method or status, as shown in a ladder. */
export const kindOf = (message: SipMessage): string => String(statusOf(message) ?? methodOf(message));

export const requestUriOf = ({ startLine }: SipMessage): string => startLine.split(' ')[1] ?? '';

export const tagOf = (header: string): string | undefined => /;\s*tag=([^;\s]+)/i.exec(header)?.[1];

export const branchOf = (message: SipMessage): string =>
  /;\s*branch=([^;\s]+)/i.exec(mustHave(message, 'Via'))?.[1] ?? '';

export const sequenceOf = (message: SipMessage): number => parseInt(mustHave(message, 'CSeq'), 10);

/** The URI of `"A. Caller" <sip:…>;tag=…`. */
export const uriIn = (header: string): string =>
  /<([^<>]+)>/.exec(header)?.[1] ?? (header.split(';')[0] ?? '').trim();

/** `host:port` of a SIP URI; the default port is 5060. */
export const addressIn = (uri: string): string => {
  const [, host = '', port = '5060'] = /^sips?:(?:[^@]*@)?([^:;?>]+)(?::(\d+))?/i.exec(uri) ?? [];
  return `${host}:${port}`;
};

const reasons: Readonly<Record<number, string>> = {
  100: 'Trying',
  180: 'Ringing',
  183: 'Session Progress',
  200: 'OK',
  202: 'Accepted',
  302: 'Moved Temporarily',
  401: 'Unauthorized',
  403: 'Forbidden',
  404: 'Not Found',
  407: 'Proxy Authentication Required',
  422: 'Session Interval Too Small',
  480: 'Temporarily Unavailable',
  481: 'Call/Transaction Does Not Exist',
  486: 'Busy Here',
  487: 'Request Terminated',
  488: 'Not Acceptable Here',
  500: 'Server Internal Error',
  503: 'Service Unavailable',
  603: 'Decline',
};

/** Parts of a message in addition to SIP's mandatory headers. */
export type MessageParts = {
  headers?: Readonly<Record<string, string>>;
  /** A session description as body. */
  sdp?: string;
  /** Another body; a header must contain its type. */
  body?: string;
};

export const bodyOf = ({
  headers = {},
  sdp,
  body = '',
}: MessageParts): { headers: [string, string][]; body: string } => ({
  headers: [
    ...Object.entries(headers),
    ...(sdp === undefined ? [] : [['Content-Type', 'application/sdp'] as [string, string]]),
  ],
  body: sdp ?? body,
});

/** The response to a request; `tag` is added to its To header if it has none. */
export const responseTo = (
  request: SipMessage,
  status: number,
  { tag, ...parts }: MessageParts & { tag?: string } = {},
): SipMessage => {
  const to = mustHave(request, 'To');
  const { headers, body } = bodyOf(parts);
  return {
    startLine: `SIP/2.0 ${status} ${reasons[status] ?? 'Whatever'}`,
    headers: [
      ...request.headers.filter(([name]) => isNamed(name, 'Via') || isNamed(name, 'Record-Route')),
      ['From', mustHave(request, 'From')],
      ['To', tag === undefined || tagOf(to) !== undefined ? to : `${to};tag=${tag}`],
      ['Call-ID', mustHave(request, 'Call-ID')],
      ['CSeq', mustHave(request, 'CSeq')],
      ...headers,
    ],
    body,
  };
};
