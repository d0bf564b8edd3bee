/** Session descriptions of calls whose sound this process carries itself (RFC 8866, RFC 3264): telephone sound, one codec. */
import { isIP } from 'node:net';
import type { TrunkCodec } from '#src/domain/trunk.ts';
import { audioIn, isHold } from '../../trunks/media-offer.ts';
import type { Address, RtpAgreement } from '../thread/messages.ts';

export type Direction = 'sendrecv' | 'sendonly' | 'recvonly' | 'inactive';

/** Payload types of RFC 3551; that of keys is ours to choose. */
const payloadTypes: Readonly<Record<TrunkCodec, number>> = { PCMU: 0, PCMA: 8 };
const ourKeysPayloadType = 101;

/** Where our sound is wanted, and which description of the call it is. */
export type OwnDescription = Address & { sessionId: number; version: number };

export type Formats = {
  codecs: readonly { codec: TrunkCodec; payloadType: number }[];
  keysPayloadType: number | null;
};

/** Before anything is agreed on. */
export const offeredFormats = (codecs: readonly TrunkCodec[]): Formats => ({
  codecs: codecs.map((codec) => ({ codec, payloadType: payloadTypes[codec] })),
  keysPayloadType: ourKeysPayloadType,
});

export const formatsOf = ({ codec, payloadType, keysPayloadType }: RtpAgreement): Formats => ({
  codecs: [{ codec, payloadType }],
  keysPayloadType,
});

const family = (address: string): string => (address.includes(':') ? 'IP6' : 'IP4');

export const writeDescription = (
  { address, port, sessionId, version }: OwnDescription,
  { codecs, keysPayloadType }: Formats,
  direction: Direction,
): string => {
  const types = [
    ...codecs.map(({ payloadType }) => payloadType),
    ...(keysPayloadType === null ? [] : [keysPayloadType]),
  ];
  return [
    'v=0',
    `o=- ${sessionId} ${version} IN ${family(address)} ${address}`,
    's=-',
    `c=IN ${family(address)} ${address}`,
    't=0 0',
    `m=audio ${port} RTP/AVP ${types.join(' ')}`,
    ...codecs.map(({ codec, payloadType }) => `a=rtpmap:${payloadType} ${codec}/8000`),
    ...(keysPayloadType === null
      ? []
      : [`a=rtpmap:${keysPayloadType} telephone-event/8000`, `a=fmtp:${keysPayloadType} 0-15`]),
    'a=ptime:20',
    `a=${direction}`,
    '',
  ].join('\r\n');
};

/** A name is never looked up: packets go out fifty times a second, and who calls in chooses what stands here. */
const isReachable = ({ address, port }: Address): boolean =>
  isIP(address) !== 0 && port > 0 && port <= 65_535;

/**
 * What the far end's description means for us: where its sound is wanted, and in which format. Undefined where none of
 * our codecs is in it, or no address and port that sound can be sent to.
 */
export const agreementFrom = (sdp: string): RtpAgreement | undefined => {
  const audio = audioIn(sdp);
  if (audio === undefined) return undefined;
  const voice = audio.formats.find(({ name }) => name === 'PCMU' || name === 'PCMA');
  if (voice === undefined) return undefined;
  const keys = audio.formats.find(({ name }) => name === 'TELEPHONE-EVENT');
  const remote = { address: audio.address, port: audio.port };
  if (!isReachable(remote)) return undefined;
  const reports = audio.reports ?? { ...remote, port: remote.port + 1 };
  return {
    remote,
    remoteReports: isReachable(reports) ? reports : remote,
    codec: voice.name === 'PCMU' ? 'PCMU' : 'PCMA',
    payloadType: Number(voice.format),
    keysPayloadType: keys === undefined ? null : Number(keys.format),
    isSending: !isHold(sdp),
  };
};

/** What we do while the far end does so (RFC 3264 section 6.1). */
export const answering = (sdp: string): Direction => {
  const [, theirs] = /^a=(sendrecv|sendonly|recvonly|inactive)\s*$/m.exec(sdp) ?? [];
  if (theirs === 'sendonly') return 'recvonly';
  if (theirs === 'recvonly') return 'sendonly';
  return theirs === 'inactive' ? 'inactive' : 'sendrecv';
};
