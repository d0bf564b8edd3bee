/** SIP messages as drachtio-server captures them. */
import test, { type ExecutionContext } from 'ava';
import { sipTrace } from '#config/policy.ts';
import { maskedMessage } from '#sip/drachtio/capture/masked-message.ts';
import { type CaptureLimits, createSipCapture } from '#sip/drachtio/capture/sip-capture.ts';
import { momentOf, readReportedMessage } from '#sip/drachtio/capture/reported-message.ts';
import { type SipMessage, startLineOf } from '#src/domain/sip-message.ts';
import { createOrderedClock } from '#test/contract/ordered-clock.ts';
import { describeSound } from '#test/doubles/session-description.ts';
import { ownNumber, type SipEdgeOptions, startSipEdge } from '#test/doubles/sip-edge.ts';
import { until } from '#test/helpers/until.ts';
import { directoryOf, someTrunk } from '#test/sip/trunks/some-trunk.ts';

// SIP capture
// Attribution of messages to calls, and limits.

const limits: CaptureLimits = {
  messages: 4,
  characters: 400,
  unclaimed: 2,
  unclaimedMessages: 3,
  lingerMs: 64_000,
};

const sipCaptureWorld = (keeps: () => boolean = () => true) => {
  const clock = createOrderedClock();
  const kept: (SipMessage & { callId: string })[] = [];
  const sipCapture = createSipCapture({
    keep(callId, message) {
      if (keeps()) kept.push({ callId, ...message });
      return keeps();
    },
    limits,
    clock,
  });
  const say = (about: string, startLine: string, callId: string, headers = ''): void =>
    sipCapture.hear(`${about}\r\n${startLine}\r\nCall-ID: ${callId}\r\n${headers}\r\n`);
  return {
    sipCapture,
    clock,
    kept,
    lines: () => kept.map(({ callId, text }) => `${callId} ${text.split('\r\n')[0]}`),
    sent: (startLine: string, callId: string, headers?: string) =>
      say(
        'i|response|c|OK|application|9|udp|192.0.2.7|5060|00:00:01.000001|t|Msg sent:|',
        startLine,
        callId,
        headers,
      ),
    came: (startLine: string, callId: string, headers?: string) =>
      say('i|sip|network|9|udp|198.51.100.9|5070|00:00:01.000002|t|d|', startLine, callId, headers),
  };
};

const invite = 'INVITE sip:01012345678@trunk.example SIP/2.0';
const ok = 'SIP/2.0 200 OK';

test('stores the messages of each INVITE that a call claims, including earlier ones', (t) => {
  const { sipCapture, lines, sent, came } = sipCaptureWorld();
  sent(invite, 'one');
  sipCapture.claim('one', 'call');
  came('SIP/2.0 503 Service Unavailable', 'one');
  sent(invite, 'two');
  sipCapture.claim('two', 'call');
  came('SIP/2.0 486 Busy Here', 'two');
  sent(invite, 'other');
  sipCapture.claim('other', 'other call');
  t.deepEqual(lines(), [
    `call ${invite}`,
    'call SIP/2.0 503 Service Unavailable',
    `call ${invite}`,
    'call SIP/2.0 486 Busy Here',
    `other call ${invite}`,
  ]);
});

test('stores no unclaimed messages, and limits waiting ones', (t) => {
  const { sipCapture, lines, came } = sipCaptureWorld();
  for (const callId of ['one', 'two', 'three']) came(invite, callId);
  for (let count = 0; count < 5; count += 1) came('SIP/2.0 100 Trying', 'three');
  came('OPTIONS sip:gateway SIP/2.0', 'four');
  for (const callId of ['one', 'four']) sipCapture.claim(callId, callId);
  t.deepEqual(lines(), [], 'the oldest INVITE gave way, and other requests never waited');
  sipCapture.claim('three', 'three');
  t.is(lines().length, 3);
});

test('ignores the gateway’s own INVITEs to FreeSWITCH, which a caller cannot imitate', (t) => {
  const { sipCapture, lines, sent, came } = sipCaptureWorld();
  const header = 'X-Gateway: 7f9c\r\n';
  sent(invite, 'ours', header);
  came(invite, 'theirs', header);
  sipCapture.claim('ours', 'ours');
  sipCapture.claim('theirs', 'theirs');
  t.deepEqual(lines(), [`theirs ${invite}`]);
});

