/** Access of inbound calls: addresses, digest credentials and unknown callers. */
import { createHash } from 'node:crypto';
import test from 'ava';
import * as fc from 'fast-check';
import pino from 'pino';
import { SimulatedClock } from 'xstate';
import { z } from 'zod';
import { inboundAccess } from '#config/policy.ts';
import { callerFrom, isShared, sourceAt } from '#sip/inbound-access/access-list.ts';
import { isAnswerable } from '#sip/inbound-access/contact.ts';
import { challengesIn } from '#sip/headers/challenges.ts';
import { createDigestCheck } from '#sip/inbound-access/digest.ts';
import { createInboundAccess } from '#sip/inbound-access/inbound-access.ts';
import { createUnknownCallers } from '#sip/inbound-access/unknown-callers.ts';
import { configuredTrunk } from '#sip/trunks/configured-trunk.ts';
import { emptyDirectory } from '#sip/trunks/directory.ts';
import type { Trunk } from '#src/domain/trunk.ts';
import { someTrunk } from './trunks/some-trunk.ts';

// Inbound access

const openAccess = someTrunk({ name: 'open', inboundAddresses: ['203.0.113.0/24'] });
const guardedAccess = someTrunk({
  name: 'guarded',
  inboundAuth: 'digest',
  username: 'gw',
  password: 'hunter',
});

const md5 = (...parts: string[]): string => createHash('md5').update(parts.join(':')).digest('hex');

const accessWorld = (trunks: readonly Trunk[], configured: Trunk | null = null) => {
  const clock = new SimulatedClock();
  const access = createInboundAccess({
    numbers: inboundAccess,
    directory: { ...emptyDirectory, all: () => trunks },
    configured,
    clock,
    logger: pino({ level: 'silent' }),
  });
  /** Sends a request: returns the admitted trunk or the response. */
  const knock = (address: string, authorization?: string) => {
    const answers: { status: number; challenge: string }[] = [];
    const trunk = access.admit(
      {
        source_address: address,
        method: 'INVITE',
        has: () => authorization !== undefined,
        get: () => authorization ?? '',
      },
      {
        send(status: number, _reason?: unknown, options?: { headers?: Record<string, string> }) {
          answers.push({ status, challenge: options?.headers?.['WWW-Authenticate'] ?? '' });
        },
      },
    );
    return { trunk, answers };
  };
  return { access, clock, knock };
};

const answerTo = (challenge: string, { username = 'gw', password = 'hunter' } = {}): string => {
  const given = challengesIn(challenge)[0]?.parameters;
  const [realm, nonce] = [given?.get('realm') ?? '', given?.get('nonce') ?? ''];
  const a2 = md5('INVITE', 'sip:a@b');
  const response = md5(md5(username, realm, password), nonce, '00000001', 'c', 'auth', a2);
  return `Digest username="${username}", realm="${realm}", nonce="${nonce}", uri="sip:a@b", qop=auth, nc=00000001, cnonce="c", response="${response}"`;
};

test.serial('accepts calls of a trunk from its address without a challenge', (t) => {
  const { knock } = accessWorld([openAccess]);
  t.deepEqual(knock('203.0.113.9'), { trunk: openAccess, answers: [] });
});

test.serial('rejects an unknown caller with 403 and counts it', (t) => {
  const { knock, access } = accessWorld([openAccess]);
  t.deepEqual(knock('198.51.100.1'), { trunk: null, answers: [{ status: 403, challenge: '' }] });
  t.deepEqual(access.refused(), {
    unknown_address: 1,
    wrong_credentials: 0,
    unanswered_challenge: 0,
    unusable_contact: 0,
  });
});

