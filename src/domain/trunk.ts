/** A SIP trunk: the way between this gateway and the telephone network (guides/design/administration.md, "Trunks"). */

export const trunkTransports = ['udp', 'tcp', 'tls'] as const;
export type TrunkTransport = (typeof trunkTransports)[number];

/** Formats of numbers: `01012345678`, `+821012345678` or `821012345678`. */
export const numberFormats = ['domestic', 'e164', 'e164_without_plus'] as const;
export type NumberFormat = (typeof numberFormats)[number];

/** The header that says who calls (RFC 3261, RFC 3325). */
export const callerIdHeaders = ['from', 'p-asserted-identity', 'p-preferred-identity'] as const;
export type CallerIdHeader = (typeof callerIdHeaders)[number];

/** By their names in session descriptions: those of telephones, and two that carry more of a voice. */
export const trunkCodecs = ['PCMU', 'PCMA', 'G722', 'opus'] as const;
export type TrunkCodec = (typeof trunkCodecs)[number];

/** Of a trunk that names none. */
export const usualCodecs: readonly TrunkCodec[] = ['PCMU', 'PCMA'];

/** Up to 8000 Hz of a voice, where a telephone carries 4000; FreeSWITCH alone has them. */
const wideCodecs: readonly TrunkCodec[] = ['G722', 'opus'];
export const isWide = (codec: TrunkCodec): boolean => wideCodecs.includes(codec);

/**
 * `required`: a call is had with encrypted sound (SRTP, with keys by RFC 4568) or not at all. `optional`: with it where
 * the other side has it, too (RFC 8643).
 */
export const trunkSrtp = ['off', 'optional', 'required'] as const;
export type TrunkSrtp = (typeof trunkSrtp)[number];

/**
 * Carriers of the sound of calls: FreeSWITCH; this process itself, by RTP, without any FreeSWITCH; or whichever can,
 * this process first.
 */
export const trunkMedia = ['freeswitch', 'auto', 'direct'] as const;
export type TrunkMedia = (typeof trunkMedia)[number];

/**
 * Whether a call goes where the trunk sends it on to (302 and its like): nowhere, to the trunk's own hosts, or to any.
 * Whoever answers there must be trusted as the trunk is.
 */
export const trunkRedirects = ['refused', 'same_host', 'any'] as const;
export type TrunkRedirects = (typeof trunkRedirects)[number];

/** After these statuses another trunk may do better: it refuses us, does not answer, or has trouble of its own. */
export const usualFailoverStatuses: readonly string[] = ['401', '403', '407', '408', '429', '5xx'];

/** One of several places where a trunk takes calls. */
export type TrunkAddress = {
  /** As those of a trunk. */
  host: string;
  port: number | null;
  /** The lowest goes first. */
  priority: number;
  /** The share of calls among addresses of the same priority. */
  weight: number;
  /** No new call goes there; those that stand go on. */
  drained: boolean;
};

export type TrunkSettings = {
  /** Unique in its workspace. */
  name: string;
  /** A host name, an IPv4 or an IPv6 address. */
  host: string;
  /** Null: what DNS says (SRV), else the transport's own, 5060 or 5061. */
  port: number | null;
  transport: TrunkTransport;
  /** Where calls and OPTIONS go, by the trunk's transport, in place of host and port; empty where they go there. */
  addresses: TrunkAddress[];
  /** For digest authentication, registration, and callers that authenticate. */
  username: string | null;
  /** Whether the gateway registers, so that the trunk knows where it is. */
  register: boolean;
  /** The realm that callers are challenged with; null for the gateway's own. */
  realm: string | null;
  /** What stands behind the number in From; null for the trunk's host. */
  fromDomain: string | null;
  numberFormat: NumberFormat;
  callerId: CallerIdHeader;
  /** Whether the called party is not to see who calls (RFC 3323). */
  privacy: boolean;
  /** In order of preference; null for those of telephones, in the other side's order. */
  codecs: TrunkCodec[] | null;
  srtp: TrunkSrtp;
  media: TrunkMedia;
  /** E.164 prefixes, with their +, of the numbers that it serves: the longest that fits goes first. Empty: all. */
  prefixes: string[];
  /** The lowest goes first. */
  priority: number;
  /** The share of calls among trunks of the same priority. */
  weight: number;
  /** Calls at once, in both directions; null for no limit. */
  maxChannels: number | null;
  /** New outbound calls a second; null for no limit. */
  callsPerSecond: number | null;
  /** Final statuses after which the next trunk is tried: `403`, or `5xx` for a whole class. */
  failoverStatuses: string[];
  redirects: TrunkRedirects;
  /** Addresses and blocks (CIDR) that calls may come from. */
  inboundAddresses: string[];
  /** `digest`: callers prove that they know the password. */
  inboundAuth: 'none' | 'digest';
  /** Names `X-…` of headers that are taken from an INVITE that comes in, and of those that one that goes out may have. */
  headersIn: string[];
  headersOut: string[];
  /** Whether OPTIONS asks the trunk now and then if it is there; some trunks never answer. */
  healthCheck: boolean;
  /** No new call goes out or comes in; those that stand go on, and the trunk stays registered. */
  drained: boolean;
  enabled: boolean;
};

