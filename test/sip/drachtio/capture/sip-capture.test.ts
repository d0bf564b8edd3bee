/** Which messages are of which call, and how many are kept. */
import test from 'ava';
import { createSipCapture, type CaptureLimits } from '#sip/drachtio/capture/sip-capture.ts';
import type { SipMessage } from '#src/domain/sip-message.ts';
import { createOrderedClock } from '#test/contract/ordered-clock.ts';

const limits: CaptureLimits = {
  messages: 4,
  characters: 400,
  unclaimed: 2,
  unclaimedMessages: 3,
  lingerMs: 64_000,
};

const world = (keeps: () => boolean = () => true) => {
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

test('a call has the messages of each INVITE that it claims, those from before as well', (t) => {
  const { sipCapture, lines, sent, came } = world();
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

test('what nobody claims is kept nowhere, and what waits is limited', (t) => {
  const { sipCapture, lines, came } = world();
  for (const callId of ['one', 'two', 'three']) came(invite, callId);
  for (let count = 0; count < 5; count += 1) came('SIP/2.0 100 Trying', 'three');
  came('OPTIONS sip:gateway SIP/2.0', 'four');
  for (const callId of ['one', 'four']) sipCapture.claim(callId, callId);
  t.deepEqual(lines(), [], 'the oldest INVITE gave way, and other requests never waited');
  sipCapture.claim('three', 'three');
  t.is(lines().length, 3);
});

test('the gateway’s own INVITEs to FreeSWITCH are nobody’s, and a caller cannot hide as one', (t) => {
  const { sipCapture, lines, sent, came } = world();
  const header = 'X-Gateway: 7f9c\r\n';
  sent(invite, 'ours', header);
  came(invite, 'theirs', header);
  sipCapture.claim('ours', 'ours');
  sipCapture.claim('theirs', 'theirs');
  t.deepEqual(lines(), [`theirs ${invite}`]);
});

test('each end is known from what was said of it before', (t) => {
  const { sipCapture, kept, sent, came } = world();
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

test('no two messages of a call have the same time, and they stay in the order in which they were told', (t) => {
  const { sipCapture, kept, sent, came } = world();
  came(invite, 'one');
  sipCapture.claim('one', 'call');
  sent(ok, 'one');
  came('ACK sip:gateway SIP/2.0', 'one');
  const times = kept.map(({ atMicros }) => atMicros);
  t.deepEqual(times, [times[0], (times[0] ?? 0) + 1, (times[0] ?? 0) + 2]);
});

test('of a call with too many messages the end is kept, with how many are missing', (t) => {
  const { sipCapture, kept, sent, came } = world();
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

test('what could not be kept is counted by the next message that is', (t) => {
  let keeps = true;
  const { sipCapture, kept, sent, came } = world(() => keeps);
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

test('what is said after the end is heard for a while, and then the call is forgotten', (t) => {
  const { sipCapture, clock, lines, came } = world();
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

test('a message is shortened to whole lines, and holds no NUL', (t) => {
  const { sipCapture, kept, came } = world();
  came(invite, 'one', `X-Long: a\0b\r\nX-Longer: ${'x'.repeat(500)}\r\n`);
  sipCapture.claim('one', 'call');
  t.is(kept[0]?.text, `${invite}\r\nCall-ID: one\r\nX-Long: a\uFFFDb\r\n`);
});
