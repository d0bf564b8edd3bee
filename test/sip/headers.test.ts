/** Lists in SIP headers, and the digest client that reads challenges. */
import { createHash } from 'node:crypto';
import test from 'ava';
import * as fc from 'fast-check';
import { digestClientFor, isUnsupportedChallenge } from '#sip/digest/digest-client.ts';
import { algorithmOf, digestResponse } from '#sip/digest/digest-response.ts';
import { challengesIn } from '#sip/headers/challenges.ts';
import { parametrized, tokensIn, valuesIn } from '#sip/headers/header-values.ts';
import { nameAddressesIn, tagIn, uriIn } from '#sip/headers/name-addresses.ts';
import { plainText, reasonsIn } from '#sip/headers/reasons.ts';
import { registeredSec } from '#sip/trunks/out-of-dialog-requests.ts';
import { headersOf } from './headers-of.ts';

// Header lists

test('splits a header list at commas outside quotes and brackets', (t) => {
  t.deepEqual(valuesIn('"A, B" <sip:1,2@x>;q="0,5", , <sip:3@x> ,sip:4@x'), [
    '"A, B" <sip:1,2@x>;q="0,5"',
    '<sip:3@x>',
    'sip:4@x',
  ]);
  t.deepEqual(valuesIn(String.raw`"a\", b" <sip:1@x>, c`), [String.raw`"a\", b" <sip:1@x>`, 'c']);
  t.deepEqual(valuesIn('"never closed, <sip:1@x>'), ['"never closed, <sip:1@x>']);
  t.deepEqual(valuesIn(' , '), []);
  t.deepEqual(tokensIn('timer ,100rel,'), ['timer', '100rel']);
});

test('reads parameters, including quoted ones, and keeps the first of each name', (t) => {
  const { value, parameters } = parametrized(String.raw`Q.850 ;Cause=16 ; text="a;b, \"c\"";cause=17;lr`);
  t.is(value, 'Q.850');
  t.deepEqual([...parameters], [['cause', '16'], ['text', 'a;b, "c"'], ['lr', '']]); // oxfmt-ignore
});

test('reads display names, URIs and parameters of an address list', (t) => {
  const header =
    '"Kim, \\"J\\"" <sip:1;x=<@h>, Bob <sip:2;tag=no@h>;TAG=a, sip:3@h;tag=b, <tel:+82212345678>';
  t.deepEqual(
    nameAddressesIn(header.replace(';x=<', ';x=y')).map(({ name, uri, parameters }) => [
      name,
      uri,
      parameters.get('tag'),
    ]),
    [
      ['Kim, "J"', 'sip:1;x=y@h', undefined],
      ['Bob', 'sip:2;tag=no@h', 'a'],
      ['', 'sip:3@h', 'b'],
      ['', 'tel:+82212345678', undefined],
    ],
  );
  t.is(tagIn('<sip:1;tag=user@h>'), '');
  t.is(tagIn('"x;tag=name" <sip:1@h> ; tag = real'), 'real');
  t.is(uriIn('"<sip:false@h>" <sip:true@h>;expires=60'), 'sip:true@h');
  t.is(uriIn(''), '');
});

test('skips a malformed address and reads the others', (t) => {
  t.deepEqual(
    nameAddressesIn('<<sip:1@h>, "x", <sip:2@h>').map(({ uri }) => uri),
    ['sip:2@h'],
  );
});

test('reads a header of any content in linear time without an error', (t) => {
  const sign = fc.constantFrom('"', '<', '>', ',', ';', '\\', '=', ' ', 'a', 'Digest ', '\n');
  fc.assert(
    fc.property(fc.array(sign, { maxLength: 60 }), (signs) => {
      const text = signs.join('');
      nameAddressesIn(text);
      challengesIn(text);
      reasonsIn(text);
      return registeredSec(headersOf({ Contact: text }), text) === undefined;
    }),
  );
  t.true(valuesIn(','.repeat(100_000)).length <= 200);
  t.true(valuesIn('a,'.repeat(100_000)).length <= 200);
});

// Challenges