test.serial('challenges a trunk with digest authentication and accepts a correct response', (t) => {
  const { knock, access } = accessWorld([openAccess, guardedAccess]);
  const { trunk, answers } = knock('198.51.100.1');
  t.is(trunk, null);
  t.is(answers[0]?.status, 401);
  const challenge = answers[0]?.challenge ?? '';
  t.regex(challenge, /^Digest realm="trunkline", nonce="[^"]+", algorithm=MD5, qop="auth"$/);
  t.deepEqual(knock('198.51.100.1', answerTo(challenge)), { trunk: guardedAccess, answers: [] });
  t.deepEqual(access.refused(), {
    unknown_address: 0,
    wrong_credentials: 0,
    unanswered_challenge: 0,
    unusable_contact: 0,
  });
});

test.serial('rejects a wrong response with 403 and counts it', (t) => {
  const { knock, access } = accessWorld([guardedAccess]);
  for (const wrong of [{ password: 'guess' }, { username: 'somebody' }]) {
    const challenge = knock('198.51.100.1').answers[0]?.challenge ?? '';
    t.is(knock('198.51.100.1', answerTo(challenge, wrong)).answers[0]?.status, 403);
  }
  t.deepEqual(access.refused(), {
    unknown_address: 0,
    wrong_credentials: 2,
    unanswered_challenge: 0,
    unusable_contact: 0,
  });
});

test.serial('challenges a reused response again with stale=true', (t) => {
  const { knock } = accessWorld([guardedAccess]);
  const answer = answerTo(knock('198.51.100.1').answers[0]?.challenge ?? '');
  t.is(knock('198.51.100.1', answer).trunk, guardedAccess);
  t.regex(knock('198.51.100.2', answer).answers[0]?.challenge ?? '', /stale=true$/);
});

test.serial('gives each trunk a separate realm', (t) => {
  const other = { ...guardedAccess, id: 'other', name: 'other', realm: 'example.com', password: 'other' };
  const { knock } = accessWorld([other, guardedAccess]);
  const challenge = knock('198.51.100.1').answers[0]?.challenge ?? '';
  t.regex(challenge, /realm="example\.com"/);
  t.is(knock('198.51.100.1', answerTo(challenge, { password: 'other' })).trunk, other);
});

test.serial('resolves and accepts the address of the configured trunk', async (t) => {
  const configured = configuredTrunk({ address: '127.0.0.1:5070' });
  const { knock, access } = accessWorld([openAccess], configured);
  t.is(knock('127.0.0.1').trunk, null);
  await access.open();
  t.is(knock('127.0.0.1').trunk, configured);
  access.close();
});

test.serial('counts unanswered challenges and delays sources that repeat them', (t) => {
  const { access, clock, knock } = accessWorld([guardedAccess]);
  for (let times = 1; times <= 4; times += 1) t.is(knock('203.0.113.7').answers[0]?.status, 401);
  t.is(access.refused().unanswered_challenge, 0);
  clock.increment(10_000);
  t.is(access.refused().unanswered_challenge, 4);
  const { answers } = knock('203.0.113.7');
  t.deepEqual(answers, []);
  clock.increment(250);
  t.is(answers[0]?.status, 401, 'it is late');
  t.is(knock('203.0.113.8').answers[0]?.status, 401, 'others are not slowed down');
  access.close();
  clock.increment(60_000);
  t.is(access.refused().unanswered_challenge, 4);
});

test.serial('does not count a challenge as unanswered if the answer is wrong', (t) => {
  const { access, clock, knock } = accessWorld([guardedAccess]);
  knock('203.0.113.7');
  knock('203.0.113.7', 'Digest username="gw"');
  clock.increment(9_999);
  t.is(access.refused().unanswered_challenge, 0);
  access.close();
});

test.serial('ignores and counts a request whose Contact has no host', (t) => {
  const { access } = accessWorld([openAccess]);
  const raw = (contact: string): string => `INVITE sip:1@127.0.0.1 SIP/2.0\r\nContact: ${contact}\r\n\r\n`;
  t.false(access.ignores({ raw: raw('<sip:a@203.0.113.9>'), source_address: '203.0.113.9' }));
  t.true(access.ignores({ raw: raw('<tel:+82>'), source_address: '203.0.113.9' }));
  t.true(access.ignores({ raw: raw('*'), source_address: '198.51.100.1' }));
  t.is(access.refused().unusable_contact, 2);
});

