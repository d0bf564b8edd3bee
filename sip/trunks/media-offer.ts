/**
 * Session descriptions (RFC 8866), as far as it is decided here whether and with which codecs a call can be had.
 *
 * They are not read by sdp-transform (3.0.0): it tries some fifty expressions on each attribute, so that 12,000
 * attributes it does not know take it 302 ms, in the same run in which they are judged here in 3, and strangers send
 * offers; it passes over lines that are broken, which are a reason to refuse here; and a description goes on to the media
 * server as it came but for the lines that are meant, while the library writes all of it anew in an order of its own.
 */
import {
  isWide,
  trunkCodecs,
  usualCodecs,
  type Trunk,
  type TrunkCodec,
  type TrunkSrtp,
} from '#src/domain/trunk.ts';
import { telephoneRate, wideRate, type SampleRate } from '../samples.ts';
import { isSecret, srtpSuite } from './sdes.ts';

type Media = { line: string; port: number; protocol: string; formats: string[]; attributes: string[] };

const mediaLine = /^m=audio (\d{1,5})(?:\/\d+)? (\S+)((?: \S+)+)$/;

/** RFC 3551: these need no `rtpmap`. */
const staticFormats: Readonly<Record<string, TrunkCodec>> = { 0: 'PCMU', 8: 'PCMA', 9: 'G722' };

/**
 * What is described by these names, in capital letters, at this rate: that of the RTP clock, which says nothing of the
 * sound (RFC 3551 section 4.5.2 for G.722, RFC 7587 section 4.1 for Opus).
 */
const describedAs: Readonly<Record<string, string>> = {
  'PCMU/8000': 'PCMU',
  'PCMA/8000': 'PCMA',
  'G722/8000': 'G722',
  'OPUS/48000': 'opus',
  'TELEPHONE-EVENT/8000': 'TELEPHONE-EVENT',
  'CN/8000': 'CN',
};

/** Formats that are no voice; keys at whatever rate (RFC 4733 section 2.1), which a media server judges. */
const besideVoice = /^a=rtpmap:(\S+) (?:telephone-event|CN)\//i;

/** The same at the clock of the telephone's codecs; keys at that of Opus (RFC 7587) have no stream beside those. */
const besideTelephoneVoice = /^a=rtpmap:(\S+) (?:telephone-event|CN)\/8000/i;

const linesOf = (sdp: string): string[] => sdp.split(/\r?\n/).filter((line) => line !== '');

/** The first audio of a description; `null` for a broken line. */
const audioOf = (lines: readonly string[]): Media | null | undefined => {
  const index = lines.findIndex((line) => line.startsWith('m=audio'));
  const line = lines[index];
  if (line === undefined) return undefined;
  const [, port = '', protocol = '', formats = ''] = mediaLine.exec(line) ?? [];
  if (port === '' || Number(port) > 65_535) return null;
  const next = lines.findIndex((other, at) => at > index && other.startsWith('m='));
  return {
    line,
    port: Number(port),
    protocol,
    formats: formats.trim().split(' '),
    attributes: lines.slice(index + 1, next === -1 ? undefined : next),
  };
};

/** Names of payload types: `PCMU`, `TELEPHONE-EVENT` …; of two `rtpmap` for the same type the first counts. */
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

/** The audio that a description offers or takes. */
export type DescribedAudio = {
  /** Such as `RTP/AVP`. */
  protocol: string;
  address: string;
  port: number;
  /** Where reports are wanted (RFC 3605), where it says so. */
  reports: { address: string; port: number } | null;
  /** In the order of preference, with the names of those that are known. */
  formats: { format: string; name: string | undefined }[];
};

const addressIn = (line: string | undefined): string | undefined =>
  /^[ac]=.*IN IP[46] (\S+)$/.exec(line ?? '')?.[1];