test('separates challenges from their parameters', (t) => {
  const header =
    'Basic realm="t", Digest realm="a, b", nonce = "1", qop="auth,auth-int",algorithm=SHA-256, DIGEST nonce="2",realm="c"';
  t.deepEqual(
    challengesIn(header).map(({ scheme, parameters }) => [scheme, Object.fromEntries(parameters)]),
    [
      ['basic', { realm: 't' }],
      ['digest', { realm: 'a, b', nonce: '1', qop: 'auth,auth-int', algorithm: 'SHA-256' }],
      ['digest', { nonce: '2', realm: 'c' }],
    ],
  );
  t.deepEqual(
    challengesIn('Digest realm="a", qop=auth,auth-int, nonce="1"').map(({ parameters }) =>
      parameters.get('nonce'),
    ),
    ['1'],
    'a list that should have been quoted is no challenge',
  );
});

// Digest

test('computes the examples of RFC 7616 section 3.9.1 and RFC 2617 section 3.5', (t) => {
  const input = {
    realm: 'http-auth@example.org',
    nonce: '7ypf/xlj9XXwfDPEoM4URrv/xwf94BcCAzFZH4GiTo0v',
    method: 'GET',
    uri: '/dir/index.html',
    qop: 'auth' as const,
    nc: '00000001',
    cnonce: 'f2/wE4q74E6zIJEtWaHKaf5wv/H5QzzpXusqGemxURZJ',
  };
  const account = { username: 'Mufasa', password: 'Circle of Life' };
  const responseWith = (algorithm: 'md5' | 'sha-256') =>
    digestResponse({ ...input, algorithm: { hash: algorithm, isSession: false } }, account);
  t.is(responseWith('md5'), '8ca523f5e9506fed4657c9700eebdbec');
  t.is(responseWith('sha-256'), '753927fa0e85d155564e2e272a28d1802ca10daf4496794697cf8db5856cb6c1');
});

test('supports the algorithms of RFC 7616', (t) => {
  t.deepEqual(algorithmOf(undefined), { hash: 'md5', isSession: false });
  t.deepEqual(algorithmOf('SHA-256-sess'), { hash: 'sha-256', isSession: true });
  t.deepEqual(algorithmOf('SHA-512-256'), { hash: 'sha-512-256', isSession: false });
  t.is(algorithmOf('SHA-1'), undefined);
  t.is(algorithmOf('constructor'), undefined);
});

const account = { username: 'gw', password: 'secret' };
const request = { method: 'REGISTER', uri: 'sip:t.example' };

const hexOf = (hash: string, ...parts: string[]): string =>
  createHash(hash).update(parts.join(':')).digest('hex');

/** The response that a trunk expects for these credentials. */
const isProof = (header: string, hash: string, { username, password }: typeof account): boolean => {
  const [credentials] = challengesIn(header);
  const part = (name: string): string => credentials?.parameters.get(name) ?? '';
  const secret = hexOf(hash, username, part('realm'), password);
  const a1 = part('algorithm').endsWith('-sess')
    ? hexOf(hash, secret, part('nonce'), part('cnonce'))
    : secret;
  const a2 = hexOf(hash, request.method, request.uri);
  const expected = credentials?.parameters.has('qop')
    ? hexOf(hash, a1, part('nonce'), part('nc'), part('cnonce'), part('qop'), a2)
    : hexOf(hash, a1, part('nonce'), a2);
  return part('response') === expected && part('username') === username && part('uri') === request.uri;
};

const challenge = (header: string, status: 401 | 407 = 401) => ({
  status,
  ...headersOf({ [status === 401 ? 'WWW-Authenticate' : 'Proxy-Authenticate']: header }),
});

const answerTo = (header: string): string =>
  digestClientFor(account).begin().answer(challenge(header), request)?.['Authorization'] ?? '';

