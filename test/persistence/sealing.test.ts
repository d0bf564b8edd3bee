import { randomBytes } from 'node:crypto';
import test from 'ava';
import * as fc from 'fast-check';
import { createSealing } from '#src/persistence/sealing.ts';

const key = (byte: number): Buffer => Buffer.alloc(32, byte);

test('what is sealed opens again, about the same thing', (t) => {
  const sealing = createSealing(key(1));
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), fc.string(), (plain, about) => {
      t.is(sealing.open(sealing.seal(plain, about), about), plain);
    }),
  );
  t.pass();
});

test('a sealed secret does not open about another thing', (t) => {
  const sealing = createSealing(key(1));
  fc.assert(
    fc.property(fc.string(), fc.string(), fc.string(), (plain, about, other) => {
      fc.pre(about !== other);
      const sealed = sealing.seal(plain, about);
      t.throws(() => sealing.open(sealed, other), { message: /was changed or belongs to something else/ });
    }),
  );
});

test('a sealed secret that was changed anywhere does not open', (t) => {
  const sealing = createSealing(key(1));
  const sealed = sealing.seal('gw_live_secret', 'number');
  fc.assert(
    fc.property(
      fc.nat({ max: sealed.length - 1 }),
      fc.constantFrom('A', 'b', '7', '_', '.'),
      (index, letter) => {
        const changed = sealed.slice(0, index) + letter + sealed.slice(index + 1);
        // The last letter of base64url may hold unused bits: another letter can be the same bytes.
        fc.pre(changed !== sealed && !isSameBytes(changed, sealed));
        t.throws(() => sealing.open(changed, 'number'));
      },
    ),
  );
});

const isSameBytes = (left: string, right: string): boolean =>
  JSON.stringify(left.split('.').map((part) => [...Buffer.from(part, 'base64url')])) ===
  JSON.stringify(right.split('.').map((part) => [...Buffer.from(part, 'base64url')]));

test('any text that is no sealed secret is refused, and nothing else is thrown than an Error', (t) => {
  const sealing = createSealing(key(1));
  fc.assert(
    fc.property(fc.string(), (text) => {
      t.throws(() => sealing.open(text, 'number'), { instanceOf: Error });
    }),
  );
});

test('the same secret is sealed differently each time and never shows', (t) => {
  const sealing = createSealing(key(1));
  const sealed = new Set(Array.from({ length: 50 }, () => sealing.seal('secret', 'a')));
  t.is(sealed.size, 50);
  for (const text of sealed) t.regex(text, /^v1\.[\w-]{8}\.[\w-]{16}\.[\w-]+$/);
});

test('after a rotation the older key opens and is found, and the new one seals', (t) => {
  const old = createSealing(key(1));
  const rotated = createSealing(key(2), [key(1)]);
  t.is(rotated.open(old.seal('secret', 'a'), 'a'), 'secret');
  t.true(rotated.fingerprints('secret').some((print) => print.equals(old.fingerprint('secret'))));
  t.deepEqual(rotated.fingerprints('secret')[0], rotated.fingerprint('secret'));
  t.throws(() => old.open(rotated.seal('secret', 'a'), 'a'), { message: /another master key/ });
});

test('a fingerprint depends on the secret and on the master key', (t) => {
  const sealing = createSealing(key(1));
  t.deepEqual(sealing.fingerprint('a'), createSealing(key(1)).fingerprint('a'));
  t.notDeepEqual(sealing.fingerprint('a'), sealing.fingerprint('b'));
  t.notDeepEqual(sealing.fingerprint('a'), createSealing(key(2)).fingerprint('a'));
  t.is(sealing.fingerprint('a').length, 32);
});

test('no error shows the secret or the sealed text', (t) => {
  const sealed = createSealing(randomBytes(32)).seal('gw_live_secret', 'number');
  const error = t.throws(() => createSealing(key(9)).open(sealed, 'number'));
  t.notRegex(error.message, /gw_live/);
  t.false(error.message.includes(sealed.slice(-20)));
});

test('a master key of another length is refused', (t) => {
  t.throws(() => createSealing(Buffer.alloc(16)), { message: /32 bytes/ });
  t.throws(() => createSealing(key(1), [Buffer.alloc(31)]), { message: /32 bytes/ });
});
