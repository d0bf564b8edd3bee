/**
 * Decides whether a session description is acceptable and with which audio, and creates the gateway's own offers (RFC
 * 3264).
 */
import {
  isWide,
  trunkCodecs,
  usualCodecs,
  type Trunk,
  type TrunkCodec,
  type TrunkSrtp,
} from '#src/domain/trunk.ts';
import { telephoneRate, wideRate, type SampleRate } from '#sip/audio/samples.ts';
import { keyLineIn, srtpSuite } from './sdes.ts';
import {
  activityOf,
  amongMedia,
  audioOf,
  connectionFor,
  families as allFamilies,
  formatDescription,
  linesOf,
  parseDescription,
  withDirection,
  withMediaAlone,
  withStatedHold,
  type Family,
  type MediaDirection,
  type MediaSection,
  type SessionDescription,
} from './session-description.ts';

/** Payload types that need no `rtpmap` (RFC 3551). */
const staticFormats: Readonly<Record<string, TrunkCodec>> = { 0: 'PCMU', 8: 'PCMA', 9: 'G722' };

/**
 * Codecs by upper-case name and RTP clock rate, which differs from the audio's sample rate (RFC 3551 section 4.5.2 for
 * G.722, RFC 7587 section 4.1 for Opus).
 */
const describedAs: Readonly<Record<string, string>> = {
  'PCMU/8000': 'PCMU',
  'PCMA/8000': 'PCMA',
  'G722/8000': 'G722',
  'OPUS/48000': 'opus',
  'TELEPHONE-EVENT/8000': 'TELEPHONE-EVENT',
  'CN/8000': 'CN',
};

/**
 * Matches formats besides voice codecs: comfort noise, and telephone events at any rate (RFC 4733 section 2.1), among
 * which a media server chooses.
 */
const besideVoice = /^a=rtpmap:(\S+) (?:telephone-event|CN)\//i;

/**
 * Matches comfort noise and telephone events at the 8 kHz clock of telephone codecs. Telephone events at the clock of
 * Opus (RFC 7587) belong to no stream there.
 */
const besideTelephoneVoice = /^a=rtpmap:(\S+) (?:telephone-event|CN)\/8000/i;

/**
 * Returns the names of payload types, such as `PCMU` and `TELEPHONE-EVENT`. The first `rtpmap` of a payload type
 * counts.
 */
const namesIn = (attributes: readonly string[]): ((format: string) => string | undefined) => {
  const maps = new Map<string, string>();
  for (const attribute of attributes) {
    const [, format = '', name = ''] = /^a=rtpmap:(\S+) (.*)/.exec(attribute) ?? [];
    if (!maps.has(format)) maps.set(format, name);
  }
  return (format) => {
    const map = maps.get(format);
    if (map === undefined) return staticFormats[format];
    const [described = ''] = /^[^/\s]+\/\d+/.exec(map) ?? [];
    return describedAs[described.toUpperCase()];
  };
};

/** The audio in an offer or answer. */
export type DescribedAudio = {
  /** Transport protocol, such as `RTP/AVP`. */
  protocol: string;
  address: string;
  port: number;
  /** Address for RTCP (RFC 3605) if the description contains one. */
  reports: { address: string; port: number } | null;
  /** Formats in order of preference, with the names of known codecs. */
  formats: { format: string; name: string | undefined }[];
};

/** Parses the audio of a description. Returns undefined without readable audio. */
export const audioIn = (sdp: string): DescribedAudio | undefined => {
  const description = parseDescription(sdp);
  const audio = audioOf(description);
  const connection = audio && connectionFor(description, audio);
  if (audio === undefined || audio.isBroken || connection === undefined) return undefined;
  const { address } = connection;
  const rtcp = audio.lines.find((line) => line.startsWith('a=rtcp:')) ?? '';
  const [, reportsPort, reportsAddress] = /^a=rtcp:(\d{1,5})(?: IN IP[46] (\S+))?/.exec(rtcp) ?? [];
  const nameOf = namesIn(audio.lines);
  return {
    protocol: audio.protocol,
    address,
    port: audio.port,
    reports:
      reportsPort === undefined ? null : { address: reportsAddress ?? address, port: Number(reportsPort) },
    formats: audio.formats.map((format) => ({ format, name: nameOf(format) })),
  };
};

