/** Setting for NATS servers. */
import { z } from 'zod';

export type NatsConfig = Readonly<{
  /** NATS servers, each as `host:port`. */
  servers: readonly string[];
  isEncrypted: boolean;
  credentials: Readonly<{ user: string; password: string } | { token: string }> | null;
}>;

const defaultPort = 4222;

const isDecodable = (text: string): boolean => {
  try {
    decodeURIComponent(text);
    return true;
  } catch {
    return false;
  }
};

const isServer = (url: URL | null): url is URL =>
  url !== null &&
  (url.protocol === 'nats:' || url.protocol === 'tls:') &&
  url.hostname !== '' &&
  (url.pathname === '' || url.pathname === '/') &&
  url.search === '' &&
  [url.username, url.password].every(isDecodable) &&
  url.hash === '';

const credentialsIn = ({ username, password }: URL): NatsConfig['credentials'] => {
  const [name, secret] = [username, password].map(decodeURIComponent);
  if (name === undefined || name === '') return null;
  return secret === undefined || secret === '' ? { token: name } : { user: name, password: secret };
};

/**
 * Parses the setting. Credentials in the URL apply to all servers. One word before the host is a token; two words are
 * user and password.
 */
export const natsServers = z
  .string()
  .transform((text) => text.split(',').map((each) => URL.parse(each.trim())))
  .refine((urls) => urls.every(isServer), {
    message:
      'must look like nats://host:4222 or tls://user:password@host:4222, or several separated by commas',
    abort: true,
  })
  .transform((urls) => urls.filter(isServer))
  .refine(
    (urls) => new Set(urls.map(({ protocol }) => protocol)).size === 1,
    'must be all nats:// or all tls://',
  )
  .refine(
    (urls) => urls.slice(1).every(({ username }) => username === ''),
    'must name the user and the password once, with the first server',
  )
  .transform((urls): NatsConfig => ({
    servers: urls.map(({ hostname, port }) => `${hostname}:${port === '' ? defaultPort : port}`),
    isEncrypted: urls[0]?.protocol === 'tls:',
    credentials: urls[0] === undefined ? null : credentialsIn(urls[0]),
  }));
