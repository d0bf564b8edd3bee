/** Session descriptions (RFC 8866) like those of telephones and media servers. */

export type Sound = {
  port?: number;
  /** Payload types in order of preference. */
  formats?: readonly number[];
  direction?: 'sendrecv' | 'sendonly' | 'recvonly' | 'inactive';
  /** Requested packet length in milliseconds. */
  packetMs?: number;
};

const codecs: Readonly<Record<number, string>> = {
  0: 'PCMU/8000',
  8: 'PCMA/8000',
  18: 'G729/8000',
  101: 'telephone-event/8000',
};

/** Describes audio, by default PCMU and DTMF events in both directions. */
export const describeSound = ({
  port = 30_000,
  formats = [0, 101],
  direction = 'sendrecv',
  packetMs,
}: Sound = {}): string =>
  [
    'v=0',
    'o=far 1 1 IN IP4 127.0.0.1',
    's=-',
    'c=IN IP4 127.0.0.1',
    't=0 0',
    `m=audio ${port} RTP/AVP ${formats.join(' ')}`,
    ...formats.map((format) => `a=rtpmap:${format} ${codecs[format] ?? 'unknown/8000'}`),
    ...(packetMs === undefined ? [] : [`a=ptime:${packetMs}`]),
    `a=${direction}`,
    '',
  ].join('\r\n');

/** Payload types of the first audio stream. */
export const formatsIn = (sdp: string): number[] =>
  (/^m=audio \d+ \S+ ([\d ]+)/m.exec(sdp)?.[1] ?? '').split(' ').map(Number);

export const directionIn = (sdp: string): string =>
  /^a=(sendrecv|sendonly|recvonly|inactive)\r?$/m.exec(sdp)?.[1] ?? 'sendrecv';