/**
 * Maximum length of a description in bytes. The description is forwarded to the media server through drachtio-server,
 * which accepts messages of at most 12,000 bytes including headers.
 */
export const longestDescription = 10_000;

const wellFormed = /^[a-z]=\S?.*$/;

/** Requirements for an acceptable description. */
export type AudioTerms = Pick<Trunk, 'codecs' | 'srtp'> & {
  /** Address families that the media carrier reaches. */
  families: readonly Family[];
};

/** Reason why a description is not acceptable, with its code for the Warning header (RFC 3261 section 20.43). */
export type OfferProblem = { warning: 300 | 399; why: string };

const problem = (why: string): OfferProblem => ({ warning: 399, why });

const srtpProblem = ({ protocol, lines }: MediaSection, srtp: TrunkSrtp): OfferProblem | undefined => {
  const isClear = /^RTP\/AVPF?$/.test(protocol);
  const isSecret = protocol === 'RTP/SAVP' && keyLineIn(lines) !== undefined;
  if (srtp === 'required')
    return isSecret ? undefined : problem(`SRTP is required: RTP/SAVP alone, with ${srtpSuite}`);
  if (isClear || (isSecret && srtp === 'optional')) return undefined;
  const otherwise = srtp === 'optional' ? `, nor RTP/SAVP but with ${srtpSuite}` : '';
  return problem(`Audio over ${protocol} is not supported${otherwise}`);
};

/** Returns why this audio is not acceptable; undefined if it is. */
const audioProblem = (
  description: SessionDescription,
  audio: MediaSection,
  { codecs, srtp, families }: AudioTerms,
): OfferProblem | undefined => {
  if (audio.port === 0) return problem('There is no audio in the offer');
  const connection = connectionFor(description, audio);
  if (connection === undefined) return problem('The session description is malformed');
  if (!families.includes(connection.family))
    return {
      warning: 300,
      why: `Audio over ${connection.family} is not supported: ${families.join()} alone`,
    };
  const unencrypted = srtpProblem(audio, srtp);
  if (unencrypted !== undefined) return unencrypted;
  const names = audio.formats.map(namesIn(audio.lines));
  const known = codecs ?? usualCodecs;
  return known.some((codec) => names.includes(codec))
    ? undefined
    : problem(`There is no common codec (known here: ${known.join(', ')})`);
};

/** An acceptable offer (or answer). */
export type TakenOffer = {
  /** Description with only the accepted audio. */
  sdp: string;
  /**
   * Returns our description with all media of the offer in their order; media other than the accepted audio are refused
   * (RFC 3264 section 6).
   */
  answerWith(own: string): string;
};

/**
 * Returns the first acceptable audio of an offer, because an offer may contain several kinds. If none is acceptable,
 * returns the problem.
 */
export const takeOffer = (sdp: string, terms: AudioTerms): TakenOffer | OfferProblem => {
  if (Buffer.byteLength(sdp) > longestDescription)
    return problem(`The session description is longer than ${longestDescription} bytes`);
  const lines = linesOf(sdp);
  if (lines.length === 0) return problem('There is no session description');
  const description = parseDescription(sdp);
  const { media } = description;
  const audios = media.filter(({ kind }) => kind === 'audio');
  const isWell = lines[0] === 'v=0' && lines.every((line) => wellFormed.test(line));
  if (!isWell || audios.some(({ isBroken }) => isBroken))
    return problem('The session description is malformed');
  const taken = audios.find((audio) => audioProblem(description, audio, terms) === undefined);
  if (taken === undefined) {
    const audio = audioOf(description);
    return (audio && audioProblem(description, audio, terms)) ?? problem('There is no audio in the offer');
  }
  return {
    sdp: formatDescription(withMediaAlone(description, taken)),
    answerWith: (own) => amongMedia(media, media.indexOf(taken), own),
  };
};

/**
 * Returns why this offer (or answer) is not acceptable, for the 488 response and the log; undefined if it is
 * acceptable.
 */
export const offerProblem = (
  sdp: string,
  terms: Pick<AudioTerms, 'codecs' | 'srtp'> & Partial<AudioTerms>,
): OfferProblem | undefined => {
  const taken = takeOffer(sdp, { families: allFamilies, ...terms });
  return 'why' in taken ? taken : undefined;
};

