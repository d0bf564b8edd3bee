import { createHash } from 'node:crypto';
import test from 'ava';
import { pino } from 'pino';
import { SimulatedClock } from 'xstate';
import { configuredTrunk } from '#sip/trunks/configured-trunk.ts';
import { parseDigest } from '#sip/inbound-access/digest.ts';
import { emptyDirectory } from '#sip/trunks/directory.ts';
import { inboundAccess } from '#config/policy.ts';
import { createInboundAccess } from '#sip/inbound-access/inbound-access.ts';
import type { Trunk } from '#src/domain/trunk.ts';
import { someTrunk } from '../trunks/some-trunk.ts';

const open = someTrunk({ name: 'open', inboundAddresses: ['203.0.113.0/24'] });
const guarded = someTrunk({ name: 'guarded', inboundAuth: 'digest', username: 'gw', password: 'hunter' });

const md5 = (...parts: string[]): string => createHash('md5').update(parts.join(':')).digest('hex');

const world = (trunks: readonly Trunk[], configured: Trunk | null = null) => {
  const clock = new SimulatedClock();
  const access = createInboundAccess({
    numbers: inboundAccess,
    directory: { ...emptyDirectory, all: () => trunks },
    configured,
    clock,
    logger: pino({ level: 'silent' }),
  });
  /** Knocks: the trunk that is let in, or the answer. */
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
  const given = parseDigest(challenge);
  const [realm, nonce] = [given?.get('realm') ?? '', given?.get('nonce') ?? ''];
  const a2 = md5('INVITE', 'sip:a@b');
  const response = md5(md5(username, realm, password), nonce, '00000001', 'c', 'auth', a2);
  return `Digest username="${username}", realm="${realm}", nonce="${nonce}", uri="sip:a@b", qop=auth, nc=00000001, cnonce="c", response="${response}"`;
};

test('a trunk is let in by its address without a word', (t) => {
  const { knock } = world([open]);
  t.deepEqual(knock('203.0.113.9'), { trunk: open, answers: [] });
});

test('an unknown caller is refused with 403, and counted', (t) => {
  const { knock, access } = world([open]);
  t.deepEqual(knock('198.51.100.1'), { trunk: null, answers: [{ status: 403, challenge: '' }] });
  t.deepEqual(access.refused(), {
    unknown_address: 1,
    wrong_credentials: 0,
    unanswered_challenge: 0,
    unusable_contact: 0,
  });
});

test('a trunk that must prove itself is challenged, and let in with the right answer', (t) => {
  const { knock, access } = world([open, guarded]);
  const { trunk, answers } = knock('198.51.100.1');
  t.is(trunk, null);
  t.is(answers[0]?.status, 401);
  const challenge = answers[0]?.challenge ?? '';
  t.regex(challenge, /^Digest realm="trunkline", nonce="[^"]+", algorithm=MD5, qop="auth"$/);
  t.deepEqual(knock('198.51.100.1', answerTo(challenge)), { trunk: guarded, answers: [] });
  t.deepEqual(access.refused(), {
    unknown_address: 0,
    wrong_credentials: 0,
    unanswered_challenge: 0,
    unusable_contact: 0,
  });
});

test('a wrong answer is refused with 403, and counted', (t) => {
  const { knock, access } = world([guarded]);
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

test('whoever uses an answer again is challenged again, and told that it is stale', (t) => {
  const { knock } = world([guarded]);
  const answer = answerTo(knock('198.51.100.1').answers[0]?.challenge ?? '');
  t.is(knock('198.51.100.1', answer).trunk, guarded);
  t.regex(knock('198.51.100.2', answer).answers[0]?.challenge ?? '', /stale=true$/);
});

test('each trunk is known in its own realm', (t) => {
  const other = { ...guarded, id: 'other', name: 'other', realm: 'example.com', password: 'other' };
  const { knock } = world([other, guarded]);
  const challenge = knock('198.51.100.1').answers[0]?.challenge ?? '';
  t.regex(challenge, /realm="example\.com"/);
  t.is(knock('198.51.100.1', answerTo(challenge, { password: 'other' })).trunk, other);
});

test('the address of the configured trunk is looked up, and let in', async (t) => {
  const configured = configuredTrunk({ address: '127.0.0.1:5070' });
  const { knock, access } = world([open], configured);
  t.is(knock('127.0.0.1').trunk, null);
  await access.open();
  t.is(knock('127.0.0.1').trunk, configured);
  access.close();
});

test('a challenge that is not answered is counted, and slows down whoever leaves it so again and again', (t) => {
  const { access, clock, knock } = world([guarded]);
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

test('a challenge that is answered is not counted, whatever the answer', (t) => {
  const { access, clock, knock } = world([guarded]);
  knock('203.0.113.7');
  knock('203.0.113.7', 'Digest username="gw"');
  clock.increment(9_999);
  t.is(access.refused().unanswered_challenge, 0);
  access.close();
});

test('a request whose Contact names no host is ignored, whoever sends it, and counted', (t) => {
  const { access } = world([open]);
  const raw = (contact: string): string => `INVITE sip:1@127.0.0.1 SIP/2.0\r\nContact: ${contact}\r\n\r\n`;
  t.false(access.ignores({ raw: raw('<sip:a@203.0.113.9>'), source_address: '203.0.113.9' }));
  t.true(access.ignores({ raw: raw('<tel:+82>'), source_address: '203.0.113.9' }));
  t.true(access.ignores({ raw: raw('*'), source_address: '198.51.100.1' }));
  t.is(access.refused().unusable_contact, 2);
});
