/**
 * A trunk that challenges in several ways and sends reasons: a raw UDP far end that verifies the digest responses
 * itself.
 */
import { createHash } from 'node:crypto';
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import type { ExecutionContext } from 'ava';
import type { LineEvent } from '#machines/line.ts';
import { challengesIn } from '#sip/headers/challenges.ts';
import { until } from './real-lines.ts';
import { realTimeTest } from './real-time-test.ts';
import { account, dial, trunkAt, withTrunkLines } from './trunk-lines.ts';
import { headerIn } from './udp-end.ts';

const sdpAt = (port: number): string =>
  [
    'v=0',
    'o=far 1 1 IN IP4 127.0.0.1',
    's=-',
    'c=IN IP4 127.0.0.1',
    't=0 0',
    `m=audio ${port} RTP/AVP 0`,
    '',
  ].join('\r\n');

/** True if the digest response in this header is that of the account, for the Request-URI as received. */
const isProof = (text: string, header: string, hash: string, nonce: string): boolean => {
  const [, method = '', uri = ''] = /^([A-Z]+) (\S+) /.exec(text) ?? [];
  const [credentials] = challengesIn(headerIn(text, header));
  const part = (name: string): string => credentials?.parameters.get(name) ?? '';
  const hex = (...parts: string[]): string => createHash(hash).update(parts.join(':')).digest('hex');
  const one = hex(account.username, 't, one', account.password);
  const two = hex(method, uri);
  return (
    part('nonce') === nonce && part('response') === hex(one, nonce, part('nc'), part('cnonce'), 'auth', two)
  );
};

const challenges = [
  'WWW-Authenticate: Basic realm="t, one"',
  'WWW-Authenticate: Digest realm="t, one", nonce="A", qop="auth", algorithm=MD5',
  'WWW-Authenticate: Digest realm="t, one", nonce="B", qop="auth-int,auth", algorithm=SHA-256',
];
const proxyChallenge = 'Proxy-Authenticate: Digest realm="t, one", nonce="C", qop="auth"';

/**
 * `bye`: the Reason of a BYE that the trunk sends after the ACK; without one it waits for the gateway's BYE, which it
 * challenges.
 */
const startChallengingTrunk = async (t: ExecutionContext, { bye }: { bye?: string } = {}) => {
  const socket = createSocket('udp4').bind(0, '127.0.0.1');
  await once(socket, 'listening');
  t.teardown(() => socket.close());
  const { port } = socket.address();
  const heard: string[] = [];
  const proofs: string[] = [];
  let dialogs: { invite: string; to: number } | null = null;

  const respond = (
    text: string,
    to: number,
    status: string,
    more: readonly string[] = [],
    body = '',
  ): void => {
    const answer = [
      `SIP/2.0 ${status}`,
      ...text.split('\r\n').filter((line) => /^via:/i.test(line)),
      `From: ${headerIn(text, 'From')}`,
      `To: ${headerIn(text, 'To').replace(/;tag=.*/, '')};tag=far`,
      `Call-ID: ${headerIn(text, 'Call-ID')}`,
      `CSeq: ${headerIn(text, 'CSeq')}`,
      ...more,
      ...(body === '' ? [] : [`Contact: <sip:far@127.0.0.1:${port}>`, 'Content-Type: application/sdp']),
      `Content-Length: ${Buffer.byteLength(body)}`,
      '',
      body,
    ];
    socket.send(answer.join('\r\n'), to, '127.0.0.1');
  };

  const hangUp = ({ invite, to }: { invite: string; to: number }, reason: string): void => {
    const contact = /<([^>]+)>/.exec(headerIn(invite, 'Contact'))?.[1] ?? '';
    const request = [
      `BYE ${contact} SIP/2.0`,
      `Via: SIP/2.0/UDP 127.0.0.1:${port};branch=z9hG4bKbye`,
      `From: ${headerIn(invite, 'To')};tag=far`,
      `To: ${headerIn(invite, 'From')}`,
      `Call-ID: ${headerIn(invite, 'Call-ID')}`,
      'CSeq: 1 BYE',
      `Reason: ${reason}`,
      'Max-Forwards: 70',
      'Content-Length: 0',
      '',
      '',
    ];
    socket.send(request.join('\r\n'), to, '127.0.0.1');
  };

  /** Responds to a retransmitted request again. */
  const take = (text: string, to: number): void => {
    const [, method = ''] = /^([A-Z]+) /.exec(text) ?? [];
    if (method === 'ACK') {
      if (bye !== undefined && dialogs !== null) hangUp(dialogs, bye);
      return undefined;
    }
    if (method === 'BYE') {
      if (!isProof(text, 'Proxy-Authorization', 'md5', 'C'))
        return respond(text, to, '407 Proxy Authentication Required', [proxyChallenge]);
      proofs.push(method);
      return respond(text, to, '200 OK');
    }
    if (!isProof(text, 'Authorization', 'sha256', 'B'))
      return respond(text, to, '401 Unauthorized', challenges);
    proofs.push(method);
    if (method === 'REGISTER') {
      const own = headerIn(text, 'Contact');
      const contacts = `Contact: "Desk, 1" <sip:desk@198.51.100.9>;expires=3600, ${own};expires=60`;
      return respond(text, to, '200 OK', [contacts]);
    }
    dialogs = { invite: text, to };
    return respond(text, to, '200 OK', [], sdpAt(port + 1));
  };

  socket.on('message', (data, { port: to }) => {
    const text = data.toString();
    if (text.startsWith('SIP/2.0') || text.trim() === '') return;
    heard.push(text);
    take(text, to);
  });
  return { port, heard, proofs };
};

