/**
 * Checks whether an entered URL may be called: chat URLs, webhook URLs, handshake URLs (guides/design/agents.md,
 * "Targets").
 */
import { isIP } from 'node:net';
import { namesLoopback } from './address-classes.ts';
import { mayConnect, plainHost, type TargetRules } from './target-guard.ts';

const longest = 2_048;

/**
 * Returns a sentence about what is wrong with the URL, or undefined. Checks the form and literal addresses only;
 * resolved addresses are checked when connecting.
 */
export const endpointUrlProblem = (text: string, rules: TargetRules): string | undefined => {
  if (text.length > longest) return `The URL is longer than ${longest} characters.`;
  const url = URL.parse(text);
  if (url === null || text.trim() !== text)
    return 'This is not a URL. It must look like https://agent.example.com/chat.';
  const secure = url.protocol === 'https:';
  if (!secure && url.protocol !== 'http:') return 'The URL must begin with https://.';
  if (url.username !== '' || url.password !== '') return 'The URL must not contain a user name or password.';
  if (text.includes('#')) return 'The URL must not contain a fragment (the part from # on).';
  if (rules.anywhere === true) return undefined;
  const host = plainHost(url.hostname);
  const address = namesLoopback(host) ? '127.0.0.1' : host;
  const isKnown = isIP(address) !== 0;
  if (!secure && !(isKnown && mayConnect({ host, address, secure }, rules))) {
    return 'The URL must begin with https://.';
  }
  if (isKnown && !mayConnect({ host, address, secure }, rules)) {
    return 'The URL points into a private network, where this gateway does not send requests.';
  }
  return undefined;
};