/** Returns the index of our audio among the media of our description; -1 without audio. */
const placeIn = (own: string): number =>
  parseDescription(own).media.findIndex(({ kind, port }) => kind === 'audio' && port !== 0);

const activityIn = (sdp: string, own = ''): { sends: boolean; receives: boolean } => {
  const description = parseDescription(sdp);
  const audio = description.media[placeIn(own)] ?? audioOf(description);
  return audio === undefined ? { sends: true, receives: true } : activityOf(description, audio);
};

/**
 * Whether a description puts the call on hold: its author does not want to receive our audio (RFC 3264 section 8.4). In
 * a description with several audio media, the one at the index of ours counts.
 */
export const isHold = (sdp: string, own?: string): boolean => !activityIn(sdp, own).receives;

/** Returns the same description; the direction of its audio states a hold that only the address shows. */
export const withHoldStated = (sdp: string): string => {
  const description = parseDescription(sdp);
  const audio = audioOf(description);
  const stated = audio === undefined ? description : withStatedHold(description, audio);
  return stated === description ? sdp : formatDescription(stated);
};

/** Returns our direction in response to the other party's (RFC 3264 section 6.1). */
export const directionToward = (sdp: string): MediaDirection => {
  const { sends, receives } = activityIn(sdp);
  if (sends) return receives ? 'sendrecv' : 'recvonly';
  return receives ? 'sendonly' : 'inactive';
};

/** Returns our description with audio in both directions. */
export const withBothDirections = (own: string): string => {
  const description = parseDescription(own);
  const audio = description.media[placeIn(own)];
  const changed = audio === undefined ? description : withDirection(description, audio, 'sendrecv');
  return changed === description ? own : formatDescription(changed);
};

/** Returns a new offer with the media of our last description, and the audio at its index (RFC 3264 section 8). */
export const offerAfter = (last: string, next: string): string => {
  const place = placeIn(last);
  return place === -1 ? next : amongMedia(parseDescription(last).media, place, next);
};

/**
 * Removes stereo parameters of Opus (RFC 7587 section 6.1), because FreeSWITCH would use two channels although a
 * telephone has one. A sender that is not asked for stereo sends mono.
 */
const inMono = (line: string): string[] => {
  const [, head, parameters] = /^(a=fmtp:\d+ )(.*)$/.exec(line) ?? [];
  if (head === undefined || parameters === undefined) return [line];
  const kept = parameters.split(';').filter((parameter) => !/^\s*(?:sprop-)?stereo=/i.test(parameter));
  return kept.length === 0 ? [] : [`${head}${kept.join(';').trim()}`];
};

const withFormats = (sdp: string, audio: MediaSection, kept: ReadonlySet<string>): string => {
  const dropped = new Set(audio.formats.filter((format) => !kept.has(format)));
  const formatOf = (line: string): string => /^a=(?:rtpmap|fmtp|rtcp-fb):(\d+) /.exec(line)?.[1] ?? '';
  const head = audio.line.split(' ').slice(0, 3);
  return sdp
    .split(/\r?\n/)
    .filter((line) => !dropped.has(formatOf(line)))
    .flatMap((line) => (line === audio.line ? [[...head, ...kept].join(' ')] : inMono(line)))
    .join('\r\n');
};

/** Keeps only these voice formats, in this order, followed by the other formats (telephone events, comfort noise). */
const withVoices = (
  sdp: string,
  audio: MediaSection,
  voices: readonly string[],
  beside = besideVoice,
): string => {
  const others = new Set(['13', ...audio.lines.map((line) => beside.exec(line)?.[1] ?? '')]);
  return withFormats(
    sdp,
    audio,
    new Set([...voices, ...audio.formats.filter((format) => others.has(format))]),
  );
};

/**
 * Reduces an answer to the offered formats (RFC 3264 section 6.1). A media server that negotiated other formats earlier
 * still lists them, such as telephone events at the rate of another codec.
 */
export const answering = (offer: string, answer: string): string => {
  const [offered, answered] = [audioOf(parseDescription(offer)), audioOf(parseDescription(answer))];
  if (!offered || !answered) return answer;
  const kept = answered.formats.filter((format) => offered.formats.includes(format));
  return kept.length === 0 ? answer : withFormats(answer, answered, new Set(kept));
};