/** Of a trunk that says no more than its name and its host. */
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
  inboundAddresses: [],
  inboundAuth: 'none',
  headersIn: [],
  headersOut: [],
  healthCheck: true,
  drained: false,
  enabled: true,
};

/** As calls use it: with its password in clear. */
export type Trunk = TrunkSettings & {
  id: string;
  /** Null for the trunk of the gateway's own configuration, which serves every workspace. */
  workspaceId: string | null;
  password: string | null;
};

/** States of a trunk, on one gateway. */
export const trunkStates = [
  'disabled',
  /** The first registration is under way. */
  'registering',
  'registered',
  /** The registrar refuses, or does not answer; it is asked again. */
  'unregistered',
  /** It needs no registration and can be used. */
  'ready',
  /** It does not answer OPTIONS. */
  'unreachable',
  /** It has asked to be left alone for a while (`Retry-After`). */
  'resting',
  /** It takes no new calls, and some still stand. */
  'draining',
  /** It takes no new calls, and none stands. */
  'drained',
  /** The lines of this gateway are simulated. */
  'unused',
] as const;
export type TrunkState = (typeof trunkStates)[number];

/** Of a trunk, or of one of its addresses. */
export type TrunkPartStatus = {
  state: TrunkState;
  /** A plain sentence where there is something to know, else null. */
  detail: string | null;
  /** When the trunk last answered, wall-clock milliseconds since the epoch. */
  lastSeenAt: number | null;
  /** Until when it has asked to be left alone, as `lastSeenAt`; null when it has not. */
  restsUntil: number | null;
  /** Calls that go this way now, on one gateway. */
  channels: number;
};

export type TrunkStatus = TrunkPartStatus & {
  /** Empty where the trunk is one host. `address` is `host:port`. */
  addresses: (TrunkPartStatus & { address: string })[];
};

/** Why a trunk would get no call to a number: it is drained, it rests, or its prefixes do not hold the number. */
export const leftOutBecause = ['drained', 'resting', 'prefixes'] as const;

/** Which trunks a call to a number would take now, in their order; those of the same weight as chance has it. */
export type TrunkRoute = {
  /** As it is compared with prefixes: E.164. */
  number: string;
  /** `prefix`: empty where the trunk serves all numbers. The addresses are `host:port`, in their order. */
  trunks: { trunkId: string; name: string; prefix: string; addresses: string[] }[];
  leftOut: { trunkId: string; name: string; because: (typeof leftOutBecause)[number] }[];
  /** For people: why no trunk would carry it; null where one would. */
  sentence: string | null;
};

export const trunkCheckSteps = ['registration', 'options', 'call'] as const;

/** One message between the gateway and a trunk. */
export type LadderLine = {
  /** Milliseconds since the step began. */
  atMs: number;
  direction: 'out' | 'in';
  /** Such as `REGISTER sip:sip.example.com` or `401 Unauthorized`. */
  message: string;
};

/** One step of trying a trunk out, with its result. */
export type TrunkCheckStep = {
  step: (typeof trunkCheckSteps)[number];
  result: 'ok' | 'failed' | 'skipped';
  /** For the operator: what it means, and what to do. */
  sentence: string;
  ladder: LadderLine[];
};

/** One call's place on a trunk that may have so many at once. */
export type TrunkChannel = { trunkId: string; callId: string };