// Access list

const configured = { trunk: configuredTrunk({ address: '10.9.9.9' }), addresses: new Set(['10.9.9.9']) };
const openByList = someTrunk({ name: 'open', inboundAddresses: ['203.0.113.0/24', '2001:db8::/32'] });
const guardedByList = someTrunk({
  name: 'guarded',
  inboundAuth: 'digest',
  inboundAddresses: ['198.51.100.7'],
});
const anywhere = someTrunk({ name: 'anywhere', inboundAuth: 'digest' });
const outOnly = someTrunk({ name: 'outbound only' });
const callerAt = (...source: Parameters<typeof sourceAt>) => callerFrom(sourceAt(...source), null);

test('identifies a trunk by its source address', (t) => {
  const trunks = [outOnly, openByList, guardedByList];
  for (const address of ['203.0.113.255', '::ffff:203.0.113.1', '2001:db8:1::1', '[2001:db8::2]'])
    t.deepEqual(callerAt(address, { trunks, configured }), { trunk: openByList }, address);
  for (const address of ['203.0.114.1', '2001:db9::1', '127.0.0.1', '::1', 'sip.example.com', ''])
    t.is(callerAt(address, { trunks, configured }), 'unknown', address);
});

test('challenges a digest trunk at its addresses, or anywhere if it has none', (t) => {
  t.deepEqual(callerAt('198.51.100.7', { trunks: [openByList, guardedByList], configured }), {
    accounts: [guardedByList],
  });
  t.is(callerAt('198.51.100.8', { trunks: [openByList, guardedByList], configured }), 'unknown');
  t.deepEqual(callerAt('198.51.100.8', { trunks: [guardedByList, anywhere], configured }), {
    accounts: [anywhere],
  });
  t.deepEqual(callerAt('203.0.113.1', { trunks: [anywhere, openByList], configured }), { trunk: openByList });
});

test('accepts calls of the configured trunk from its own address', (t) => {
  t.deepEqual(callerAt('10.9.9.9', { trunks: [openByList], configured }), { trunk: configured.trunk });
  t.deepEqual(callerAt('10.9.9.9', { trunks: [], configured }), { trunk: configured.trunk });
  t.is(callerAt('10.9.9.9', { trunks: [], configured: null }), 'unknown');
});

test('selects the trunk of the called number among workspaces with the same address', (t) => {
  const address = '203.0.113.7';
  const inboundAddresses = [address];
  const one = someTrunk({ name: 'one', workspaceId: 'workspace-one', inboundAddresses });
  const two = someTrunk({ name: 'two', workspaceId: 'workspace-two', inboundAddresses });
  const bound = { ...two, id: 'bound', name: 'bound' };
  const guarded = someTrunk({
    name: 'guarded',
    workspaceId: 'workspace-three',
    inboundAuth: 'digest',
    inboundAddresses,
  });
  const source = sourceAt(address, { trunks: [one, two, bound, guarded], configured });
  t.true(isShared(source));
  const of = (workspaceId: string, trunkId: string | null = null) =>
    callerFrom(source, { workspaceId, trunkId });
  t.deepEqual(of('workspace-one'), { trunk: one });
  t.deepEqual(of('workspace-two'), { trunk: two });
  t.deepEqual(of('workspace-two', 'bound'), { trunk: bound });
  t.deepEqual(of('workspace-two', 'elsewhere'), { trunk: two });
  t.deepEqual(of('workspace-three'), { accounts: [guarded] });
  t.deepEqual(of('workspace-four'), { trunk: one });
  t.deepEqual(callerFrom(source, null), { trunk: one });

  const ofAll = { trunk: configured.trunk, addresses: new Set([address]) };
  const withConfigured = sourceAt(address, { trunks: [one, guarded], configured: ofAll });
  t.deepEqual(callerFrom(withConfigured, { workspaceId: 'workspace-one', trunkId: null }), { trunk: one });
  t.deepEqual(callerFrom(withConfigured, { workspaceId: 'workspace-three', trunkId: null }), {
    trunk: configured.trunk,
  });

  t.false(isShared(sourceAt(address, { trunks: [two, bound], configured })));
  t.false(isShared(sourceAt(address, { trunks: [one, anywhere], configured })));
  t.false(isShared(sourceAt(address, { trunks: [guarded, anywhere], configured })));
  t.false(isShared(sourceAt('192.0.2.1', { trunks: [one, two], configured })));
});

