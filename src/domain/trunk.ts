/** A SIP trunk: the connection to the telephone network (guides/design/administration.md, "Trunks"). */

export const trunkTransports = ['udp', 'tcp', 'tls'] as const;
export type TrunkTransport = (typeof trunkTransports)[number];

/** Number formats: `01012345678`, `+821012345678` or `821012345678`. */
export const numberFormats = ['domestic', 'e164', 'e164_without_plus'] as const;
export type NumberFormat = (typeof numberFormats)[number];

/** Header with the caller's number (RFC 3261, RFC 3325). */
export const callerIdHeaders = ['from', 'p-asserted-identity', 'p-preferred-identity'] as const;
export type CallerIdHeader = (typeof callerIdHeaders)[number];

/** Codec names in session descriptions: narrowband and wideband. */
export const trunkCodecs = ['PCMU', 'PCMA', 'G722', 'opus'] as const;
export type TrunkCodec = (typeof trunkCodecs)[number];

/** Default codecs. */
export const usualCodecs: readonly TrunkCodec[] = ['PCMU', 'PCMA'];

/** Wideband codecs, available with FreeSWITCH only. */
const wideCodecs: readonly TrunkCodec[] = ['G722', 'opus'];
export const isWide = (codec: TrunkCodec): boolean => wideCodecs.includes(codec);

/**
 * `required`: calls use SRTP with keys by RFC 4568, or fail. `optional`: SRTP if the far end supports it (RFC 8643).
 */
export const trunkSrtp = ['off', 'optional', 'required'] as const;
export type TrunkSrtp = (typeof trunkSrtp)[number];

/** Media carriers: FreeSWITCH; this process by RTP; or either, this process first. */
export const trunkMedia = ['freeswitch', 'auto', 'direct'] as const;
export type TrunkMedia = (typeof trunkMedia)[number];

/**
 * Redirect policy (302 and others): no targets, the trunk's own hosts, or any. Redirect targets are trusted like the
 * trunk.
 */
export const trunkRedirects = ['refused', 'same_host', 'any'] as const;
export type TrunkRedirects = (typeof trunkRedirects)[number];

/** Default statuses for failover: the trunk refuses, does not respond, or has a problem of its own. */
export const usualFailoverStatuses: readonly string[] = ['401', '403', '407', '408', '429', '5xx'];

/** One of several addresses of a trunk. */
export type TrunkAddress = {
  /** Same format as the trunk's host and port. */
  host: string;
  port: number | null;
  /** Lowest first. */
  priority: number;
  /** Weight among addresses of equal priority. */
  weight: number;
  /** No new calls; existing ones continue. */
  drained: boolean;
};

export type TrunkSettings = {
  /** Unique in its workspace. */
  name: string;
  /** Host name, IPv4 or IPv6 address. */
  host: string;
  /** Null: by DNS (SRV), else the transport's default, 5060 or 5061. */
  port: number | null;
  transport: TrunkTransport;
  /** Addresses for calls and OPTIONS instead of host and port; empty if those are used. */
  addresses: TrunkAddress[];
  /** For digest authentication, registration and authenticating callers. */
  username: string | null;
  /** Whether the gateway registers at the trunk. */
  register: boolean;
  /** Realm of challenges to callers; null for the gateway's default. */
  realm: string | null;
  /** Host in From; null for the trunk's host. */
  fromDomain: string | null;
  numberFormat: NumberFormat;
  callerId: CallerIdHeader;
  /** Whether the caller's identity is withheld (RFC 3323). */
  privacy: boolean;
  /** In order of preference; null for narrowband codecs in the far end's order. */
  codecs: TrunkCodec[] | null;
  srtp: TrunkSrtp;
  media: TrunkMedia;
  /** E.164 prefixes with + of the numbers it serves; the longest match is used first. Empty: all. */
  prefixes: string[];
  /** Lowest first. */
  priority: number;
  /** Weight among trunks of equal priority. */
  weight: number;
  /** Concurrent calls in both directions; null for no limit. */
  maxChannels: number | null;
  /** New outbound calls per second; null for no limit. */
  callsPerSecond: number | null;
  /** Final statuses that cause failover: `403`, or `5xx` for a class. */
  failoverStatuses: string[];
  redirects: TrunkRedirects;
  /** Whether a cold transfer is a REFER to the trunk (RFC 3515), which then calls the person itself. */
  refer: boolean;
  /** Whether a REFER of the far end transfers the call, if the number permits it; otherwise REFER is declined. */
  acceptRefer: boolean;
  /** Addresses and CIDR blocks of inbound calls. */
  inboundAddresses: string[];
  /** `digest`: callers must authenticate. */
  inboundAuth: 'none' | 'digest';
  /** `X-…` headers accepted from inbound INVITEs, and allowed in outbound ones. */
  headersIn: string[];
  headersOut: string[];
  /** Whether the trunk is checked by OPTIONS; some trunks never respond. */
  healthCheck: boolean;
  /** No new calls in either direction; existing ones continue and registration stays. */
  drained: boolean;
  enabled: boolean;
};

