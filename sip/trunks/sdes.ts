/**
 * Keys for encrypted sound in a session description (SDES, RFC 4568). One suite is known here: the one that every
 * implementation has (section 6.2). A key with a master key identifier is none that is taken.
 */

export const srtpSuite = 'AES_CM_128_HMAC_SHA1_80';

const keyLine = new RegExp(`^a=crypto:\\d{1,9} ${srtpSuite} inline:[A-Za-z0-9+/]{40}(\\|2\\^\\d{1,2})?$`);
const secretAudio = /^m=audio \d+ RTP\/SAVP /;

const linesOf = (sdp: string): string[] => sdp.split(/\r?\n/);

/** Where the key stands that counts: the first of the encrypted audio that can be taken; -1 where there is none. */
const keyAt = (lines: readonly string[]): number => {
  const audio = lines.findIndex((line) => secretAudio.test(line));
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

/** Without the keys that do not count. */
export const withOneKey = (sdp: string): string => {
  const lines = linesOf(sdp);
  const counts = keyAt(lines);
  return lines.filter((line, index) => index === counts || !line.startsWith('a=crypto:')).join('\r\n');
};
