import { randomInt } from 'node:crypto';

const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

/** 43 characters of 62 carry 256 bits. */
const randomPart = (): string =>
  Array.from({ length: 43 }, () => alphabet[randomInt(alphabet.length)]).join('');

/** The API key of a number (decisions 6). */
export const newNumberKey = (): string => `gw_live_${randomPart()}`;

/** The token of a workspace admin (decisions 6). */
export const newAdminToken = (): string => `gw_admin_${randomPart()}`;