for (const [title, header, hash, expected] of [
  [
    'MD5 when no algorithm is named',
    'Digest realm="t.example", nonce="n1", qop="auth"',
    'md5',
    ['n1', 'MD5', 'auth'],
  ],
  [
    'SHA-256',
    'Digest realm="t.example", nonce="n1", qop="auth", algorithm=SHA-256',
    'sha256',
    ['n1', 'SHA-256', 'auth'],
  ],
  [
    'SHA-512-256',
    'Digest realm="t", nonce="n1", qop="auth", algorithm=SHA-512-256',
    'sha512-256',
    ['n1', 'SHA-512-256', 'auth'],
  ],
  [
    'SHA-256-sess',
    'Digest realm="t", nonce="n1", qop="auth", algorithm=SHA-256-sess',
    'sha256',
    ['n1', 'SHA-256-sess', 'auth'],
  ],
  [
    'the strongest of two, with its own nonce',
    'Digest realm="t", nonce="A", qop="auth", algorithm=MD5, Digest realm="t", nonce="B", qop="auth", algorithm=SHA-256',
    'sha256',
    ['B', 'SHA-256', 'auth'],
  ],
  [
    'the same in the other order',
    'Digest realm="t", nonce="B", qop="auth", algorithm=SHA-256,Digest realm="t", nonce="A", qop="auth"',
    'sha256',
    ['B', 'SHA-256', 'auth'],
  ],
  [
    'the first of two equals',
    'Digest realm="t", nonce="A", Digest realm="t", nonce="B"',
    'md5',
    ['A', 'MD5', undefined],
  ],
  [
    'the only supported one',
    'Digest realm="t", nonce="A", algorithm=SHA3-512, Digest realm="t", nonce="B", algorithm=MD5',
    'md5',
    ['B', 'MD5', undefined],
  ],
  [
    'Digest after Basic',
    'Basic realm="t", Digest realm="t.example", nonce="n1"',
    'md5',
    ['n1', 'MD5', undefined],
  ],
  [
    'auth out of a qop list',
    'Digest realm="t", nonce="n1", qop="auth-int,auth"',
    'md5',
    ['n1', 'MD5', 'auth'],
  ],
  [
    'auth when another challenge requires auth-int',
    'Digest realm="t", nonce="A", algorithm=SHA-256, qop="auth-int", Digest realm="t", nonce="B", qop="auth"',
    'md5',
    ['B', 'MD5', 'auth'],
  ],
  [
    'quoted strings with commas and escapes',
    String.raw`Digest realm="a, \"b\" \\ c", nonce="x,y=\"z\"", opaque="o,\"", qop="auth"`,
    'md5',
    ['x,y="z"', 'MD5', 'auth'],
  ],
] as const)
  // oxfmt-ignore
  test(`answers a digest challenge: ${title}`, (t) => {
    const answer = answerTo(header);
    const [credentials] = challengesIn(answer);
    t.true(isProof(answer, hash, account));
    t.false(isProof(answer, hash, { ...account, password: 'guess' }));
    t.deepEqual(
      ['nonce', 'algorithm', 'qop'].map((name) => credentials?.parameters.get(name)),
      [...expected],
    );
    t.false(isUnsupportedChallenge(challenge(header)));
  });

for (const header of [
  'Basic realm="t"',
  'Digest realm="t", nonce="n1", qop="auth-int"',
  'Digest realm="t", nonce="n1", algorithm=SHA3-512',
  'Digest nonce="n1"',
  'Digest realm="t"',
  'Digest realm="a\u0007b", nonce="n1"',
  '',
])
  test(`does not answer the challenge ${JSON.stringify(header)}`, (t) => {
    t.is(answerTo(header), '');
    t.true(isUnsupportedChallenge(challenge(header)));
  });

test('echoes opaque and quotes the parameters that require it', (t) => {
  const answer = answerTo(String.raw`Digest realm="a \"b\"", nonce="n", opaque="o\\p"`);
  t.true(answer.includes(String.raw`realm="a \"b\""`));
  t.true(answer.includes(String.raw`opaque="o\\p"`));
});

test('answers a realm once, and again if the nonce was stale', (t) => {
  const authorizing = digestClientFor(account).begin();
  const answers = (header: string) => authorizing.answer(challenge(header), request)?.['Authorization'];
  t.regex(answers('Digest realm="t", nonce="1"') ?? '', /nonce="1"/);
  t.is(answers('Digest realm="t", nonce="2"'), undefined, 'the credentials are wrong');
  t.regex(answers('Digest realm="t", nonce="2", stale=TRUE') ?? '', /nonce="2"/);
  t.is(answers('Digest realm="t", nonce="2", stale=true'), undefined, 'the same nonce is no better');
  t.regex(answers('Digest realm="other", nonce="3"') ?? '', /nonce="3"/);
});

test('stops after four answers, for any server', (t) => {
  const authorizing = digestClientFor(account).begin();
  const answered = Array.from({ length: 10 }, (_, index) =>
    authorizing.answer(challenge(`Digest realm="t", nonce="${index}", stale=true`), request),
  ).filter((headers) => headers !== null);
  t.is(answered.length, 4);
});

