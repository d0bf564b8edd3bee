import { createHash } from 'node:crypto';
import test from 'ava';
import * as fc from 'fast-check';
import { inboundAccess } from '#config/policy.ts';
import { createDigestCheck, parseDigest } from '#sip/inbound-access/digest.ts';

const realm = 'trunkline';
const account = { username: 'carrier', password: 'correct horse' };
const request = { method: 'INVITE', realm };

const digestOf = (name: string, ...parts: string[]) => createHash(name).update(parts.join(':')).digest('hex');

/** What a caller answers to a challenge. */
const answer = (
  challenge: string,
  changes: { username?: string; password?: string; nc?: string; qop?: boolean; method?: string } = {},
): string => {
  const given = parseDigest(challenge);
  const nonce = given?.get('nonce') ?? '';
  const algorithm = given?.get('algorithm') ?? '';
  const hash = algorithm === 'SHA-256' ? 'sha256' : 'md5';
  const { username = account.username, password = account.password, nc = '00000001', qop = true } = changes;
  const uri = 'sip:0701@127.0.0.1';
  const a1 = digestOf(hash, username, realm, password);
  const a2 = digestOf(hash, changes.method ?? 'INVITE', uri);
  const response = qop ? digestOf(hash, a1, nonce, nc, 'c0ffee', 'auth', a2) : digestOf(hash, a1, nonce, a2);
  const rest = qop ? `, qop=auth, nc=${nc}, cnonce="c0ffee"` : '';
  return `Digest username="${username}", realm="${realm}", nonce="${nonce}", uri="${uri}", response="${response}", algorithm=${algorithm}${rest}`;
};

const world = () => {
  let time = 1_000_000;
  const digest = createDigestCheck(inboundAccess.nonceMs, () => time);
  return {
    digest,
    pass: (ms: number) => (time += ms),
    check: (header: string | undefined) => digest.check(header, request, [account]),
  };
};

for (const algorithm of ['MD5', 'SHA-256'] as const)
  for (const qop of [true, false])
    test(`who knows the password is let in: ${algorithm} ${qop ? 'with' : 'without'} qop`, (t) => {
      const { digest, check } = world();
      t.deepEqual(check(answer(digest.challenge(realm, algorithm, false), { qop })), {
        verdict: 'known',
        account,
      });
    });

test('the example of RFC 2617 hashes to what stands there', (t) => {
  const a1 = digestOf('md5', 'Mufasa', 'testrealm@host.com', 'Circle Of Life');
  const a2 = digestOf('md5', 'GET', '/dir/index.html');
  const nonce = 'dcd98b7102dd2f0e8b11d0f600bfb0c093';
  t.is(digestOf('md5', a1, nonce, '00000001', '0a4f113b', 'auth', a2), '6629fae49393a05397450978507c4ef1');
});

test('who says nothing, or speaks of another realm or nonce, is challenged', (t) => {
  const { digest, check } = world();
  const challenge = { verdict: 'challenge', isStale: false } as const;
  const good = answer(digest.challenge(realm, 'MD5', false));
  t.deepEqual(check(undefined), challenge);
  t.deepEqual(check('Basic YTpi'), challenge);
  t.deepEqual(check(good.replace(realm, 'elsewhere')), challenge);
  t.deepEqual(check(good.replace(/nonce="./, 'nonce="0')), challenge);
  t.deepEqual(check(answer(world().digest.challenge(realm, 'MD5', false))), challenge, 'of another gateway');
});

test('wrong credentials are wrong', (t) => {
  const { digest, check } = world();
  const wrong = { verdict: 'wrong' } as const;
  const challenge = () => digest.challenge(realm, 'MD5', false);
  t.deepEqual(check(answer(challenge(), { password: 'guess' })), wrong);
  t.deepEqual(check(answer(challenge(), { username: 'somebody' })), wrong);
  t.deepEqual(check(answer(challenge(), { method: 'BYE' })), wrong);
  t.deepEqual(check(answer(challenge()).replace('algorithm=MD5', 'algorithm=MD5-sess')), wrong);
  t.deepEqual(check(answer(challenge()).replace('qop=auth', 'qop=auth-int')), wrong);
  t.deepEqual(check(answer(challenge(), { nc: 'zero' })), wrong);
});

test('what was overheard is good for nothing', (t) => {
  const { digest, check, pass } = world();
  const challenge = digest.challenge(realm, 'MD5', false);
  t.is(check(answer(challenge)).verdict, 'known');
  t.deepEqual(check(answer(challenge)), { verdict: 'challenge', isStale: true });
  t.is(check(answer(challenge, { nc: '00000002' })).verdict, 'known', 'the next count is');
  pass(60_001);
  t.deepEqual(check(answer(challenge, { nc: '00000003' })), { verdict: 'challenge', isStale: true });
});

test('a challenge says when it is only the nonce that is old', (t) => {
  t.regex(world().digest.challenge(realm, 'MD5', true), /, stale=true$/);
});

test('nonsense lets nobody in and breaks nothing', (t) => {
  const { digest, check } = world();
  fc.assert(
    fc.property(fc.string(), fc.nat(300), fc.string(), (junk, at, other) => {
      const good = answer(digest.challenge(realm, 'MD5', false), { password: 'guess' });
      const headers = [junk, `Digest ${junk}`, good.slice(0, at) + junk + good.slice(at), good + other];
      return headers.every((header) => check(header).verdict !== 'known');
    }),
  );
  t.pass();
});
