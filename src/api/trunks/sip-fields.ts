/** Validates fields of a trunk that become part of SIP messages: hosts, addresses and credentials. */
import { isIP } from 'node:net';
import * as z from 'zod';

const label = /^(?!-)[0-9A-Za-z_-]{1,63}(?<!-)$/;

/** Whether the text is a host name. A host name whose last label is a number is a malformed address and is rejected. */
const isHostName = (text: string): boolean => {
  const labels = text.split('.');
  return text.length <= 253 && labels.every((part) => label.test(part)) && !/^\d+$/.test(labels.at(-1) ?? '');
};

export const host = z.string().refine((text) => isIP(text) !== 0 || isHostName(text), {
  error: 'This is neither a host name nor an IP address (a port has a field of its own).',
});

const longestPrefix = { 0: 0, 4: 32, 6: 128 } as const;

const blockProblem = (text: string): string | undefined => {
  const [address = '', prefix, ...rest] = text.split('/');
  const version = isIP(address);
  if (rest.length > 0 || (version !== 4 && version !== 6) || address.includes('%'))
    return 'This is neither an IP address nor a block such as 203.0.113.0/24.';
  if (prefix === undefined) return undefined;
  const longest = longestPrefix[version];
  if (!/^\d{1,3}$/.test(prefix) || Number(prefix) > longest)
    return `The length of this block must be a whole number from 1 to ${longest}.`;
  if (Number(prefix) === 0)
    return 'This block holds every address. Use inbound_auth "digest" without addresses instead.';
  return undefined;
};

/** An address, or a block in CIDR notation. */
export const addressBlock = z.string().superRefine((text, context) => {
  const problem = blockProblem(text);
  if (problem !== undefined) context.addIssue({ code: 'custom', message: problem });
});

/**
 * A digest user name, which is quoted in a header, and followed by a colon in the input of the hash (RFC 7616, 3.4.2).
 */
export const username = z
  .string()
  .min(1)
  .max(128)
  .regex(/^[!-~]+$/, { error: 'A user name is made of visible ASCII characters.' })
  .refine((text) => !/[":\\<>]/.test(text), {
    error: 'A user name holds none of the characters " : \\ < >.',
  });

export const password = z
  .string()
  .min(1)
  .max(256)
  .regex(/^[ -~]+$/, { error: 'A password is made of visible ASCII characters and spaces.' });

/** A digest realm, which is sent as a quoted string without escapes. */
export const realm = z
  .string()
  .min(1)
  .max(128)
  .regex(/^[ !#-[\]-~]+$/, {
    error: 'A realm is made of visible ASCII characters, without quotation marks.',
  });