/** Undefined where there is none that can be read. */
export const audioIn = (sdp: string): DescribedAudio | undefined => {
  const lines = linesOf(sdp);
  const audio = audioOf(lines);
  if (audio === undefined || audio === null) return undefined;
  const connection = (line: string): boolean => line.startsWith('c=');
  const address = addressIn(audio.attributes.find(connection) ?? lines.find(connection));
  if (address === undefined) return undefined;
  const rtcp = audio.attributes.find((line) => line.startsWith('a=rtcp:'));
  const [, reportsPort] = /^a=rtcp:(\d{1,5})/.exec(rtcp ?? '') ?? [];
  const nameOf = namesIn(audio.attributes);
  return {
    protocol: audio.protocol,
    address,
    port: audio.port,
    reports:
      reportsPort === undefined ? null : { address: addressIn(rtcp) ?? address, port: Number(reportsPort) },
    formats: audio.formats.map((format) => ({ format, name: nameOf(format) })),
  };
};

/**
 * In bytes. It goes on to the media server by way of drachtio-server, which takes messages of 12,000 bytes at most with
 * all their headers.
 */
export const longestDescription = 10_000;

const wellFormed = /^[a-z]=\S?.*$/;

/** Why this offer (or answer) cannot be taken, for the refusal 488 and the log; undefined when it can. */
export const offerProblem = (
  sdp: string,
  codecs: readonly TrunkCodec[],
  srtp: TrunkSrtp,
): string | undefined => {
  if (Buffer.byteLength(sdp) > longestDescription)
    return `The session description is longer than ${longestDescription} bytes`;
  const lines = linesOf(sdp);
  if (lines.length === 0) return 'There is no session description';
  if (lines[0] !== 'v=0' || !lines.every((line) => wellFormed.test(line)))
    return 'The session description is malformed';
  const audio = audioOf(lines);
  if (audio === undefined) return 'There is no audio in the offer';
  if (audio === null || !lines.some((line) => /^c=IN IP[46] \S+$/.test(line)))
    return 'The session description is malformed';
  if (audio.port === 0) return 'There is no audio in the offer';
  const isClear = /^RTP\/AVPF?$/.test(audio.protocol);
  if (srtp === 'required' && !isSecret(sdp)) return `SRTP is required: RTP/SAVP alone, with ${srtpSuite}`;
  if (srtp === 'off' && !isClear) return `Audio over ${audio.protocol} is not supported`;
  if (srtp === 'optional' && !isClear && !isSecret(sdp))
    return `Audio over ${audio.protocol} is not supported, nor RTP/SAVP but with ${srtpSuite}`;
  const names = audio.formats.map(namesIn(audio.attributes));
  return codecs.some((codec) => names.includes(codec))
    ? undefined
    : `There is no common codec (known here: ${codecs.join(', ')})`;
};

/**
 * Whether who describes its sound so does not want to hear us: it has put the call on hold (RFC 3264 section 8.4), in the
 * way of today or by the address 0.0.0.0 of RFC 2543.
 */
export const isHold = (sdp: string): boolean => {
  const lines = linesOf(sdp);
  const audio = audioOf(lines);
  if (audio === undefined || audio === null) return false;
  const session = lines.slice(
    0,
    lines.findIndex((line) => line.startsWith('m=')),
  );
  const said = (fits: (line: string) => boolean): string | undefined =>
    audio.attributes.find(fits) ?? session.find(fits);
  const direction = said((line) => /^a=(?:sendrecv|sendonly|recvonly|inactive)$/.test(line));
  const address = said((line) => line.startsWith('c='));
  return direction === 'a=sendonly' || direction === 'a=inactive' || address === 'c=IN IP4 0.0.0.0';
};

/** The other media of an offer, and where the audio stands that is answered; an answer refuses each of them in its place. */
export const otherMediaIn = (sdp: string): { before: string[]; behind: string[] } => {
  const media = linesOf(sdp).filter((line) => line.startsWith('m='));
  const at = media.findIndex((line) => line.startsWith('m=audio'));
  return { before: media.slice(0, Math.max(0, at)), behind: media.slice(at + 1) };
};

/**
 * FreeSWITCH would carry two channels where Opus is offered with them (RFC 7587 section 6.1), and a telephone has one;
 * who is not asked for two sends one.
 */
const inMono = (line: string): string[] => {
  const [, head, parameters] = /^(a=fmtp:\d+ )(.*)$/.exec(line) ?? [];
  if (head === undefined || parameters === undefined) return [line];
  const kept = parameters.split(';').filter((parameter) => !/^\s*(?:sprop-)?stereo=/i.test(parameter));
  return kept.length === 0 ? [] : [`${head}${kept.join(';').trim()}`];
};

