/**
 * Sealing of secrets. Theory of operation:
 *
 * - A master key (32 bytes) is never used directly: HKDF-SHA-256 derives from it a sealing key (AES-256-GCM), a pepper
 *   for fingerprints (HMAC-SHA-256), a key for authentication between gateways (HMAC-SHA-256) and a key id, each under
 *   its own label (RFC 5869).
 * - A sealed text has the form `v1.<key id>.<iv>.<ciphertext and tag>`, base64url. The key id identifies the master key
 *   that opens it, so the master key can be rotated: the new one seals, the older ones still open.
 * - `about` is authenticated data, so that a sealed text copied to another row does not open there.
 * - A fingerprint finds a secret that is only compared (a number key, an admin token). Its pepper is derived from the
 *   master key as well, so look-ups need one fingerprint for each key, newest first.
 */
import {
  createCipheriv,
  createDecipheriv,
  createHmac,
  createSecretKey,
  hkdfSync,
  randomBytes,
  type KeyObject,
} from 'node:crypto';

export type Sealing = {
  /** Encrypts a secret. `about` identifies the owner of the secret, for example by an id. */
  seal(plain: string, about: string): string;
  /** Decrypts a text. Throws if the text was sealed with an unknown key or a different `about`, or was modified. */
  open(sealed: string, about: string): string;
  /** Id of the newest key. */
  keyId: string;
  /** Whether the text was sealed with the newest key. */
  isNewest(sealed: string): boolean;
  /** Returns the fingerprint for storing, by the newest key. */
  fingerprint(secret: string): Buffer;
  /** Returns the fingerprints for look-ups: one for each key, newest first. */
  fingerprints(secret: string): Buffer[];
  /**
   * Returns the message authentication code by which gateways with the same master key authenticate each other, by the
   * newest key.
   */
  nodeCode(text: string): Buffer;
  /** Returns the message authentication codes for verification: one for each key, newest first. */
  nodeCodes(text: string): Buffer[];
};

/** Keys derived from a master key. The pepper is a KeyObject, which is prepared once, because every request uses it. */
type DerivedKeys = { id: string; sealing: Buffer; pepper: KeyObject; nodes: KeyObject };

const version = 'v1';
const masterKeyBytes = 32;
const ivBytes = 12;
const tagBytes = 16;

const derive = (masterKey: Buffer): DerivedKeys => {
  if (masterKey.length !== masterKeyBytes)
    throw new Error(`A master key must be ${masterKeyBytes} bytes long`);
  const part = (label: string, bytes: number): Buffer =>
    Buffer.from(hkdfSync('sha256', masterKey, '', `trunkline ${label}`, bytes));
  return {
    id: part('key id', 6).toString('base64url'),
    sealing: part('sealing', 32),
    pepper: createSecretKey(part('fingerprints', 32)),
    nodes: createSecretKey(part('nodes', 32)),
  };
};

const authenticated = (keyId: string, about: string): Buffer => Buffer.from(`${version}.${keyId}.${about}`);

export const createSealing = (masterKey: Buffer, olderKeys: readonly Buffer[] = []): Sealing => {
  const newest = derive(masterKey);
  const all = [newest, ...olderKeys.map(derive)];
  const fingerprintWith = (keys: DerivedKeys, secret: string): Buffer =>
    createHmac('sha256', keys.pepper).update(secret).digest();

  const nodeCodeWith = (keys: DerivedKeys, text: string): Buffer =>
    createHmac('sha256', keys.nodes).update(text).digest();

  return {
    seal(plain, about) {
      const iv = randomBytes(ivBytes);
      const cipher = createCipheriv('aes-256-gcm', newest.sealing, iv);
      cipher.setAAD(authenticated(newest.id, about));
      const box = Buffer.concat([cipher.update(plain, 'utf8'), cipher.final(), cipher.getAuthTag()]);
      return [version, newest.id, iv.toString('base64url'), box.toString('base64url')].join('.');
    },

    open(sealed, about) {
      const [itsVersion, keyId = '', ivText = '', boxText = '', ...rest] = sealed.split('.');
      const iv = Buffer.from(ivText, 'base64url');
      const box = Buffer.from(boxText, 'base64url');
      if (itsVersion !== version || rest.length > 0 || iv.length !== ivBytes || box.length < tagBytes) {
        throw new Error(`The sealed secret of ${about} has an unknown form`);
      }
      const keys = all.find((candidate) => candidate.id === keyId);
      if (keys === undefined) {
        throw new Error(`The secret of ${about} was sealed with another master key than those configured`);
      }
      const decipher = createDecipheriv('aes-256-gcm', keys.sealing, iv, { authTagLength: tagBytes });
      decipher.setAAD(authenticated(keyId, about));
      decipher.setAuthTag(box.subarray(-tagBytes));
      try {
        return decipher.update(box.subarray(0, -tagBytes), undefined, 'utf8') + decipher.final('utf8');
      } catch (cause) {
        throw new Error(`The sealed secret of ${about} was changed or belongs to something else`, { cause });
      }
    },

    keyId: newest.id,
    isNewest: (sealed) => sealed.startsWith(`${version}.${newest.id}.`),
    fingerprint: (secret) => fingerprintWith(newest, secret),
    fingerprints: (secret) => all.map((keys) => fingerprintWith(keys, secret)),
    nodeCode: (text) => nodeCodeWith(newest, text),
    nodeCodes: (text) => all.map((keys) => nodeCodeWith(keys, text)),
  };
};
