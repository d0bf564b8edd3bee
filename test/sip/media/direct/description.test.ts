import test from 'ava';
import {
  agreementFrom,
  answering,
  formatsOf,
  offeredFormats,
  writeDescription,
} from '#sip/media/direct/description.ts';
import { isHold, offerProblem } from '#sip/trunks/media-offer.ts';

const own = { address: '192.0.2.7', port: 30_000, sessionId: 5, version: 1 };

const offer = (lines: readonly string[], address = 'IN IP4 198.51.100.2'): string =>
  ['v=0', 'o=- 1 1 IN IP4 198.51.100.2', 's=-', `c=${address}`, 't=0 0', ...lines, ''].join('\r\n');

test('what is offered can be taken by the rules for offers, in the order of the codecs', (t) => {
  const sdp = writeDescription(own, offeredFormats(['PCMA', 'PCMU']), 'sendrecv');
  t.is(offerProblem(sdp, ['PCMU'], 'off'), undefined);
  t.regex(sdp, /^m=audio 30000 RTP\/AVP 8 0 101\r$/m);
  t.false(isHold(sdp));
});

test('the first codec of an offer that is known is agreed on, with its own numbers', (t) => {
  const sdp = offer([
    'm=audio 4000 RTP/AVP 9 96 0 97',
    'a=rtpmap:96 PCMA/8000',
    'a=rtpmap:97 telephone-event/8000',
  ]);
  t.deepEqual(agreementFrom(sdp), {
    remote: { address: '198.51.100.2', port: 4_000 },
    remoteReports: { address: '198.51.100.2', port: 4_001 },
    codec: 'PCMA',
    payloadType: 96,
    keysPayloadType: 97,
    isSending: true,
  });
});

test('an answer names what was agreed on and nothing else', (t) => {
  const agreement = agreementFrom(offer(['m=audio 4000 RTP/AVP 0 8']));
  if (agreement === undefined) return t.fail();
  const answer = writeDescription(own, formatsOf(agreement), 'sendrecv');
  t.regex(answer, /^m=audio 30000 RTP\/AVP 0\r$/m);
  return t.notRegex(answer, /telephone-event/);
});

test('addresses and ports are those of the audio, where it has its own', (t) => {
  const sdp = offer(['m=audio 4000 RTP/AVP 0', 'c=IN IP6 2001:db8::1', 'a=rtcp:4500 IN IP6 2001:db8::2']);
  t.like(agreementFrom(sdp), {
    remote: { address: '2001:db8::1', port: 4_000 },
    remoteReports: { address: '2001:db8::2', port: 4_500 },
  });
});

test('without a codec that is known, without audio or without an address nothing is agreed on', (t) => {
  t.is(agreementFrom(offer(['m=audio 4000 RTP/AVP 9 18'])), undefined);
  t.is(agreementFrom(offer(['m=video 4000 RTP/AVP 31'])), undefined);
  t.is(agreementFrom(offer(['m=audio 4000 RTP/AVP 0'], 'IN ATM x')), undefined);
});

test('a name or a port that no packet can be sent to is no address of sound', (t) => {
  t.is(agreementFrom(offer(['m=audio 4000 RTP/AVP 0'], 'IN IP4 sound.example')), undefined);
  t.is(agreementFrom(offer(['m=audio 0 RTP/AVP 0'])), undefined);
  const remote = { address: '198.51.100.2', port: 65_535 };
  t.deepEqual(agreementFrom(offer(['m=audio 65535 RTP/AVP 0']))?.remoteReports, remote);
  t.deepEqual(agreementFrom(offer(['m=audio 65535 RTP/AVP 0', 'a=rtcp:99999']))?.remoteReports, remote);
  t.deepEqual(
    agreementFrom(offer(['m=audio 65535 RTP/AVP 0', 'a=rtcp:9 IN IP4 sound.example']))?.remoteReports,
    remote,
  );
});

for (const [theirs, ours, isSending] of [
  ['sendrecv', 'sendrecv', true],
  ['sendonly', 'recvonly', false],
  ['recvonly', 'sendonly', true],
  ['inactive', 'inactive', false],
] as const) {
  test(`${theirs} is answered ${ours}`, (t) => {
    const sdp = offer(['m=audio 4000 RTP/AVP 0', `a=${theirs}`]);
    t.is(answering(sdp), ours);
    t.is(agreementFrom(sdp)?.isSending, isSending);
  });
}