/** Defaults of a trunk. */
export const trunkDefaults: Omit<TrunkSettings, 'name' | 'host'> = {
  port: null,
  transport: 'udp',
  addresses: [],
  username: null,
  register: false,
  realm: null,
  fromDomain: null,
  numberFormat: 'domestic',
  callerId: 'from',
  privacy: false,
  codecs: null,
  srtp: 'off',
  media: 'freeswitch',
  prefixes: [],
  priority: 10,
  weight: 10,
  maxChannels: null,
  callsPerSecond: null,
  failoverStatuses: [...usualFailoverStatuses],
  redirects: 'refused',
  refer: false,
  acceptRefer: false,
  inboundAddresses: [],
  inboundAuth: 'none',
  headersIn: [],
  headersOut: [],
  healthCheck: true,
  drained: false,
  enabled: true,
};

/** A trunk for calls, with its password. */
export type Trunk = TrunkSettings & {
  id: string;
  /** Null for the configured trunk, which serves all workspaces. */
  workspaceId: string | null;
  password: string | null;
};

/** States of a trunk on one gateway. */
export const trunkStates = [
  'disabled',
  /** First registration in progress. */
  'registering',
  'registered',
  /** Registration refused or unanswered; it is retried. */
  'unregistered',
  /** Usable without registration. */
  'ready',
  /** OPTIONS are not answered. */
  'unreachable',
  /** Cool-down requested by `Retry-After`. */
  'resting',
  /** Draining with calls in progress. */
  'draining',
  /** Drained, without calls. */
  'drained',
  /** This gateway has simulated lines. */
  'unused',
] as const;
export type TrunkState = (typeof trunkStates)[number];

/** Status of a trunk or of one of its addresses. */
export type TrunkPartStatus = {
  state: TrunkState;
  /** Details of the state in a sentence, or null. */
  detail: string | null;
  /** Time of the last response, wall-clock milliseconds since the epoch. */
  lastSeenAt: number | null;
  /** End of the cool-down, like `lastSeenAt`; null without one. */
  restsUntil: number | null;
  /** Current calls on one gateway. */
  channels: number;
};

export type TrunkStatus = TrunkPartStatus & {
  /** Empty for a trunk with one host. `address` is `host:port`. */
  addresses: (TrunkPartStatus & { address: string })[];
};

/** Why a trunk would not be used for a number: draining, cool-down, or prefixes. */
export const leftOutBecause = ['drained', 'resting', 'prefixes'] as const;

/** Trunks that a call to a number would use now, in order; equal weights are shuffled. */
export type TrunkRoute = {
  /** Form for comparison with prefixes: E.164. */
  number: string;
  /** `prefix`: empty if the trunk serves all numbers. Addresses are `host:port`, in order. */
  trunks: { trunkId: string; name: string; prefix: string; addresses: string[] }[];
  leftOut: { trunkId: string; name: string; because: (typeof leftOutBecause)[number] }[];
  /** Why no trunk would be used, for people; null if one would. */
  sentence: string | null;
};

export const trunkCheckSteps = ['registration', 'options', 'call'] as const;

/** A SIP message between the gateway and a trunk. */
export type LadderLine = {
  /** Milliseconds since the beginning of the step. */
  atMs: number;
  direction: 'out' | 'in';
  /** For example `REGISTER sip:sip.example.com` or `401 Unauthorized`. */
  message: string;
};

/** One step of a trunk check with its result. */
export type TrunkCheckStep = {
  step: (typeof trunkCheckSteps)[number];
  result: 'ok' | 'failed' | 'skipped';
  /** For the operator: meaning and remedy. */
  sentence: string;
  ladder: LadderLine[];
};

/** A call's slot on a trunk with a limit. */
export type TrunkChannel = { trunkId: string; callId: string };

type HostAndPort = Pick<TrunkAddress, 'host' | 'port'>;

/** A trunk without addresses uses its host. */
export const addressesOf = ({
  host,
  port,
  addresses,
}: Pick<Trunk, 'host' | 'port' | 'addresses'>): TrunkAddress[] =>
  addresses.length > 0 ? addresses : [{ host, port, priority: 0, weight: 0, drained: false }];

/** Host in a URI: IPv6 in brackets. */
export const hostInUri = (host: string): string => (host.includes(':') ? `[${host}]` : host);

/** `host:port`, or the host alone. */
export const addressName = ({ host, port }: HostAndPort): string =>
  port === null ? hostInUri(host) : `${hostInUri(host)}:${port}`;

/** Key for an address's calls and cool-downs. */
export const addressKey = ({ id }: Pick<Trunk, 'id'>, address: HostAndPort): string =>
  `${id} ${addressName(address)}`;
