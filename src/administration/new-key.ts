import { randomInt } from 'node:crypto';

const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

/** 43 characters of 62 carry 256 bits. */
const randomPart = (): string =>
  Array.from({ length: 43 }, () => alphabet[randomInt(alphabet.length)]).join('');

/** The API key of a number (guides/design/administration.md, "Number keys"). */
export const newNumberKey = (): string => `gw_live_${randomPart()}`;

/** The token of a workspace admin (guides/design/administration.md, "Admin tokens"). */
export const newAdminToken = (): string => `gw_admin_${randomPart()}`;
