/**
 * Session descriptions (RFC 8866, RFC 3264) of calls whose audio this process carries itself: audio at 8,000 Hz, one
 * codec.
 */
import { isIP } from 'node:net';
import type { TrunkCodec, TrunkSrtp } from '#src/domain/trunk.ts';
import { audioIn, directionToward, isHold, type DescribedAudio } from '#sip/sdp/media-offer.ts';
import { keyLineOf, offeredKeyIn, type OfferedKey } from '#sip/sdp/sdes.ts';
import type { MediaDirection } from '#sip/sdp/session-description.ts';
import type { G711Name } from '#sip/audio/g711.ts';
import type { Address, RtpAgreement, RtpFormat } from './agreement.ts';

/** Payload types of RFC 3551. The payload type for DTMF is dynamic. */
const payloadTypes: Readonly<Record<G711Name, number>> = { PCMU: 0, PCMA: 8 };
const ourDtmfPayloadType = 101;

/** Our media address, and the identity of the description within the call. */
export type OwnDescription = Address & { sessionId: number; version: number };

export type Formats = {
  /** Transport profile, such as `RTP/AVP`. An answer uses the profile of its offer. */
  protocol: string;
  /** Our key; `null` for unencrypted audio. */
  key: OfferedKey | null;
  codecs: readonly { codec: G711Name; payloadType: number }[];
  dtmfPayloadType: number | null;
};

/** Required encryption, and the master key for outgoing packets, which does not change during a call. */
export type Encrypting = { srtp: TrunkSrtp; master: Uint8Array };

const isG711 = (codec: TrunkCodec): codec is G711Name => codec === 'PCMU' || codec === 'PCMA';

/** Returns the formats before the first agreement: those of the given codecs that are supported here. */
export const offeredFormats = (codecs: readonly TrunkCodec[], { srtp, master }: Encrypting): Formats => ({
  protocol: srtp === 'required' ? 'RTP/SAVP' : 'RTP/AVP',
  key: srtp === 'off' ? null : { tag: 1, master },
  codecs: codecs.filter(isG711).map((codec) => ({ codec, payloadType: payloadTypes[codec] })),
  dtmfPayloadType: ourDtmfPayloadType,
});

/** Returns the formats for the answer to this offer. */
export const formatsOf = (
  offer: string,
  { codec, payloadType, dtmfPayloadType, keys }: RtpAgreement,
): Formats => ({
  protocol: audioIn(offer)?.protocol ?? 'RTP/AVP',
  key: keys === null ? null : { tag: offeredKeyIn(offer)?.tag ?? 1, master: keys.ours },
  codecs: [{ codec, payloadType }],
  dtmfPayloadType,
});

const family = (address: string): string => (address.includes(':') ? 'IP6' : 'IP4');

export const writeDescription = (
  { address, port, sessionId, version }: OwnDescription,
  { protocol, key, codecs, dtmfPayloadType }: Formats,
  direction: MediaDirection,
): string => {
  const types = [
    ...codecs.map(({ payloadType }) => payloadType),
    ...(dtmfPayloadType === null ? [] : [dtmfPayloadType]),
  ];
  return [
    'v=0',
    `o=- ${sessionId} ${version} IN ${family(address)} ${address}`,
    's=-',
    `c=IN ${family(address)} ${address}`,
    't=0 0',
    `m=audio ${port} ${protocol} ${types.join(' ')}`,
    ...codecs.map(({ codec, payloadType }) => `a=rtpmap:${payloadType} ${codec}/8000`),
    ...(dtmfPayloadType === null
      ? []
      : [`a=rtpmap:${dtmfPayloadType} telephone-event/8000`, `a=fmtp:${dtmfPayloadType} 0-15`]),
    'a=ptime:20',
    ...(key === null ? [] : [keyLineOf(key)]),
    `a=${direction}`,
    '',
  ].join('\r\n');
};

/**
 * Whether packets can be sent to the address. A host name is rejected instead of resolved, because packets are sent
 * fifty times a second, and an inbound caller chooses this value.
 */
const isReachable = ({ address, port }: Address): boolean =>
  isIP(address) !== 0 && port > 0 && port <= 65_535;

/**
 * Payload type of comfort noise, which needs no `rtpmap` (RFC 3551 section 6). Some far ends send comfort noise without
 * listing it.
 */
const comfortNoisePayloadType = 13;

const rtpFormats: Readonly<Record<string, RtpFormat>> = {
  PCMU: 'PCMU',
  PCMA: 'PCMA',
  'TELEPHONE-EVENT': 'telephone-event',
  CN: 'CN',
};

/** Returns the formats of our description, by payload type. */
export const describedFormats = ({ codecs, dtmfPayloadType }: Formats): Map<number, RtpFormat> => {
  const described = new Map<number, RtpFormat>(codecs.map(({ codec, payloadType }) => [payloadType, codec]));
  if (dtmfPayloadType !== null) described.set(dtmfPayloadType, 'telephone-event');
  return described;
};

/** Returns the formats of the far end's description, by payload type. */
const formatsIn = (formats: DescribedAudio['formats']): Map<number, RtpFormat> => {
  const described = new Map<number, RtpFormat>([[comfortNoisePayloadType, 'CN']]);
  for (const { format, name = '' } of formats) {
    const known = rtpFormats[name];
    if (known !== undefined) described.set(Number(format), known);
  }
  return described;
};

/**
 * Returns the agreement that follows from the far end's description: target address and format. Undefined without a
 * common codec, without a usable address and port, or without a required key.
 */
export const agreementFrom = (sdp: string, { srtp, master }: Encrypting): RtpAgreement | undefined => {
  const audio = audioIn(sdp);
  if (audio === undefined) return undefined;
  const voice = audio.formats.find(({ name }) => name === 'PCMU' || name === 'PCMA');
  if (voice === undefined) return undefined;
  const keys = audio.formats.find(({ name }) => name === 'TELEPHONE-EVENT');
  const remote = { address: audio.address, port: audio.port };
  if (!isReachable(remote)) return undefined;
  const theirs = srtp === 'off' ? undefined : offeredKeyIn(sdp);
  const isSecret = audio.protocol.startsWith('RTP/SAVP');
  if (theirs === undefined && (isSecret || srtp === 'required')) return undefined;
  const reports = audio.reports ?? { ...remote, port: remote.port + 1 };
  return {
    remote,
    remoteReports: isReachable(reports) ? reports : remote,
    codec: voice.name === 'PCMU' ? 'PCMU' : 'PCMA',
    payloadType: Number(voice.format),
    dtmfPayloadType: keys === undefined ? null : Number(keys.format),
    keys: theirs === undefined ? null : { ours: master, theirs: theirs.master },
    receives: formatsIn(audio.formats),
    isSending: !isHold(sdp),
    isReceiving: directionToward(sdp) === 'sendrecv',
  };
};
