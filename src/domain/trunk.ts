/** A SIP trunk: the connection to the telephone network (guides/design/administration.md, "Trunks"). */

export const trunkTransports = ['udp', 'tcp', 'tls'] as const;
export type TrunkTransport = (typeof trunkTransports)[number];

/** Formats in which a trunk writes numbers: `01012345678`, `+821012345678` or `821012345678`. */
export const numberFormats = ['domestic', 'e164', 'e164_without_plus'] as const;
export type NumberFormat = (typeof numberFormats)[number];

/** Header with the caller's number (RFC 3261, RFC 3325). */
export const callerIdHeaders = ['from', 'p-asserted-identity', 'p-preferred-identity'] as const;
export type CallerIdHeader = (typeof callerIdHeaders)[number];

/** Names of narrowband and wideband codecs in session descriptions. */
export const trunkCodecs = ['PCMU', 'PCMA', 'G722', 'opus'] as const;
export type TrunkCodec = (typeof trunkCodecs)[number];

/** Default codecs. */
export const usualCodecs: readonly TrunkCodec[] = ['PCMU', 'PCMA'];

/** Wideband codecs, available with FreeSWITCH only. */
const wideCodecs: readonly TrunkCodec[] = ['G722', 'opus'];
export const isWide = (codec: TrunkCodec): boolean => wideCodecs.includes(codec);

/**
 * SRTP of a trunk's calls. `required`: calls use SRTP with keys by RFC 4568, or fail. `optional`: calls use SRTP if the
 * far end supports it (RFC 8643).
 */
export const trunkSrtp = ['off', 'optional', 'required'] as const;
export type TrunkSrtp = (typeof trunkSrtp)[number];

/**
 * Media carriers: FreeSWITCH, this process by RTP (`direct`), or either (`auto`), where this process has precedence.
 */
export const trunkMedia = ['freeswitch', 'auto', 'direct'] as const;
export type TrunkMedia = (typeof trunkMedia)[number];

/**
 * Redirect policy (302 and others). `refused`: no redirect targets. `same_host`: only the trunk's own hosts. `any`: all
 * targets. Redirect targets are trusted like the trunk.
 */
export const trunkRedirects = ['refused', 'same_host', 'any'] as const;
export type TrunkRedirects = (typeof trunkRedirects)[number];

/** Default statuses that cause failover: the trunk refuses, does not respond, or has a problem of its own. */
export const usualFailoverStatuses: readonly string[] = ['401', '403', '407', '408', '429', '5xx'];

/** One of several addresses of a trunk. */
export type TrunkAddress = {
  /** Host name or address, in the same format as the trunk's own. */
  host: string;
  port: number | null;
  /** Priority of the address; the lowest comes first. */
  priority: number;
  /** Weight among addresses of equal priority. */
  weight: number;
  /** Whether the address gets no new calls; existing calls continue. */
  drained: boolean;
};

export type TrunkSettings = {
  /** Name of the trunk, unique in its workspace. */
  name: string;
  /** Host name, IPv4 or IPv6 address. */
  host: string;
  /** Port. Null: the port is found by DNS (SRV), else it is the transport's default, 5060 or 5061. */
  port: number | null;
  transport: TrunkTransport;
  /** Addresses for calls and OPTIONS, used instead of host and port; if the list is empty, host and port are used. */
  addresses: TrunkAddress[];
  /** User name for digest authentication: of requests to the trunk, of registration, and of callers. */
  username: string | null;
  /** Whether the gateway registers at the trunk. */
  register: boolean;
  /** Realm of challenges to callers; null for the gateway's default realm. */
  realm: string | null;
  /** Host in From; null for the trunk's own host. */
  fromDomain: string | null;
  numberFormat: NumberFormat;
  callerId: CallerIdHeader;
  /** Whether the caller's identity is withheld (RFC 3323). */
  privacy: boolean;
  /** Codecs in order of preference; null for narrowband codecs in the far end's order. */
  codecs: TrunkCodec[] | null;
  srtp: TrunkSrtp;
  media: TrunkMedia;
  /**
   * E.164 prefixes, with +, of the numbers that the trunk serves. The trunk with the longest matching prefix is used
   * first. An empty list means all numbers.
   */
  prefixes: string[];
  /** Priority of the trunk; the lowest comes first. */
  priority: number;
  /** Weight among trunks of equal priority. */
  weight: number;
  /** Maximum number of concurrent calls in both directions; null for no limit. */
  maxChannels: number | null;
  /** Maximum number of new outbound calls per second; null for no limit. */
  callsPerSecond: number | null;
  /** Final statuses that cause failover, such as `403`, or `5xx` for a class. */
  failoverStatuses: string[];
  redirects: TrunkRedirects;
  /** Whether a cold transfer is a REFER to the trunk (RFC 3515). The trunk then calls the person itself. */
  refer: boolean;
  /**
   * Whether a REFER of the far end transfers the call if the number permits the transfer. Otherwise the REFER is
   * declined.
   */
  acceptRefer: boolean;
  /** Addresses and CIDR blocks from which inbound calls come. */
  inboundAddresses: string[];
  /** Authentication of callers; with `digest`, callers must authenticate. */
  inboundAuth: 'none' | 'digest';
  /**
   * Names of `X-…` headers that are accepted from inbound INVITEs (`headersIn`) and allowed in outbound ones
   * (`headersOut`).
   */
  headersIn: string[];
  headersOut: string[];
  /** Whether the trunk is checked by OPTIONS. Some trunks never respond to OPTIONS. */
  healthCheck: boolean;
  /** Whether the trunk gets no new calls in either direction. Existing calls continue, and the registration remains. */
  drained: boolean;
  enabled: boolean;
};

