import test from 'ava';
import type { TrunkCodec } from '#src/domain/trunk.ts';
import { answering, isHold, offerProblem, offerWith, withOneVoice } from '#sip/trunks/media-offer.ts';

const offer = (media: string, ...attributes: string[]): string =>
  ['v=0', 'o=far 1 1 IN IP4 127.0.0.1', 's=-', 'c=IN IP4 127.0.0.1', 't=0 0', media, ...attributes, ''].join(
    '\r\n',
  );

const good = offer('m=audio 4000 RTP/AVP 0 8 101', 'a=rtpmap:101 telephone-event/8000');

const taken: readonly string[] = [
  good,
  offer('m=audio 4000 RTP/AVP 9 8'),
  offer('m=audio 4000 RTP/AVPF 96', 'a=rtpmap:96 pcmu/8000'),
  offer('m=audio 4000 RTP/AVP 0', 'm=video 4002 RTP/AVP 99'),
  good.replaceAll('\r\n', '\n'),
];
for (const sdp of taken)
  test(`taken: ${JSON.stringify(sdp.slice(62))}`, (t) => {
    t.is(offerProblem(sdp, ['PCMU', 'PCMA'], 'off'), undefined);
  });

const refused: readonly [string, RegExp][] = [
  ['', /no session description/],
  ['nonsense', /malformed/],
  ['v=0\r\nbroken\r\n', /malformed/],
  [offer('m=video 4000 RTP/AVP 99'), /no audio/],
  [offer('m=audio 0 RTP/AVP 0'), /no audio/],
  [offer('m=audio 99999 RTP/AVP 0'), /malformed/],
  [offer('m=audio x RTP/AVP 0'), /malformed/],
  [good.replace('c=IN IP4 127.0.0.1\r\n', ''), /malformed/],
  [offer('m=audio 4000 RTP/AVP 9 18'), /no common codec \(known here: PCMU, PCMA\)/],
  [offer('m=audio 4000 RTP/AVP 96', 'a=rtpmap:96 PCMU/16000'), /no common codec/],
  [offer('m=audio 4000 RTP/AVP 101', 'a=rtpmap:101 telephone-event/8000'), /no common codec/],
  [offer('m=audio 4000 UDP/TLS/RTP/SAVPF 0'), /SAVPF is not supported/],
];
for (const [sdp, problem] of refused)
  test(`refused, ${problem.source}: ${JSON.stringify(sdp)}`, (t) => {
    t.regex(offerProblem(sdp, ['PCMU', 'PCMA'], 'off') ?? 'taken', problem);
  });

test('a trunk may allow fewer codecs', (t) => {
  t.regex(offerProblem(offer('m=audio 4000 RTP/AVP 0'), ['PCMA'], 'off') ?? '', /known here: PCMA/);
});

test('a trunk that requires SRTP takes nothing else, and another one no SRTP', (t) => {
  const media = 'm=audio 4000 RTP/SAVP 0 8';
  const secret = offer(media, `a=crypto:1 AES_CM_128_HMAC_SHA1_80 inline:${'A'.repeat(40)}`);
  const problem = (sdp: string, srtp: 'off' | 'required') => offerProblem(sdp, ['PCMU'], srtp) ?? 'taken';
  t.is(problem(secret, 'required'), 'taken');
  t.is(problem(secret, 'off'), 'Audio over RTP/SAVP is not supported');
  for (const sdp of [good, offer(media)]) t.regex(problem(sdp, 'required'), /^SRTP is required: /);
  t.regex(problem(secret.replace('0 8', '9'), 'required'), /no common codec/);
  t.regex(problem('', 'required'), /no session description/);
});

test('our own offer holds the codecs of the trunk, in its order, and the keys', (t) => {
  const own = offer(
    'm=audio 4000 RTP/AVP 0 8 101 13',
    'a=rtpmap:0 PCMU/8000',
    'a=rtpmap:8 PCMA/8000',
    'a=rtpmap:101 telephone-event/8000',
    'a=fmtp:101 0-15',
    'a=ptime:20',
  );
  t.is(offerWith(own, { codecs: null }), own);
  t.regex(offerWith(own, { codecs: ['PCMA', 'PCMU'] }), /^m=audio 4000 RTP\/AVP 8 0 101 13\r$/m);
  const one = offerWith(own, { codecs: ['PCMA'] });
  t.regex(one, /^m=audio 4000 RTP\/AVP 8 101 13\r$/m);
  t.notRegex(one, /PCMU/);
  t.regex(one, /a=fmtp:101 0-15\r\na=ptime:20\r\n$/);
});