test('determines the addresses of both ends from earlier messages', (t) => {
  const { sipCapture, kept, sent, came } = sipCaptureWorld();
  sent(invite, 'one');
  sipCapture.claim('one', 'call');
  came(ok, 'one');
  sent('ACK sip:far@10.0.0.1 SIP/2.0', 'one');
  t.deepEqual(
    kept.map(({ direction, local, remote }) => [direction, local, remote]),
    [
      ['out', '192.0.2.7:5060', 'trunk.example:5060'],
      ['in', '192.0.2.7:5060', '198.51.100.9:5070'],
      ['out', '192.0.2.7:5060', '198.51.100.9:5070'],
    ],
  );
});

test('gives each message of a call a distinct time and keeps their order', (t) => {
  const { sipCapture, kept, sent, came } = sipCaptureWorld();
  came(invite, 'one');
  sipCapture.claim('one', 'call');
  sent(ok, 'one');
  came('ACK sip:gateway SIP/2.0', 'one');
  const times = kept.map(({ atMicros }) => atMicros);
  t.deepEqual(times, [times[0], (times[0] ?? 0) + 1, (times[0] ?? 0) + 2]);
});

test('keeps the last messages of a call with too many, and counts the dropped ones', (t) => {
  const { sipCapture, kept, sent, came } = sipCaptureWorld();
  sent(invite, 'one');
  sipCapture.claim('one', 'call');
  for (let count = 0; count < 10; count += 1) came('INFO sip:gateway SIP/2.0', 'one');
  sent('BYE sip:far SIP/2.0', 'one');
  came(ok, 'one', 'CSeq: 2 BYE\r\n');
  t.is(kept.length, 6);
  t.deepEqual(
    kept.slice(-2).map(({ text, leftOut }) => [text.split('\r\n')[0], leftOut]),
    [
      ['BYE sip:far SIP/2.0', 7],
      [ok, 0],
    ],
  );
});

test('counts messages that could not be stored with the next stored one', (t) => {
  let keeps = true;
  const { sipCapture, kept, sent, came } = sipCaptureWorld(() => keeps);
  sent(invite, 'one');
  sipCapture.claim('one', 'call');
  keeps = false;
  came('SIP/2.0 180 Ringing', 'one');
  keeps = true;
  came(ok, 'one');
  t.deepEqual(
    kept.map(({ leftOut }) => leftOut),
    [0, 1],
  );
});

test('captures messages for a while after the end of a call, then releases it', (t) => {
  const { sipCapture, clock, lines, came } = sipCaptureWorld();
  came(invite, 'one');
  sipCapture.claim('one', 'call');
  sipCapture.ended('one');
  clock.advance(limits.lingerMs - 1);
  sipCapture.claim('two', 'second');
  came(ok, 'one');
  t.is(lines().length, 2);
  clock.advance(1);
  sipCapture.claim('three', 'third');
  came(ok, 'one');
  t.is(lines().length, 2);
});

test('truncates a message to whole lines and removes NUL', (t) => {
  const { sipCapture, kept, came } = sipCaptureWorld();
  came(invite, 'one', `X-Long: a\0b\r\nX-Longer: ${'x'.repeat(500)}\r\n`);
  sipCapture.claim('one', 'call');
  t.is(kept[0]?.text, `${invite}\r\nCall-ID: one\r\nX-Long: a\uFFFDb\r\n`);
});

// Calls
// The ladders of whole calls, on doubles of the servers.

const sdp = describeSound();

/** Lines whose messages are stored by call. */
const startTraced = async (t: ExecutionContext, options: SipEdgeOptions = {}) => {
  const calls = new Map<string, SipMessage[]>();
  const edge = await startSipEdge(t, {
    ...options,
    sipMessages: {
      keep(callId, message) {
        calls.set(callId, [...(calls.get(callId) ?? []), message]);
        return true;
      },
      limits: sipTrace.limits,
    },
  });
  const read = (message: SipMessage): string =>
    `${message.direction === 'out' ? '→' : '←'} ${startLineOf(message.text)
      .replace(/ sip:.*| SIP\/2.0$/, '')
      .replace('SIP/2.0 ', '')}`;
  /** Waits for this many messages of the only call. */
  const ladder = (count: number) =>
    until(`${count} messages`, async () => {
      const [only = []] = calls.values();
      return only.length >= count ? only.map(read) : undefined;
    });
  return { ...edge, calls, ladder };
};