/** Default settings of a trunk. */
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

/** A trunk for calls, including its password. */
export type Trunk = TrunkSettings & {
  id: string;
  /** Id of the workspace; null for the trunk of the configuration, which serves all workspaces. */
  workspaceId: string | null;
  password: string | null;
};

/** States of a trunk on one gateway. */
export const trunkStates = [
  'disabled',
  /** The first registration is in progress. */
  'registering',
  'registered',
  /** The registration was refused or not answered, and is retried. */
  'unregistered',
  /** The trunk is usable without registration. */
  'ready',
  /** The trunk does not answer OPTIONS. */
  'unreachable',
  /** The trunk requested a cool-down by `Retry-After`. */
  'resting',
  /** The trunk is draining and has calls in progress. */
  'draining',
  /** The trunk is drained and has no calls. */
  'drained',
  /** The trunk is not used, because this gateway has simulated lines. */
  'unused',
] as const;
export type TrunkState = (typeof trunkStates)[number];

/** Status of a trunk or of one of its addresses. */
export type TrunkPartStatus = {
  state: TrunkState;
  /** Details of the state in a sentence; null without details. */
  detail: string | null;
  /** Time of the last response in wall-clock milliseconds since the epoch. */
  lastSeenAt: number | null;
  /** End of the cool-down in wall-clock milliseconds since the epoch; null without a cool-down. */
  restsUntil: number | null;
  /** Number of current calls on one gateway. */
  channels: number;
};

export type TrunkStatus = TrunkPartStatus & {
  /** Status of each address, where `address` is `host:port`; empty for a trunk with one host. */
  addresses: (TrunkPartStatus & { address: string })[];
};

/** Reasons why a trunk would not be used for a number: draining, cool-down, or prefixes. */
export const leftOutBecause = ['drained', 'resting', 'prefixes'] as const;

/** Trunks that a call to a number would use now, in order. Trunks of equal weight are shuffled. */
export type TrunkRoute = {
  /** Number in the form that is compared with prefixes: E.164. */
  number: string;
  /** Trunks in order. `prefix` is empty if the trunk serves all numbers. `addresses` are `host:port`, in order. */
  trunks: { trunkId: string; name: string; prefix: string; addresses: string[] }[];
  leftOut: { trunkId: string; name: string; because: (typeof leftOutBecause)[number] }[];
  /** Sentence for people about why no trunk would be used; null if one would be used. */
  sentence: string | null;
};

export const trunkCheckSteps = ['registration', 'options', 'call'] as const;

/** A SIP message between the gateway and a trunk. */
export type LadderLine = {
  /** Milliseconds since the beginning of the step. */
  atMs: number;
  direction: 'out' | 'in';
  /** Summary of the message, for example `REGISTER sip:sip.example.com` or `401 Unauthorized`. */
  message: string;
};

/** One step of a trunk check with its result. */
export type TrunkCheckStep = {
  step: (typeof trunkCheckSteps)[number];
  result: 'ok' | 'failed' | 'skipped';
  /** Sentence for the operator: meaning of the result, and remedy. */
  sentence: string;
  ladder: LadderLine[];
};

/** A leg of a call: with its other party, or with the person to whom the call is transferred. */
export type TrunkLeg = 'first' | 'second';

/** A slot of a call's leg on a trunk with a limit. */
export type TrunkChannel = { trunkId: string; callId: string; leg: TrunkLeg };

type HostAndPort = Pick<TrunkAddress, 'host' | 'port'>;

/** Returns the addresses of a trunk; for a trunk without addresses, its host. */
export const addressesOf = ({
  host,
  port,
  addresses,
}: Pick<Trunk, 'host' | 'port' | 'addresses'>): TrunkAddress[] =>
  addresses.length > 0 ? addresses : [{ host, port, priority: 0, weight: 0, drained: false }];

/** Formats a host for a URI: IPv6 addresses in brackets. */
export const hostInUri = (host: string): string => (host.includes(':') ? `[${host}]` : host);

/** Formats an address as `host:port`, or as the host alone. */
export const addressName = ({ host, port }: HostAndPort): string =>
  port === null ? hostInUri(host) : `${hostInUri(host)}:${port}`;

/** Returns the key of an address for its calls and cool-downs. */
export const addressKey = ({ id }: Pick<Trunk, 'id'>, address: HostAndPort): string =>
  `${id} ${addressName(address)}`;
