/**
 * Keys for encrypted audio in a session description (SDES, RFC 4568). Only the mandatory suite (section 6.2) is
 * supported, and keys with a master key identifier are rejected. Keys in a description with RTP/AVP mean that its
 * author also accepts unencrypted audio (RFC 8643).
 */
import { audioOf, formatDescription, parseDescription } from './session-description.ts';

export const srtpSuite = 'AES_CM_128_HMAC_SHA1_80';

const keyLine = new RegExp(`^a=crypto:\\d{1,9} ${srtpSuite} inline:[A-Za-z0-9+/]{40}(\\|2\\^\\d{1,2})?$`);

/** Returns the effective key line of a media section: the first acceptable one. Session-level keys are ignored. */
export const keyLineIn = (lines: readonly string[]): string | undefined =>
  lines.find((line) => keyLine.test(line));

/** Returns the key line of the audio if the audio has one of these protocols. */
const audioKeyLine = (sdp: string, protocols: RegExp): string | undefined => {
  const audio = audioOf(parseDescription(sdp));
  return audio && protocols.test(audio.protocol) ? keyLineIn(audio.lines) : undefined;
};

const encrypted = /^RTP\/SAVP$/;
const encryptedOrNot = /^RTP\/S?AVPF?$/;

/** Whether the audio is encrypted with an acceptable key, and unencrypted audio is not possible. */
export const isSecret = (sdp: string): boolean =>
  audioKeyLine(sdp, encrypted) !== undefined &&
  parseDescription(sdp).media.filter(({ kind }) => kind === 'audio').length === 1;

/** Returns the value after `a=crypto:` of the effective key; undefined without a key. */
export const keyIn = (sdp: string): string | undefined =>
  audioKeyLine(sdp, encrypted)?.slice('a=crypto:'.length);

export type OfferedKey = {
  /** Tag by which the answer identifies the accepted key. */
  tag: number;
  /** Key with which the author of the description encrypts: a master key and its salt. */
  master: Uint8Array;
};

/** Returns the key of the audio, whether encryption is optional or required; undefined without an acceptable key. */
export const offeredKeyIn = (sdp: string): OfferedKey | undefined => {
  const line = audioKeyLine(sdp, encryptedOrNot) ?? '';
  const [, tag, master = ''] = /^a=crypto:(\d+) \S+ inline:([^|]+)/.exec(line) ?? [];
  return tag === undefined ? undefined : { tag: Number(tag), master: Buffer.from(master, 'base64') };
};

/** Formats a key as a line of a description. */
export const keyLineOf = ({ tag, master }: OfferedKey): string =>
  `a=crypto:${tag} ${srtpSuite} inline:${Buffer.from(master).toString('base64')}`;

const isKeyLine = (line: string): boolean => line.startsWith('a=crypto:');

/** Returns the description without keys. */
export const withoutKeys = (sdp: string): string =>
  sdp
    .split(/\r?\n/)
    .filter((line) => !isKeyLine(line))
    .join('\r\n');

/** Returns the description with the effective key as its only key. */
export const withOneKey = (sdp: string): string => {
  const description = parseDescription(sdp);
  const audio = audioOf(description);
  const key = audioKeyLine(sdp, encrypted);
  return formatDescription({
    session: description.session.filter((line) => !isKeyLine(line)),
    media: description.media.map((section) => {
      const { lines } = section;
      const kept = section === audio && key !== undefined ? lines.indexOf(key) : -1;
      return { ...section, lines: lines.filter((line, index) => index === kept || !isKeyLine(line)) };
    }),
  });
};
