import { randomInt } from 'node:crypto';

const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

/** 43 characters of 62 contain 256 bits. */
const randomPart = (): string =>
  Array.from({ length: 43 }, () => alphabet[randomInt(alphabet.length)]).join('');

/** The API key of a number (guides/design/administration.md, "Number keys"). */
export const newNumberKey = (): string => `${numberKeyStart}${randomPart()}`;

/** Prefix of every number key. */
export const numberKeyStart = 'gw_live_';

/** Returns the end of a key, by which people recognize it. The other 39 characters remain secret. */
export const tailOf = (key: string): string => key.slice(-4);

/** The token of a workspace admin (guides/design/administration.md, "Admin tokens"). */
export const newAdminToken = (): string => `gw_admin_${randomPart()}`;

/** The secret in the cookie of a signed-in browser (guides/design/administration.md, "Signing in to the console"). */
export const newSessionSecret = (): string => `gw_session_${randomPart()}`;

/** Creates a code that is valid for one sign-in. */
export const newSignInCode = randomPart;