/**
 * Creates our own offer with only the voice codecs of a trunk in their order, and telephone events at the clock rates
 * of these codecs. A media server with Opus offers telephone events at 48,000 Hz even if the remaining voice codecs
 * have another rate (RFC 4733 section 2.1).
 */
export const offerWith = (sdp: string, { codecs }: Pick<Trunk, 'codecs'>): string => {
  const audio = audioOf(parseDescription(sdp));
  if (audio === undefined) return sdp;
  const nameOf = namesIn(audio.lines);
  const formatOf = (codec: string) => audio.formats.find((format) => nameOf(format) === codec);
  const offered = codecs ?? usualCodecs;
  const voices = offered.map(formatOf).filter((format) => format !== undefined);
  if (voices.length === 0) return sdp;
  return withVoices(sdp, audio, voices, offered.includes('opus') ? besideVoice : besideTelephoneVoice);
};

/**
 * Reduces the other party's description to one voice codec, so that both sides send the same one: a media server that
 * is offered one codec cannot answer with one and send another. The first available codec of the trunk's list is used,
 * because the list is ordered by quality at that trunk. Without a list, the first codec in the description is used (RFC
 * 3264 section 6.1).
 */
export const withOneVoice = (sdp: string, { codecs }: Pick<Trunk, 'codecs'>): string => {
  const audio = audioOf(parseDescription(sdp));
  if (audio === undefined) return sdp;
  const nameOf = namesIn(audio.lines);
  const names: readonly (string | undefined)[] = audio.formats.map(nameOf);
  const usual: readonly (string | undefined)[] = usualCodecs;
  const wanted = codecs?.find((codec) => names.includes(codec));
  const voice = audio.formats.find((format) =>
    codecs === null ? usual.includes(nameOf(format)) : wanted !== undefined && nameOf(format) === wanted,
  );
  return voice === undefined ? sdp : withVoices(sdp, audio, [voice]);
};

const packetTime = /^a=(max)?ptime:\s*(\d+)/;

/** Packet duration of a FreeSWITCH channel, in milliseconds. */
export type PacketMs = 10 | 20;

/**
 * Returns the packet duration of a FreeSWITCH channel for a party with this description: 20 ms unless the description
 * asks for shorter packets.
 */
export const packetMsIn = (sdp: string): PacketMs => {
  const isShort = (line: string): boolean => {
    const [, max, milliseconds] = packetTime.exec(line) ?? [];
    const value = Number(milliseconds ?? 20);
    return max === undefined ? value === 10 : value >= 10 && value < 20;
  };
  return sdp.split(/\r?\n/).some(isShort) ? 10 : 20;
};

/** Returns the same description with this packet duration. 20 ms is the default and has no attribute. */
export const withPackets = (sdp: string, packetMs: PacketMs): string => {
  const lines = sdp.split(/\r?\n/);
  if (packetMs === 20) return lines.filter((line) => !packetTime.test(line)).join('\r\n');
  const audio = lines.findIndex((line) => line.startsWith('m=audio'));
  const next = lines.findIndex((line, at) => at > audio && (line.startsWith('m=') || line === ''));
  const end = next === -1 ? lines.length : next;
  const kept = (part: string[]): string[] => part.filter((line) => !packetTime.test(line));
  return [...kept(lines.slice(0, end)), 'a=ptime:10', ...kept(lines.slice(end))].join('\r\n');
};

/** Returns the first voice codec of a description; undefined without one. */
export const voiceIn = (sdp: string): TrunkCodec | undefined => {
  const names: readonly (string | undefined)[] = audioIn(sdp)?.formats.map(({ name }) => name) ?? [];
  const isVoice = (name: string | undefined): boolean => trunkCodecs.some((codec) => codec === name);
  const first = names.find(isVoice);
  return trunkCodecs.find((codec) => codec === first);
};

/** Whether DTMF may be sent as RTP events (RFC 4733) to the author of this description. */
export const hasTelephoneEvents = (sdp: string): boolean =>
  audioIn(sdp)?.formats.some(({ name }) => name === 'TELEPHONE-EVENT') === true;

/** Returns the sample rate of the audio in a codec, which differs from the codec's RTP clock rate. */
export const audioRateOf = (codec: TrunkCodec): SampleRate => (isWide(codec) ? wideRate : telephoneRate);
