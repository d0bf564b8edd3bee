/**
 * Keys for encrypted sound in a session description (SDES, RFC 4568). One suite is known here: the one that every
 * implementation has (section 6.2). A key with a master key identifier is none that is taken. Where keys stand in a
 * description of RTP/AVP, who made it has sound in clear, too (RFC 8643).
 */

export const srtpSuite = 'AES_CM_128_HMAC_SHA1_80';

const keyLine = new RegExp(`^a=crypto:\\d{1,9} ${srtpSuite} inline:[A-Za-z0-9+/]{40}(\\|2\\^\\d{1,2})?$`);
const secretAudio = /^m=audio \d+ RTP\/SAVP /;
const anyAudio = /^m=audio \d+ RTP\/S?AVPF? /;

const linesOf = (sdp: string): string[] => sdp.split(/\r?\n/);

/** Where the key stands that counts: the first of this audio that can be taken; -1 where there is none. */
const keyAt = (lines: readonly string[], which = secretAudio): number => {
  const audio = lines.findIndex((line) => which.test(line));
  const next = lines.findIndex((line, index) => index > audio && line.startsWith('m='));
  return audio === -1
    ? -1
    : lines.findIndex((line, index) => index > audio && (next === -1 || index < next) && keyLine.test(line));
};

/** Whether its audio is encrypted, with a key that can be taken, and can be had in no other way. */
export const isSecret = (sdp: string): boolean => {
  const lines = linesOf(sdp);
  return keyAt(lines) !== -1 && lines.filter((line) => line.startsWith('m=audio')).length === 1;
};

/** The key that counts, as it stands behind `a=crypto:`; undefined where there is none. */
export const keyIn = (sdp: string): string | undefined => {
  const lines = linesOf(sdp);
  return lines[keyAt(lines)]?.slice('a=crypto:'.length);
};

export type OfferedKey = {
  /** By which an answer says which key it takes. */
  tag: number;
  /** What who wrote the description encrypts with: a master key and its salt. */
  master: Uint8Array;
};

/** The key of the first audio, encrypted alone or not; undefined where there is none that can be taken. */
export const offeredKeyIn = (sdp: string): OfferedKey | undefined => {
  const lines = linesOf(sdp);
  const line = lines[keyAt(lines, anyAudio)] ?? '';
  const [, tag, master = ''] = /^a=crypto:(\d+) \S+ inline:([^|]+)/.exec(line) ?? [];
  return tag === undefined ? undefined : { tag: Number(tag), master: Buffer.from(master, 'base64') };
};

/** The line of a description in which the key stands. */
export const keyLineOf = ({ tag, master }: OfferedKey): string =>
  `a=crypto:${tag} ${srtpSuite} inline:${Buffer.from(master).toString('base64')}`;

/** Without any key. */
export const withoutKeys = (sdp: string): string =>
  linesOf(sdp)
    .filter((line) => !line.startsWith('a=crypto:'))
    .join('\r\n');

/** Without the keys that do not count. */
export const withOneKey = (sdp: string): string => {
  const lines = linesOf(sdp);
  const counts = keyAt(lines);
  return lines.filter((line, index) => index === counts || !line.startsWith('a=crypto:')).join('\r\n');
};
