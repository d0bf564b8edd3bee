import test from 'ava';
import {
  agreementFrom,
  answering,
  formatsOf,
  offeredFormats,
  writeDescription,
} from '#sip/media/direct/description.ts';
import type { TrunkSrtp } from '#src/domain/trunk.ts';
import { isHold, offerProblem } from '#sip/trunks/media-offer.ts';

const inClear = { srtp: 'off', master: Buffer.alloc(30, 1) } as const;
const own = { address: '192.0.2.7', port: 30_000, sessionId: 5, version: 1 };

const offer = (lines: readonly string[], address = 'IN IP4 198.51.100.2'): string =>
  ['v=0', 'o=- 1 1 IN IP4 198.51.100.2', 's=-', `c=${address}`, 't=0 0', ...lines, ''].join('\r\n');

test('what is offered can be taken by the rules for offers, in the order of the codecs', (t) => {
  const sdp = writeDescription(own, offeredFormats(['PCMA', 'PCMU'], inClear), 'sendrecv');
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
  t.deepEqual(agreementFrom(sdp, inClear), {
    remote: { address: '198.51.100.2', port: 4_000 },
    remoteReports: { address: '198.51.100.2', port: 4_001 },
    codec: 'PCMA',
    payloadType: 96,
    keysPayloadType: 97,
    keys: null,
    isSending: true,
  });
});

test('an answer names what was agreed on and nothing else', (t) => {
  const theirs = offer(['m=audio 4000 RTP/AVP 0 8']);
  const agreement = agreementFrom(theirs, inClear);
  if (agreement === undefined) return t.fail();
  const answer = writeDescription(own, formatsOf(theirs, agreement), 'sendrecv', theirs);
  t.regex(answer, /^m=audio 30000 RTP\/AVP 0\r$/m);
  return t.notRegex(answer, /telephone-event/);
});

test('addresses and ports are those of the audio, where it has its own', (t) => {
  const sdp = offer(['m=audio 4000 RTP/AVP 0', 'c=IN IP6 2001:db8::1', 'a=rtcp:4500 IN IP6 2001:db8::2']);
  t.like(agreementFrom(sdp, inClear), {
    remote: { address: '2001:db8::1', port: 4_000 },
    remoteReports: { address: '2001:db8::2', port: 4_500 },
  });
});

test('without a codec that is known, without audio or without an address nothing is agreed on', (t) => {
  t.is(agreementFrom(offer(['m=audio 4000 RTP/AVP 9 18']), inClear), undefined);
  t.is(agreementFrom(offer(['m=video 4000 RTP/AVP 31']), inClear), undefined);
  t.is(agreementFrom(offer(['m=audio 4000 RTP/AVP 0'], 'IN ATM x'), inClear), undefined);
});

test('a name or a port that no packet can be sent to is no address of sound', (t) => {
  t.is(agreementFrom(offer(['m=audio 4000 RTP/AVP 0'], 'IN IP4 sound.example'), inClear), undefined);
  t.is(agreementFrom(offer(['m=audio 0 RTP/AVP 0']), inClear), undefined);
  const remote = { address: '198.51.100.2', port: 65_535 };
  t.deepEqual(agreementFrom(offer(['m=audio 65535 RTP/AVP 0']), inClear)?.remoteReports, remote);
  t.deepEqual(
    agreementFrom(offer(['m=audio 65535 RTP/AVP 0', 'a=rtcp:99999']), inClear)?.remoteReports,
    remote,
  );
  t.deepEqual(
    agreementFrom(offer(['m=audio 65535 RTP/AVP 0', 'a=rtcp:9 IN IP4 sound.example']), inClear)
      ?.remoteReports,
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
    t.is(agreementFrom(sdp, inClear)?.isSending, isSending);
  });
}

const key = (tag: number): string =>
  `a=crypto:${tag} AES_CM_128_HMAC_SHA1_80 inline:${Buffer.alloc(30, tag).toString('base64')}`;