test.serial('captures an outbound call from the INVITE to the response to BYE', async (t) => {
  const { trunk, call, said, ladder, calls } = await startTraced(t);
  const line = call();
  const far = await trunk.receives('INVITE');
  far.answers(180);
  far.answers(200, { sdp });
  await far.receives('ACK');
  await said([line], 'line.answered');
  far.sends('INVITE', { sdp: describeSound({ direction: 'sendonly' }) });
  await far.receives(200);
  far.sends('ACK');
  far.sends('INFO', { headers: { 'Content-Type': 'application/dtmf-relay' }, body: 'Signal=5\r\n' });
  await far.receives(200);
  far.sends('REFER', { headers: { 'Refer-To': '<sip:01000000000@127.0.0.1>' } });
  await far.receives(603);
  line.tell({ type: 'hangUp' });
  await far.receives('BYE');
  far.answers(200);
  await said([line], 'line.ended');
  t.deepEqual(await ladder(13), [
    '→ INVITE',
    '← 180 Ringing',
    '← 200 OK',
    '→ ACK',
    '← INVITE',
    '→ 200 OK',
    '← ACK',
    '← INFO',
    '→ 200 OK',
    '← REFER',
    '→ 603 Decline',
    '→ BYE',
    '← 200 OK',
  ]);
  const [messages = []] = calls.values();
  t.true(messages.some(({ text }) => text.includes('Signal=x')));
  t.is(calls.size, 1, 'what was said to FreeSWITCH is in no ladder');
});

test.serial('captures the messages of both trunks of a call', async (t) => {
  const [first, second] = ['127.0.0.1:15060', '127.0.0.1:15060'];
  const { trunk, call, said, ladder } = await startTraced(t, {
    trunk: null,
    trunks: directoryOf(
      [first, second].map((_, index) =>
        someTrunk({ id: `t${index}`, name: `t${index}`, host: '127.0.0.1', port: 15_060, priority: index }),
      ),
    ),
  });
  const line = call();
  (await trunk.receives('INVITE')).answers(503);
  (await trunk.receives('INVITE')).answers(486);
  await said([line], 'line.unanswered');
  t.deepEqual(await ladder(4), ['→ INVITE', '← 503 Service Unavailable', '→ INVITE', '← 486 Busy Here']);
});

test.serial('captures acknowledged early media, and a cancelled call', async (t) => {
  const { trunk, call, said, ladder } = await startTraced(t);
  const line = call();
  const far = await trunk.receives('INVITE');
  far.answers(183, { sdp, headers: { Require: '100rel', RSeq: '7' } });
  await far.receives('PRACK');
  far.answers(200, { to: 'PRACK' });
  await said([line], 'line.ringing');
  line.tell({ type: 'hangUp' });
  await far.receives('CANCEL');
  far.answers(200, { to: 'CANCEL' });
  far.answers(487, { to: 'INVITE' });
  await said([line], 'line.unanswered');
  t.deepEqual((await ladder(6)).toSorted(), [
    '← 183 Session Progress',
    '← 200 OK',
    '← 487 Request Terminated',
    '→ CANCEL',
    '→ INVITE',
    '→ PRACK',
  ]);
});

test.serial('captures an inbound call from the INVITE to the response to BYE', async (t) => {
  const { trunk, inbound, said, ladder } = await startTraced(t);
  const far = trunk.calls(ownNumber, { sdp });
  await far.receives(200);
  far.sends('ACK');
  await said(inbound, 'line.answered');
  far.sends('BYE');
  await far.receives(200);
  await said(inbound, 'line.ended');
  t.deepEqual(await ladder(5), ['← INVITE', '→ 200 OK', '← ACK', '← BYE', '→ 200 OK']);
});

test.serial('captures an inbound call cancelled during the admission', async (t) => {
  const { promise, resolve } = Promise.withResolvers<{ accepted: false; because: 'caller_rejected' }>();
  const { trunk, arrivals, until: untilHolds, ladder } = await startTraced(t, { decide: () => promise });
  const far = trunk.calls(ownNumber, { sdp });
  await untilHolds(() => arrivals.length === 1);
  far.sends('CANCEL');
  await far.receives(200);
  resolve({ accepted: false, because: 'caller_rejected' });
  t.deepEqual(await ladder(2), ['← INVITE', '← CANCEL']);
});

test.serial('captures the messages of a rejected caller if a call was stored', async (t) => {
  const { trunk, ladder, calls } = await startTraced(t, {
    decide: ({ from }) => ({
      accepted: false,
      because: from.endsWith('1') ? 'unknown_number' : 'caller_rejected',
    }),
  });
  await trunk.calls(ownNumber, { sdp, headers: { From: '<sip:01011111111@127.0.0.1>;tag=a' } }).receives(404);
  await trunk.calls(ownNumber, { sdp, headers: { From: '<sip:01022222222@127.0.0.1>;tag=b' } }).receives(603);
  t.deepEqual(await ladder(2), ['← INVITE', '→ 603 Decline']);
  t.is(calls.size, 1);
});