test('accepts calls from localhost while no trunk has inbound calls', (t) => {
  const isLocal = { trunk: configured.trunk };
  t.deepEqual(callerAt('127.0.0.1', { trunks: [outOnly], configured }), isLocal);
  t.deepEqual(callerAt('::1', { trunks: [], configured }), isLocal);
  t.is(callerAt('127.0.0.1', { trunks: [guardedByList], configured }), 'unknown');
  t.is(callerAt('127.0.0.1', { trunks: [], configured: null }), 'unknown');
});

// Contact

const contactRequest = (...contacts: string[]): string =>
  [
    'INVITE sip:07012345678@127.0.0.1 SIP/2.0',
    'Via: SIP/2.0/UDP 203.0.113.9:5060;branch=z9hG4bK1',
    ...contacts,
    'Content-Length: 0',
    '',
    'Contact: <sip:what-stands-in-the-body@is-no-header>',
  ].join('\r\n');

const answered = test.macro<[string]>({
  exec: (t, contact) => t.true(isAnswerable(contactRequest(contact))),
  title: (_, contact) => `accepts a request with Contact "${contact}"`,
});
for (const contact of [
  'Contact: <sip:caller@203.0.113.9:5060>',
  'Contact: <sip:203.0.113.9>',
  'Contact: sip:caller@trunk.example',
  'Contact: sip:caller@trunk.example;transport=tcp',
  'm: <sips:+82212345678@trunk.example:5061;transport=tls>;expires=60',
  'CONTACT : "A. Caller, \\"Sales\\" <x>" <sip:a@[2001:db8::1]:5060>',
  'Contact: Caller <sip:a;phone-context=+82@b.example?x=y>;+sip.instance="<urn:uuid:1,2>";q=1',
  'Contact: "A. Caller"\r\n <sip:caller@203.0.113.9>',
  'Contact: <SIP:%2B82@trunk-1.example>',
  'Subject: nobody named Contact: <tel:1>',
])
  test(answered, contact);

test('accepts a request without Contact', (t) => {
  t.true(isAnswerable(contactRequest()));
});

const unanswered = test.macro<[string]>({
  exec: (t, contact) => t.false(isAnswerable(contactRequest(contact))),
  title: (_, contact) => `ignores a request with Contact ${JSON.stringify(contact)}`,
});
for (const contact of [
  'Contact: <tel:+821012345678>',
  'Contact: tel:+821012345678',
  'm: <tel:+82>',
  'Contact:<tel:+82>',
  'contact\t: <tel:+82>',
  'Contact: *',
  'Contact:',
  'Contact: <>',
  'Contact: <sip:>',
  'Contact: <sip:@>',
  'Contact: <sip:caller@>',
  'Contact: <sip:caller@:5060>',
  'Contact: <sip:;transport=udp>',
  'Contact: <sip:?x=y>',
  'Contact: <sip:@host>',
  'Contact: <sip:;x@host>',
  'Contact: <urn:uuid:1>',
  'Contact: <mailto:a@b>',
  'Contact: <http://host/>',
  'Contact: <sip:a@b@>',
  'Contact: <sip:a@\u0000host>',
  'Contact: <sip:\u0000@host>',
  'Contact: <sip:a@[]>',
  'Contact: <sip:a@host',
  'Contact: <sip:a@host>, <tel:+82>',
  'Contact: <tel:+82>, <sip:a@host>',
  'Contact: <tel:+82>;x="<sip:a@host>"',
  'Contact: "<sip:a@host>" <tel:+82>',
  'Contact: <tel:+82>\r\nContact: <sip:a@host>',
  'Contact: <sip:a@host>\r\nm: <tel:+82>',
  'Subject: one line\nContact: <tel:+82>',
  'Subject: one line\rContact: <tel:+82>',
  'Contact:\r\n <tel:+82>',
])
  test(unanswered, contact);