withTrunkLines('challenges', ({ linesWith }) => {
  realTimeTest(
    "answers the strongest of several challenges and uses the gateway's own contact",
    async (t) => {
      const far = await startChallengingTrunk(t);
      const { outOfDialog } = await linesWith(t, []);
      const trunk = trunkAt(far.port, { ...account, register: true });
      t.like(await outOfDialog.register(trunk, new AbortController().signal), { expiresSec: 60 });
      t.deepEqual(far.proofs, ['REGISTER']);
      const [first = '', second = ''] = far.heard.filter((text) => text.startsWith('REGISTER'));
      t.is(headerIn(second, 'Call-ID'), headerIn(first, 'Call-ID'));
      t.is(Number.parseInt(headerIn(second, 'CSeq'), 10), Number.parseInt(headerIn(first, 'CSeq'), 10) + 1);
    },
  );

  realTimeTest('places and hangs up a call by a trunk that challenges INVITE and BYE', async (t) => {
    const far = await startChallengingTrunk(t);
    const lines = await linesWith(t, [trunkAt(far.port, account)]);
    const events: LineEvent[] = [];
    const line = dial(lines, (event) => events.push(event));
    await until(() => events.some(({ type }) => type === 'line.answered'));
    line.tell({ type: 'hangUp' });
    await until(() => events.some(({ type }) => type === 'line.ended'));
    t.deepEqual(far.proofs, ['INVITE', 'BYE']);
  });

  for (const [reason, by, cause] of [
    ['Q.850;cause=41;text="Temporary failure"', 'network', 41],
    ['Q.850;cause=16;text="Normal call clearing"', 'counterparty', 16],
  ] as const)
    realTimeTest(`a BYE with ${reason} ends the call by the ${by}`, async (t) => {
      const far = await startChallengingTrunk(t, { bye: reason });
      const lines = await linesWith(t, [trunkAt(far.port, account)]);
      const events: LineEvent[] = [];
      dial(lines, (event) => events.push(event));
      await until(() => events.some(({ type }) => type === 'line.ended'));
      const ended = events.at(-1);
      t.like(ended, { type: 'line.ended', by });
      t.is(ended?.type === 'line.ended' ? ended.sip?.reasons?.[0]?.cause : null, cause);
    });
});