const withFormats = (sdp: string, audio: Media, kept: ReadonlySet<string>): string => {
  const dropped = new Set(audio.formats.filter((format) => !kept.has(format)));
  const formatOf = (line: string): string => /^a=(?:rtpmap|fmtp|rtcp-fb):(\d+) /.exec(line)?.[1] ?? '';
  const head = audio.line.split(' ').slice(0, 3);
  return sdp
    .split(/\r?\n/)
    .filter((line) => !dropped.has(formatOf(line)))
    .flatMap((line) => (line === audio.line ? [[...head, ...kept].join(' ')] : inMono(line)))
    .join('\r\n');
};

/** With these formats of voices alone, in this order; what is no codec (keys, noise) stays behind them. */
const withVoices = (sdp: string, audio: Media, voices: readonly string[], beside = besideVoice): string => {
  const others = new Set(['13', ...audio.attributes.map((line) => beside.exec(line)?.[1] ?? '')]);
  return withFormats(
    sdp,
    audio,
    new Set([...voices, ...audio.formats.filter((format) => others.has(format))]),
  );
};

/**
 * An answer with the formats alone that were offered (RFC 3264 section 6.1): a media server that has settled on more
 * before names more, such as keys at the rate of another codec.
 */
export const answering = (offer: string, answer: string): string => {
  const [offered, answered] = [audioOf(linesOf(offer)), audioOf(linesOf(answer))];
  if (!offered || !answered) return answer;
  const kept = answered.formats.filter((format) => offered.formats.includes(format));
  return kept.length === 0 ? answer : withFormats(answer, answered, new Set(kept));
};

/**
 * Our own offer, with the voice codecs of a trunk alone and in their order, and keys at their clocks: a media server that
 * knows Opus offers keys at 48,000 Hz, too, whatever is kept of the voices (RFC 4733 section 2.1).
 */
export const offerWith = (sdp: string, { codecs }: Pick<Trunk, 'codecs'>): string => {
  const audio = audioOf(linesOf(sdp));
  if (audio === undefined || audio === null) return sdp;
  const nameOf = namesIn(audio.attributes);
  const formatOf = (codec: string) => audio.formats.find((format) => nameOf(format) === codec);
  const offered = codecs ?? usualCodecs;
  const voices = offered.map(formatOf).filter((format) => format !== undefined);
  if (voices.length === 0) return sdp;
  return withVoices(sdp, audio, voices, offered.includes('opus') ? besideVoice : besideTelephoneVoice);
};

/**
 * Another's description with one voice codec, so that it is known which one both sides send: a media server that is
 * offered one cannot answer with one and send another. It is the first of the trunk's own list that is there, for who
 * lists codecs knows which sound best at that trunk; where it lists none, the first in the order of the description
 * (RFC 3264 section 6.1).
 */
export const withOneVoice = (sdp: string, { codecs }: Pick<Trunk, 'codecs'>): string => {
  const audio = audioOf(linesOf(sdp));
  if (audio === undefined || audio === null) return sdp;
  const nameOf = namesIn(audio.attributes);
  const names: readonly (string | undefined)[] = audio.formats.map(nameOf);
  const usual: readonly (string | undefined)[] = usualCodecs;
  const wanted = codecs?.find((codec) => names.includes(codec));
  const voice = audio.formats.find((format) =>
    codecs === null ? usual.includes(nameOf(format)) : wanted !== undefined && nameOf(format) === wanted,
  );
  return voice === undefined ? sdp : withVoices(sdp, audio, [voice]);
};

/** The first voice codec of a description; undefined where there is none. */
export const voiceIn = (sdp: string): TrunkCodec | undefined => {
  const names: readonly (string | undefined)[] = audioIn(sdp)?.formats.map(({ name }) => name) ?? [];
  const isVoice = (name: string | undefined): boolean => trunkCodecs.some((codec) => codec === name);
  const first = names.find(isVoice);
  return trunkCodecs.find((codec) => codec === first);
};

/** Of the sound that a codec carries, which is not that of its RTP clock. */
export const soundRateOf = (codec: TrunkCodec): SampleRate => (isWide(codec) ? wideRate : telephoneRate);
