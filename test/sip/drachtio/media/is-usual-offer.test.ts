import test from 'ava';
import { isUsualOffer } from '#sip/drachtio/media/is-usual-offer.ts';

const offer = (...media: string[]): string =>
  ['v=0', 'o=far 1 1 IN IP4 127.0.0.1', 's=-', 'c=IN IP4 127.0.0.1', 't=0 0', ...media, ''].join('\r\n');

const keys = 'a=rtpmap:101 telephone-event/8000';

for (const usual of [
  offer('m=audio 4000 RTP/AVP 0 8 101', keys),
  offer('m=audio 4000 RTP/AVP 18 8 101 13', keys, 'a=ptime:20', 'a=sendonly'),
  offer('m=audio 4000 RTP/AVP 8 101', 'a=rtpmap:101 TELEPHONE-EVENT/8000').replaceAll('\r\n', '\n'),
])
  test(`usual: ${JSON.stringify(usual.slice(66))}`, (t) => {
    t.true(isUsualOffer(usual));
  });

for (const [why, unusual] of [
  ['no keys', offer('m=audio 4000 RTP/AVP 8')],
  ['keys of another number', offer('m=audio 4000 RTP/AVP 0 96', 'a=rtpmap:96 telephone-event/8000')],
  ['101 is something else', offer('m=audio 4000 RTP/AVP 0 101', 'a=rtpmap:101 opus/48000/2')],
  ['keys that are described, not offered', offer('m=audio 4000 RTP/AVP 0', keys)],
  ['other packets', offer('m=audio 4000 RTP/AVP 0 101', keys, 'a=ptime:30')],
  ['encrypted', offer('m=audio 4000 RTP/SAVP 0 101', keys)],
  ['more than sound', offer('m=audio 4000 RTP/AVP 0 101', keys, 'm=video 4002 RTP/AVP 99')],
] as const)
  test(`not usual: ${why}`, (t) => {
    t.false(isUsualOffer(unusual));
  });