// Digest

const realm = 'trunkline';
const account = { username: 'carrier', password: 'correct horse' };
const digestRequest = { method: 'INVITE', realm };

const digestOf = (name: string, ...parts: string[]) => createHash(name).update(parts.join(':')).digest('hex');

/** The caller's response to a challenge. */
const answer = (
  challenge: string,
  changes: { username?: string; password?: string; nc?: string; qop?: boolean; method?: string } = {},
): string => {
  const given = challengesIn(challenge)[0]?.parameters;
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

const digestWorld = () => {
  let time = 1_000_000;
  const digest = createDigestCheck(inboundAccess.nonceMs, () => time);
  return {
    digest,
    pass: (ms: number) => (time += ms),
    check: (header: string | undefined) => digest.check(header, digestRequest, [account]),
  };
};

for (const algorithm of ['MD5', 'SHA-256'] as const)
  for (const qop of [true, false])
    test(`accepts a caller with the correct password: ${algorithm} ${qop ? 'with' : 'without'} qop`, (t) => {
      const { digest, check } = digestWorld();
      t.deepEqual(check(answer(digest.challenge(realm, algorithm, false), { qop })), {
        verdict: 'known',
        account,
      });
    });

test('computes the hash of the example in RFC 2617', (t) => {
  const a1 = digestOf('md5', 'Mufasa', 'testrealm@host.com', 'Circle Of Life');
  const a2 = digestOf('md5', 'GET', '/dir/index.html');
  const nonce = 'dcd98b7102dd2f0e8b11d0f600bfb0c093';
  t.is(digestOf('md5', a1, nonce, '00000001', '0a4f113b', 'auth', a2), '6629fae49393a05397450978507c4ef1');
});

test('challenges requests without credentials or with a foreign realm or nonce', (t) => {
  const { digest, check } = digestWorld();
  const challenge = { verdict: 'challenge', isStale: false } as const;
  const good = answer(digest.challenge(realm, 'MD5', false));
  t.deepEqual(check(undefined), challenge);
  t.deepEqual(check('Basic YTpi'), challenge);
  t.deepEqual(check(good.replace(realm, 'elsewhere')), challenge);
  t.deepEqual(check(good.replace(/nonce="./, 'nonce="0')), challenge);
  t.deepEqual(
    check(answer(digestWorld().digest.challenge(realm, 'MD5', false))),
    challenge,
    'of another gateway',
  );
});

test('rejects wrong credentials', (t) => {
  const { digest, check } = digestWorld();
  const wrong = { verdict: 'wrong' } as const;
  const challenge = () => digest.challenge(realm, 'MD5', false);
  t.deepEqual(check(answer(challenge(), { password: 'guess' })), wrong);
  t.deepEqual(check(answer(challenge(), { username: 'somebody' })), wrong);
  t.deepEqual(check(answer(challenge(), { method: 'BYE' })), wrong);
  t.deepEqual(check(answer(challenge()).replace('algorithm=MD5', 'algorithm=MD5-sess')), wrong);
  t.deepEqual(check(answer(challenge()).replace('qop=auth', 'qop=auth-int')), wrong);
  t.deepEqual(check(answer(challenge(), { nc: 'zero' })), wrong);
});

test('rejects replayed credentials', (t) => {
  const { digest, check, pass } = digestWorld();
  const challenge = digest.challenge(realm, 'MD5', false);
  t.is(check(answer(challenge)).verdict, 'known');
  t.deepEqual(check(answer(challenge)), { verdict: 'challenge', isStale: true });
  t.is(check(answer(challenge, { nc: '00000002' })).verdict, 'known', 'the next count is');
  pass(60_001);
  t.deepEqual(check(answer(challenge, { nc: '00000003' })), { verdict: 'challenge', isStale: true });
});

test('marks a challenge as stale when only the nonce is old', (t) => {
  t.regex(digestWorld().digest.challenge(realm, 'MD5', true), /, stale=true$/);
});

test('rejects malformed credentials without throwing', (t) => {
  const { digest, check } = digestWorld();
  fc.assert(
    fc.property(fc.string(), fc.nat(300), fc.string(), (junk, at, other) => {
      const good = answer(digest.challenge(realm, 'MD5', false), { password: 'guess' });
      const headers = [junk, `Digest ${junk}`, good.slice(0, at) + junk + good.slice(at), good + other];
      return headers.every((header) => check(header).verdict !== 'known');
    }),
  );
  t.pass();
});

// Unknown callers

const unknownCallersWorld = () => {
  const clock = new SimulatedClock();
  clock.set(1_000_000);
  const logged: { address: string; times: number }[] = [];
  const line = z.object({ address: z.string(), times: z.number() });
  const logger = pino(
    { base: null },
    { write: (text: string) => void logged.push(line.parse(JSON.parse(text))) },
  );
  const unknownCallers = createUnknownCallers(inboundAccess.refusals, clock, logger);
  /** Milliseconds until each caller is refused. */
  const meet = (address = '203.0.113.1'): { refusedAfter: number | null } => {
    const met = { refusedAfter: null as number | null };
    const begun = clock.now();
    unknownCallers.meet(address, 'unknown_address', () => (met.refusedAfter = clock.now() - begun));
    return met;
  };
  return { clock, logged, unknownCallers, meet };
};

test('rejects the first requests at once and delays persistent sources increasingly', (t) => {
  const { clock, meet } = unknownCallersWorld();
  const met = Array.from({ length: 10 }, () => meet());
  for (let steps = 0; steps < 40; steps += 1) clock.increment(250);
  t.deepEqual(
    met.map(({ refusedAfter }) => refusedAfter),
    [0, 0, 0, 250, 500, 1_000, 2_000, 4_000, 8_000, 8_000],
  );
});

test('resets the delay after a minute without requests and never delays other sources', (t) => {
  const { clock, meet } = unknownCallersWorld();
  for (let times = 0; times < 5; times += 1) meet();
  t.is(meet('203.0.113.2').refusedAfter, 0);
  clock.increment(60_001);
  t.is(meet().refusedAfter, 0);
});

test('counts each rejection and logs a source once a minute', (t) => {
  const { clock, logged, unknownCallers, meet } = unknownCallersWorld();
  for (let times = 0; times < 5; times += 1) meet();
  meet('203.0.113.2');
  unknownCallers.meet('203.0.113.3', 'wrong_credentials', () => {});
  t.deepEqual(unknownCallers.counts(), {
    unknown_address: 6,
    wrong_credentials: 1,
    unanswered_challenge: 0,
    unusable_contact: 0,
  });
  t.deepEqual(
    logged.map(({ address }) => address),
    ['203.0.113.1', '203.0.113.2', '203.0.113.3'],
  );
  clock.increment(59_000);
  meet();
  t.is(logged.length, 3);
  clock.increment(2_000);
  meet();
  t.deepEqual(logged.at(-1), { ...logged.at(-1), address: '203.0.113.1', times: 6 });
});

test('drops delayed rejections on close', (t) => {
  const { clock, unknownCallers, meet } = unknownCallersWorld();
  const met = Array.from({ length: 5 }, () => meet());
  unknownCallers.close();
  clock.increment(60_000);
  t.is(met.at(-1)?.refusedAfter, null);
});

test('rejects a distributed flood at once and remembers only a limited number of sources', (t) => {
  const { meet } = unknownCallersWorld();
  for (let index = 0; index < 30_000; index += 1)
    if (meet(`10.${index >> 16}.${(index >> 8) & 255}.${index & 255}`).refusedAfter !== 0) t.fail();
  t.pass();
});
