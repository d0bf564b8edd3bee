/**
 * Keys for encrypted sound in a session description (SDES, RFC 4568). One suite is known here: the one that every
 * implementation has (section 6.2). A key with a master key identifier is none that is taken. Where keys stand in a
 * description of RTP/AVP, who made it has sound in clear, too (RFC 8643).
 */
import { audioOf, formatDescription, parseDescription } from './session-description.ts';

export const srtpSuite = 'AES_CM_128_HMAC_SHA1_80';

const keyLine = new RegExp(`^a=crypto:\\d{1,9} ${srtpSuite} inline:[A-Za-z0-9+/]{40}(\\|2\\^\\d{1,2})?$`);

/** The key that counts among the lines of a media: the first that can be taken. Keys of a session are none. */
export const keyLineIn = (lines: readonly string[]): string | undefined =>
  lines.find((line) => keyLine.test(line));

/** The key line of the audio where that has one of these protocols. */
const audioKeyLine = (sdp: string, protocols: RegExp): string | undefined => {
  const audio = audioOf(parseDescription(sdp));
  return audio && protocols.test(audio.protocol) ? keyLineIn(audio.lines) : undefined;
};

const encrypted = /^RTP\/SAVP$/;
const encryptedOrNot = /^RTP\/S?AVPF?$/;

/** Whether its audio is encrypted, with a key that can be taken, and can be had in no other way. */
export const isSecret = (sdp: string): boolean =>
  audioKeyLine(sdp, encrypted) !== undefined &&
  parseDescription(sdp).media.filter(({ kind }) => kind === 'audio').length === 1;

/** The key that counts, as it stands behind `a=crypto:`; undefined where there is none. */
export const keyIn = (sdp: string): string | undefined =>
  audioKeyLine(sdp, encrypted)?.slice('a=crypto:'.length);

export type OfferedKey = {
  /** By which an answer says which key it takes. */
  tag: number;
  /** What who wrote the description encrypts with: a master key and its salt. */
  master: Uint8Array;
};

/** The key of the audio, encrypted alone or not; undefined where there is none that can be taken. */
export const offeredKeyIn = (sdp: string): OfferedKey | undefined => {
  const line = audioKeyLine(sdp, encryptedOrNot) ?? '';
  const [, tag, master = ''] = /^a=crypto:(\d+) \S+ inline:([^|]+)/.exec(line) ?? [];
  return tag === undefined ? undefined : { tag: Number(tag), master: Buffer.from(master, 'base64') };
};

/** The line of a description in which the key stands. */
export const keyLineOf = ({ tag, master }: OfferedKey): string =>
  `a=crypto:${tag} ${srtpSuite} inline:${Buffer.from(master).toString('base64')}`;

const isKeyLine = (line: string): boolean => line.startsWith('a=crypto:');

/** Without any key. */
export const withoutKeys = (sdp: string): string =>
  sdp
    .split(/\r?\n/)
    .filter((line) => !isKeyLine(line))
    .join('\r\n');

/** Without the keys that do not count. */
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