test('keeps the proxy credentials when the registrar also challenges', (t) => {
  const authorizing = digestClientFor(account).begin();
  authorizing.answer(challenge('Digest realm="proxy", nonce="1"', 407), request);
  const headers = authorizing.answer(challenge('Digest realm="registrar", nonce="2"'), request) ?? {};
  t.deepEqual(Object.keys(headers), ['Proxy-Authorization', 'Authorization']);
});

test('increments the nonce count of digest credentials', (t) => {
  const client = digestClientFor(account);
  const counts = ['1', '1', '2', '1'].map((nonce) => {
    const header = challenge(`Digest realm="t", nonce="${nonce}", qop="auth"`);
    const [credentials] = challengesIn(client.begin().answer(header, request)?.['Authorization'] ?? '');
    return credentials?.parameters.get('nc');
  });
  t.deepEqual(counts, ['00000001', '00000002', '00000001', '00000003']);
});

test('answers no challenge without credentials', (t) => {
  t.is(digestClientFor(undefined).begin().answer(challenge('Digest realm="t", nonce="1"'), request), null);
});

// Registered contact

const ours = 'sip:gw@192.0.2.1:5060';
for (const [title, contact, expires, seconds] of [
  [
    'our contact after another one',
    '<sip:desk@198.51.100.9>;expires=3600, <sip:gw@192.0.2.1:5060>;expires=60',
    undefined,
    60,
  ],
  [
    'a longer expiry for our contact',
    '<sip:desk@198.51.100.9>;expires=17, <sip:gw@192.0.2.1:5060>;expires=600',
    undefined,
    600,
  ],
  [
    'our contact without the default port',
    '<sip:gw@192.0.2.1>;expires=60, <sip:gw@198.51.100.9>;expires=17',
    undefined,
    60,
  ],
  [
    'our contact after a name with a comma',
    '"Desk, 2" <sip:desk@x>;expires=9, "gw" <sip:gw@192.0.2.1:5060;ob>;expires="60"',
    undefined,
    60,
  ],
  [
    'our contact without an expiry',
    '<sip:desk@198.51.100.9>;expires=3600, <sip:gw@192.0.2.1:5060>',
    '90',
    90,
  ],
  [
    'our user at the address that the registrar saw',
    '<sip:desk@x>;expires=17, <sip:gw@203.0.113.5:1024>;expires=60',
    undefined,
    60,
  ],
  [
    'two contacts of our user elsewhere',
    '<sip:gw@203.0.113.5:1024>;expires=600, <sip:gw@203.0.113.6>;expires=60',
    undefined,
    60,
  ],
  ['one contact under another name', '<sip:s123@203.0.113.5>;expires=60', undefined, 60],
  ['only foreign contacts', '<sip:a@x>;expires=3600, <sip:b@x>;expires=17', '120', 120],
  ['no Contact', '', '120', 120],
  ['nothing', '', undefined, undefined],
  ['an invalid number', '<sip:gw@192.0.2.1:5060>;expires=soon', undefined, undefined],
] as const)
  // oxfmt-ignore
  test(`reads the expiry of a registration: ${title}`, (t) => {
    const headers = {
      ...(contact === '' ? {} : { Contact: contact }),
      ...(expires === undefined ? {} : { Expires: expires }),
    };
    t.is(registeredSec(headersOf(headers), ours), seconds);
  });

// Reasons

test('reads several reasons with quoted texts', (t) => {
  t.deepEqual(
    reasonsIn(
      String.raw`SIP;cause=603;text="v=analytics1;url=https://block.example, \"x\"", q.850 ; cause = 21`,
    ),
    [
      { protocol: 'SIP', cause: 603, text: 'v=analytics1;url=https://block.example, "x"' },
      { protocol: 'q.850', cause: 21, text: null },
    ],
  );
});

test('truncates a hostile reason and removes control characters', (t) => {
  const [first] = reasonsIn(`SIP;cause=99999;text="a\u0000\u202Eb${'x'.repeat(1_000)}"`);
  t.is(first?.cause, null);
  t.is(first?.text?.length, 200);
  t.true(first?.text?.startsWith('a bx'));
  t.deepEqual(reasonsIn('<script>;cause=1, ;cause=2, SIP, SIP;text=""'), []);
  t.is(reasonsIn('SIP;cause=200,'.repeat(50)).length, 4);
  t.is(plainText('\uD83D\uDE00'.repeat(3), 2), '\uD83D\uDE00'.repeat(2));
});
