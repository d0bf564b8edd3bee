import test from 'ava';
import { isSecret, keyIn, withOneKey } from '#sip/trunks/sdes.ts';

const key = 'A'.repeat(40);
const good = `a=crypto:1 AES_CM_128_HMAC_SHA1_80 inline:${key}`;
const other = `a=crypto:2 AES_CM_128_HMAC_SHA1_32 inline:${key}`;

const description = (...media: string[]): string =>
  ['v=0', 'o=far 1 1 IN IP4 127.0.0.1', 's=-', 'c=IN IP4 127.0.0.1', 't=0 0', ...media, ''].join('\r\n');

const audio = 'm=audio 4000 RTP/SAVP 0 8';

const secret: readonly string[] = [
  description(audio, good),
  description(audio, other, good, 'a=sendrecv'),
  description(audio, `${good}|2^31`),
  description('m=video 0 RTP/SAVP 99', audio, good),
  description(audio, good).replaceAll('\r\n', '\n'),
];
for (const sdp of secret)
  test(`encrypted: ${JSON.stringify(sdp.slice(62))}`, (t) => {
    t.true(isSecret(sdp));
  });

const open: readonly [string, string][] = [
  ['nothing', ''],
  ['no key', description(audio)],
  ['a key that stands with the video', description(audio, 'm=video 4002 RTP/SAVP 99', good)],
  ['a key of the whole session', description(good, audio)],
  ['a key for a suite that is not known', description(audio, other)],
  ['a key that is too short', description(audio, good.slice(0, -1))],
  ['several keys in one', description(audio, `${good};inline:${key}`)],
  ['a key with an identifier', description(audio, `${good}|2^31|1:4`)],
  ['a key that encrypts nothing', description(audio, `${good} UNENCRYPTED_SRTP`)],
  ['RTP/AVP', description('m=audio 4000 RTP/AVP 0 8', good)],
  ['WebRTC', description('m=audio 4000 UDP/TLS/RTP/SAVPF 0 8', good)],
  ['a way without', description(audio, good, 'm=audio 4002 RTP/AVP 0 8')],
];
for (const [what, sdp] of open)
  test(`not encrypted: ${what}`, (t) => {
    t.false(isSecret(sdp));
  });

test('one key is left, the first that can be taken', (t) => {
  const later = good.replace('crypto:1', 'crypto:3');
  t.is(withOneKey(description(audio, other, good, later)), description(audio, good));
  t.is(withOneKey(description(audio, other)), description(audio));
  const video = ['m=video 4002 RTP/SAVP 99', later];
  t.is(withOneKey(description(...video, audio, good)), description('m=video 4002 RTP/SAVP 99', audio, good));
  t.is(keyIn(description(...video, audio, other, good)), good.slice('a=crypto:'.length));
  t.is(keyIn(description(...video, audio)), undefined);
});