// Captured message
// Recorded message reports of drachtio-server 0.9.10, and the parsed results.

const response = 'SIP/2.0 200 OK\r\nCall-ID: c\r\n\r\n';
const bye = 'BYE sip:far@192.0.2.1 SIP/2.0\r\nCall-ID: c\r\n\r\n';

const told: Readonly<Record<string, [string, object | null]>> = {
  'a request outside any call': [
    `id|sip|network|30|udp|192.0.2.1|39131|13:46:07.374758|txn||192.0.2.7|5060|\r\n${bye}`,
    { direction: 'in', transport: 'udp', local: '192.0.2.7:5060', remote: '192.0.2.1:39131', text: bye },
  ],
  'a received response': [
    `id|sip|network|30|tls|192.0.2.1|5061|13:46:07.374758|txn|dialog|\r\n${response}`,
    { direction: 'in', transport: 'tls', local: null, remote: '192.0.2.1:5061', text: response },
  ],
  'an ACK without transport': [
    `id|sip|network|30||192.0.2.1|39131|13:46:07.395567|txn|dialog|\r\n${bye}`,
    { direction: 'in', transport: null, remote: '192.0.2.1:39131' },
  ],
  'an IPv6 address': [
    `id|sip|network|30|udp|2001:db8::1|5060|13:46:07.395567|txn|dialog|\r\n${bye}`,
    { remote: '[2001:db8::1]:5060' },
  ],
  'a sent request with its source address': [
    `id|response|cmd|OK|application|30|udp|192.0.2.7|5060|13:46:08.071501|txn|Msg sent:|\r\n${bye}`,
    { direction: 'out', local: '192.0.2.7:5060', remote: null, time: '13:46:08.071501', text: bye },
  ],
  'a sent response with its target address': [
    `id|response|cmd|OK|application|30||192.0.2.1|39131|13:46:08.093023|txn|dialog||Msg sent:|\r\n${response}`,
    { direction: 'out', transport: null, local: null, remote: '192.0.2.1:39131' },
  ],
  'a BYE that drachtio-server sent itself': [
    `id|sip|application|30|udp|192.0.2.7|5060|13:46:08.093023|unsolicited|dialog|\r\n${bye}`,
    { direction: 'out', local: '192.0.2.7:5060', remote: null },
  ],
  'a rejected command': ['id|response|cmd|NOK|Server error: no', null],
  'a rejected command followed by a message': [`id|response|cmd|NOK|no\r\n${bye}`, null],
  'a response about something else': ['id|response|cmd|OK|pong', null],
};

for (const [what, [said, read]] of Object.entries(told))
  test(`reads ${what}`, (t) => {
    if (read === null) t.is(readReportedMessage(said), null);
    else t.like(readReportedMessage(said), read);
  });

const noon = Date.UTC(2026, 10, 22, 12, 0, 1);

const moment = test.macro<[string, number, number]>({
  exec(t, time, nowMs, differenceMicros) {
    t.is(momentOf(time, nowMs) - nowMs * 1_000, differenceMicros);
  },
  title: (about = '') => `reads a time of day as the nearest moment: ${about}`,
});

test('just before', moment, '12:00:00.250003', noon, -749_997);
test('just after', moment, '12:00:01.000004', noon, 4);
test('in another time zone', moment, '21:00:00.250003', noon, -749_997);
test('in a time zone with an odd offset', moment, '17:45:00.250003', noon, -749_997);
test('on the day before', moment, '23:59:59.500000', Date.UTC(2026, 10, 22), -500_000);
test('the current one if it is unreadable', moment, 'noon', noon, 0);

// Masked message
// The parts of a SIP message that are stored, and those that are masked.

const withHeader = (header: string): string =>
  `INVITE sip:a@b SIP/2.0\r\n${header}\r\nCSeq: 1 INVITE\r\n\r\n`;

const header = test.macro<[string, string]>({
  exec(t, given, kept) {
    t.is(maskedMessage(withHeader(given)), withHeader(kept));
  },
  title: (about = '') => `in stored headers, ${about}`,
});

