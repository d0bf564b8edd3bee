import { randomBytes } from 'node:crypto';
import test from 'ava';
import * as fc from 'fast-check';
import { createVault } from '#src/persistence/vault.ts';

const key = (byte: number): Buffer => Buffer.alloc(32, byte);

test('what is sealed opens again, about the same thing', (t) => {
  const vault = createVault(key(1));
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), fc.string(), (plain, about) => {
      t.is(vault.open(vault.seal(plain, about), about), plain);
    }),
  );
  t.pass();
});

test('a sealed secret does not open about another thing', (t) => {
  const vault = createVault(key(1));
  fc.assert(
    fc.property(fc.string(), fc.string(), fc.string(), (plain, about, other) => {
      fc.pre(about !== other);
      const sealed = vault.seal(plain, about);
      t.throws(() => vault.open(sealed, other), { message: /was changed or belongs to something else/ });
    }),
  );
});

test('a sealed secret that was changed anywhere does not open', (t) => {
  const vault = createVault(key(1));
  const sealed = vault.seal('gw_live_secret', 'number');
  fc.assert(
    fc.property(
      fc.nat({ max: sealed.length - 1 }),
      fc.constantFrom('A', 'b', '7', '_', '.'),
      (index, letter) => {
        const changed = sealed.slice(0, index) + letter + sealed.slice(index + 1);
        // The last letter of base64url may hold unused bits: another letter can be the same bytes.
        fc.pre(changed !== sealed && !isSameBytes(changed, sealed));
        t.throws(() => vault.open(changed, 'number'));
      },
    ),
  );
});

const isSameBytes = (left: string, right: string): boolean =>
  JSON.stringify(left.split('.').map((part) => [...Buffer.from(part, 'base64url')])) ===
  JSON.stringify(right.split('.').map((part) => [...Buffer.from(part, 'base64url')]));

test('any text that is no sealed secret is refused, and nothing else is thrown than an Error', (t) => {
  const vault = createVault(key(1));
  fc.assert(
    fc.property(fc.string(), (text) => {
      t.throws(() => vault.open(text, 'number'), { instanceOf: Error });
    }),
  );
});

test('the same secret is sealed differently each time and never shows', (t) => {
  const vault = createVault(key(1));
  const sealed = new Set(Array.from({ length: 50 }, () => vault.seal('secret', 'a')));
  t.is(sealed.size, 50);
  for (const text of sealed) t.regex(text, /^v1\.[\w-]{8}\.[\w-]{16}\.[\w-]+$/);
});

test('after a rotation the older key opens and is found, and the new one seals', (t) => {
  const old = createVault(key(1));
  const rotated = createVault(key(2), [key(1)]);
  t.is(rotated.open(old.seal('secret', 'a'), 'a'), 'secret');
  t.true(rotated.fingerprints('secret').some((print) => print.equals(old.fingerprint('secret'))));
  t.deepEqual(rotated.fingerprints('secret')[0], rotated.fingerprint('secret'));
  t.throws(() => old.open(rotated.seal('secret', 'a'), 'a'), { message: /another master key/ });
});

test('a fingerprint depends on the secret and on the master key', (t) => {
  const vault = createVault(key(1));
  t.deepEqual(vault.fingerprint('a'), createVault(key(1)).fingerprint('a'));
  t.notDeepEqual(vault.fingerprint('a'), vault.fingerprint('b'));
  t.notDeepEqual(vault.fingerprint('a'), createVault(key(2)).fingerprint('a'));
  t.is(vault.fingerprint('a').length, 32);
});

test('no error shows the secret or the sealed text', (t) => {
  const sealed = createVault(randomBytes(32)).seal('gw_live_secret', 'number');
  const error = t.throws(() => createVault(key(9)).open(sealed, 'number'));
  t.notRegex(error.message, /gw_live/);
  t.false(error.message.includes(sealed.slice(-20)));
});

test('a master key of another length is refused', (t) => {
  t.throws(() => createVault(Buffer.alloc(16)), { message: /32 bytes/ });
  t.throws(() => createVault(key(1), [Buffer.alloc(31)]), { message: /32 bytes/ });
});