/** Our answer to this offer; undefined where there is none. */
const answerTo = (theirs: string, srtp: TrunkSrtp): string | undefined => {
  const agreement = agreementFrom(theirs, { ...inClear, srtp });
  return agreement && writeDescription(own, formatsOf(theirs, agreement), 'sendrecv', theirs);
};

const master = Buffer.alloc(30, 1).toString('base64');

for (const [srtp, protocol, line] of [
  ['off', 'RTP/AVP', null],
  ['optional', 'RTP/AVP', `a=crypto:1 AES_CM_128_HMAC_SHA1_80 inline:${master}`],
  ['required', 'RTP/SAVP', `a=crypto:1 AES_CM_128_HMAC_SHA1_80 inline:${master}`],
] as const)
  test(`with srtp ${srtp} what is offered is ${protocol}, ${line === null ? 'without' : 'with'} a key`, (t) => {
    const sdp = writeDescription(own, offeredFormats(['PCMU'], { ...inClear, srtp }), 'sendrecv');
    t.true(sdp.includes(`m=audio 30000 ${protocol} 0 101\r\n`));
    t.is(/^a=crypto.*$/m.exec(sdp)?.[0] ?? null, line);
    t.is(offerProblem(sdp, ['PCMU'], srtp), undefined);
  });

test('an encrypted offer is answered with our key under its tag, and in its protocol', (t) => {
  for (const srtp of ['optional', 'required'] as const) {
    const theirs = offer([
      'm=audio 4000 RTP/SAVP 0',
      'a=crypto:1 AES_CM_128_HMAC_SHA1_32 inline:x',
      key(3),
      key(4),
    ]);
    t.deepEqual(agreementFrom(theirs, { ...inClear, srtp })?.keys, {
      ours: inClear.master,
      theirs: Buffer.alloc(30, 3),
    });
    const answer = answerTo(theirs, srtp) ?? '';
    t.regex(answer, /^m=audio 30000 RTP\/SAVP 0\r$/m);
    t.true(answer.includes(`a=crypto:3 AES_CM_128_HMAC_SHA1_80 inline:${master}\r\n`));
  }
});

test('where both may do without, a key in RTP/AVP encrypts, and no key is no key', (t) => {
  const both = answerTo(offer(['m=audio 4000 RTP/AVP 0', key(7)]), 'optional') ?? '';
  t.regex(both, /^m=audio 30000 RTP\/AVP 0\r$/m);
  t.regex(both, /^a=crypto:7 /m);
  t.notRegex(answerTo(offer(['m=audio 4000 RTP/AVP 0']), 'optional') ?? '', /a=crypto/);
  t.notRegex(answerTo(offer(['m=audio 4000 RTP/AVP 0', key(7)]), 'off') ?? '', /a=crypto/);
});

test('what needs a key and has none is not agreed on', (t) => {
  for (const srtp of ['off', 'optional', 'required'] as const)
    t.is(answerTo(offer(['m=audio 4000 RTP/SAVP 0']), srtp), undefined);
  t.is(answerTo(offer(['m=audio 4000 RTP/SAVP 0', key(1)]), 'off'), undefined);
  t.is(answerTo(offer(['m=audio 4000 RTP/AVP 0']), 'required'), undefined);
});

test('every other media of an offer is refused in its place', (t) => {
  const media = ['m=video 4000 RTP/AVP 99', 'm=audio 4002 RTP/AVP 0', 'a=sendrecv', 'm=image 4004 udptl t38'];
  const answer = answerTo(offer(media), 'off') ?? '';
  t.deepEqual(
    answer.match(/^m=.*$/gm)?.map((line) => line.trimEnd()),
    ['m=video 0 RTP/AVP 99', 'm=audio 30000 RTP/AVP 0', 'm=image 0 udptl t38'],
  );
});