test(
  'masks the response of digest credentials and keeps other parameters',
  header,
  'Authorization: Digest username="gw", realm="carrier", nonce="47eb", uri="sip:a@b", response="5f3c", cnonce="c1", nc=00000001, qop=auth',
  'Authorization: Digest username="gw", realm="carrier", nonce="47eb", uri="sip:a@b", response=***, cnonce="c1", nc=00000001, qop=auth',
);
test(
  'masks the response in a folded header with unusual spelling',
  header,
  'proxy-authorization :Digest username="gw",\r\n\tresponse = "5f3c"',
  'proxy-authorization: Digest username="gw", response=***',
);
test(
  'masks the response of a quotation that never ends',
  header,
  'Authorization: Digest username="gw", response="5f3c',
  'Authorization: Digest username="gw", response=***',
);
test(
  'keeps no parameter of another scheme',
  header,
  'Authorization: Basic Z3c6cGFzcw==',
  'Authorization: Basic ***',
);
test('masks a non-standard parameter by its name', header, 'X-Account-Token: 12345', 'X-Account-Token: ***');
test(
  'keeps a challenge',
  header,
  'WWW-Authenticate: Digest realm="carrier", nonce="47eb"',
  'WWW-Authenticate: Digest realm="carrier", nonce="47eb"',
);
test(
  'masks the password of a URI',
  header,
  'Contact: <sip:gw:hush@192.0.2.1:5060>',
  'Contact: <sip:gw:***@192.0.2.1:5060>',
);
test(
  'masks a withheld caller',
  header,
  'Privacy: id;critical\r\nP-Asserted-Identity: "Kim" <tel:+821012345678>\r\nremote-party-id: <sip:01012345678@h>\r\nFrom: <sip:anonymous@anonymous.invalid>;tag=1',
  'Privacy: id;critical\r\nP-Asserted-Identity: ***\r\nremote-party-id: ***\r\nFrom: <sip:anonymous@anonymous.invalid>;tag=1',
);
test(
  'keeps a caller that is not withheld',
  header,
  'Privacy: none\r\nP-Asserted-Identity: <tel:+821012345678>',
  'Privacy: none\r\nP-Asserted-Identity: <tel:+821012345678>',
);
test(
  'does not take a port for a password',
  header,
  'Route: <sip:192.0.2.1:5060;lr>',
  'Route: <sip:192.0.2.1:5060;lr>',
);

const withBody = (type: string, body: string): string =>
  `INFO sip:a@b SIP/2.0\r\nContent-Type: ${type}\r\nContent-Length: ${body.length}\r\n\r\n${body}`;

const bodyIs = test.macro<[string, string, string]>({
  exec(t, type, given, kept) {
    t.is(kept.length, given.length, 'its length is still what the message says');
    t.is(maskedMessage(withBody(type, given)), withBody(type, kept));
  },
  title: (about = '') => `in stored bodies, ${about}`,
});

test(
  'masks SRTP keys',
  bodyIs,
  'application/sdp',
  'v=0\r\nm=audio 9 RTP/SAVP 0\r\na=crypto:1 AES_CM_128_HMAC_SHA1_80 inline:c2VjcmV0|2^20|1:4 inline:b3RoZXI=\r\na=sendrecv\r\n',
  'v=0\r\nm=audio 9 RTP/SAVP 0\r\na=crypto:1 AES_CM_128_HMAC_SHA1_80 inline:xxxxxxxx|2^20|1:4 inline:xxxxxxxx\r\na=sendrecv\r\n',
);
test(
  'masks other keys of a session description',
  bodyIs,
  'application/sdp',
  'k=clear:hush\r\na=ice-pwd:hush\r\na=key-mgmt:mikey hush\r\n',
  'k=xxxxxxxxxx\r\na=ice-pwd:xxxx\r\na=key-mgmt:xxxxxxxxxx\r\n',
);
test(
  'masks DTMF digits',
  bodyIs,
  'application/dtmf-relay',
  'Signal=5\r\nDuration=160\r\n',
  'Signal=x\r\nDuration=160\r\n',
);
test('masks DTMF digits in a body without other lines', bodyIs, 'application/dtmf', '#', 'x');
test(
  'masks DTMF digits in one part of a body',
  bodyIs,
  'multipart/mixed;boundary=b',
  '--b\r\nContent-Type:\r\n application/dtmf-relay\r\n\r\nSignal=5\r\n--b--\r\n',
  '--b\r\nContent-Type:\r\n application/dtmf-relay\r\n\r\nSignal=x\r\n--b--\r\n',
);
test('keeps a body without secrets unchanged', bodyIs, 'text/plain', '5', '5');

test('masks a message whose headers never end', (t) => {
  t.is(
    maskedMessage('INVITE sip:a@b SIP/2.0\r\nAuthorization: Basic hush'),
    'INVITE sip:a@b SIP/2.0\r\nAuthorization: Basic ***',
  );
});