test('our own offer holds keys at the clock of Opus beside Opus alone', (t) => {
  const own = offer(
    'm=audio 4000 RTP/AVP 102 0 8 101 103',
    'a=rtpmap:102 opus/48000/2',
    'a=rtpmap:101 telephone-event/8000',
    'a=fmtp:101 0-15',
    'a=rtpmap:103 telephone-event/48000',
    'a=fmtp:103 0-15',
  );
  for (const codecs of [null, ['PCMA', 'PCMU'] as const, ['PCMA'] as const]) {
    const narrow = offerWith(own, { codecs: codecs && [...codecs] });
    t.regex(narrow, /^m=audio 4000 RTP\/AVP (?:0 8|8 0|8) 101\r$/m);
    t.notRegex(narrow, /48000|a=fmtp:103/);
  }
  t.regex(offerWith(own, { codecs: ['opus', 'PCMA'] }), /^m=audio 4000 RTP\/AVP 102 8 101 103\r$/m);
});

const offered: readonly [string, TrunkCodec[] | null, string][] = [
  ['0 8 101', null, '0 101'],
  ['8 0 101', null, '8 101'],
  ['9 8 101', null, '8 101'],
  ['8 0 101', ['PCMU', 'PCMA'], '0 101'],
  ['8 9 0 101', ['G722', 'PCMA'], '9 101'],
  ['0 8 101', ['PCMA'], '8 101'],
  ['18 9 8 0 101 13', null, '8 101 13'],
  ['18 101', ['PCMU'], '18 101'],
];
for (const [formats, codecs, left] of offered)
  test(`of an offer of ${formats} a trunk with ${codecs === null ? 'no list' : codecs.join()} sees ${left}`, (t) => {
    const keys = 'a=rtpmap:101 telephone-event/8000';
    const annex = (shown: string): string[] => (shown.startsWith('18') ? ['a=fmtp:18 annexb=no'] : []);
    t.is(
      withOneVoice(offer(`m=audio 4000 RTP/AVP ${formats}`, keys, ...annex(formats)), { codecs }),
      offer(`m=audio 4000 RTP/AVP ${left}`, keys, ...annex(left)),
    );
  });

const media = 'm=audio 4000 RTP/AVP 0';
const holds: readonly [string, string, boolean][] = [
  ['nothing is said', offer(media), false],
  ['sendrecv', offer(media, 'a=sendrecv'), false],
  ['recvonly', offer(media, 'a=recvonly'), false],
  ['sendonly', offer(media, 'a=sendonly'), true],
  ['inactive', offer(media, 'a=inactive'), true],
  ['inactive for the whole session', offer('a=inactive', media), true],
  ['inactive for the whole session but for audio', offer('a=inactive', media, 'a=sendrecv'), false],
  ['inactive for video', offer(media, 'm=video 4002 RTP/AVP 99', 'a=inactive'), false],
  ['to 0.0.0.0', offer(media).replace('127.0.0.1\r\nt=', '0.0.0.0\r\nt='), true],
  ['audio to 0.0.0.0', offer(media, 'c=IN IP4 0.0.0.0'), true],
  ['no audio', offer('m=video 4002 RTP/AVP 99', 'a=inactive'), false],
  ['nonsense', 'nonsense', false],
];
for (const [what, sdp, held] of holds)
  test(`a call is ${held ? '' : 'not '}put on hold by: ${what}`, (t) => {
    t.is(isHold(sdp), held);
  });

test('an answer names no format that was not offered', (t) => {
  const describing = (formats: string, ...attributes: string[]): string =>
    [
      'v=0',
      'o=- 1 1 IN IP4 127.0.0.1',
      's=-',
      'c=IN IP4 127.0.0.1',
      't=0 0',
      `m=audio 4000 RTP/AVP ${formats}`,
    ]
      .concat(attributes, '')
      .join('\r\n');
  const keys = 'a=rtpmap:101 telephone-event/8000';
  const offered = describing('8 0 101', keys);
  const answer = describing('8 101 103', keys, 'a=rtpmap:103 telephone-event/48000', 'a=fmtp:103 0-15');
  t.is(answering(offered, answer), describing('8 101', keys));
  t.is(answering(offered, describing('8 101', keys)), describing('8 101', keys));
  t.is(answering(offered, describing('9')), describing('9'), 'what cannot be is judged elsewhere');
  t.is(answering('', answer), answer);
});
