/** The parts of a SIP message that are kept, and those that are not. */
import test from 'ava';
import { maskedMessage } from '#sip/drachtio/capture/masked-message.ts';

const withHeader = (header: string): string =>
  `INVITE sip:a@b SIP/2.0\r\n${header}\r\nCSeq: 1 INVITE\r\n\r\n`;

const header = test.macro<[string, string]>({
  exec(t, given, kept) {
    t.is(maskedMessage(withHeader(given)), withHeader(kept));
  },
  title: (about = '') => `a header: ${about}`,
});

test(
  'of an answer to a challenge its proof is masked, and nothing that an operator needs',
  header,
  'Authorization: Digest username="gw", realm="carrier", nonce="47eb", uri="sip:a@b", response="5f3c", cnonce="c1", nc=00000001, qop=auth',
  'Authorization: Digest username="gw", realm="carrier", nonce="47eb", uri="sip:a@b", response=***, cnonce="c1", nc=00000001, qop=auth',
);
test(
  'also where the header is written otherwise, over several lines',
  header,
  'proxy-authorization :Digest username="gw",\r\n\tresponse = "5f3c"',
  'proxy-authorization: Digest username="gw", response=***',
);
test(
  'also where its quotation never ends',
  header,
  'Authorization: Digest username="gw", response="5f3c',
  'Authorization: Digest username="gw", response=***',
);
test(
  'of another scheme nothing is kept',
  header,
  'Authorization: Basic Z3c6cGFzcw==',
  'Authorization: Basic ***',
);
test(
  'what a trunk wants beside the standard is masked by its name',
  header,
  'X-Account-Token: 12345',
  'X-Account-Token: ***',
);
test(
  'a challenge is kept',
  header,
  'WWW-Authenticate: Digest realm="carrier", nonce="47eb"',
  'WWW-Authenticate: Digest realm="carrier", nonce="47eb"',
);
test(
  'the password of a URI is masked',
  header,
  'Contact: <sip:gw:hush@192.0.2.1:5060>',
  'Contact: <sip:gw:***@192.0.2.1:5060>',
);
test(
  'who calls is masked where that is withheld',
  header,
  'Privacy: id;critical\r\nP-Asserted-Identity: "Kim" <tel:+821012345678>\r\nremote-party-id: <sip:01012345678@h>\r\nFrom: <sip:anonymous@anonymous.invalid>;tag=1',
  'Privacy: id;critical\r\nP-Asserted-Identity: ***\r\nremote-party-id: ***\r\nFrom: <sip:anonymous@anonymous.invalid>;tag=1',
);
test(
  'and kept where it is not',
  header,
  'Privacy: none\r\nP-Asserted-Identity: <tel:+821012345678>',
  'Privacy: none\r\nP-Asserted-Identity: <tel:+821012345678>',
);
test('a port is no password', header, 'Route: <sip:192.0.2.1:5060;lr>', 'Route: <sip:192.0.2.1:5060;lr>');

const withBody = (type: string, body: string): string =>
  `INFO sip:a@b SIP/2.0\r\nContent-Type: ${type}\r\nContent-Length: ${body.length}\r\n\r\n${body}`;

const bodyIs = test.macro<[string, string, string]>({
  exec(t, type, given, kept) {
    t.is(kept.length, given.length, 'its length is still what the message says');
    t.is(maskedMessage(withBody(type, given)), withBody(type, kept));
  },
  title: (about = '') => `a body: ${about}`,
});

test(
  'keys of SRTP are masked',
  bodyIs,
  'application/sdp',
  'v=0\r\nm=audio 9 RTP/SAVP 0\r\na=crypto:1 AES_CM_128_HMAC_SHA1_80 inline:c2VjcmV0|2^20|1:4 inline:b3RoZXI=\r\na=sendrecv\r\n',
  'v=0\r\nm=audio 9 RTP/SAVP 0\r\na=crypto:1 AES_CM_128_HMAC_SHA1_80 inline:xxxxxxxx|2^20|1:4 inline:xxxxxxxx\r\na=sendrecv\r\n',
);
test(
  'other keys of a session description are masked',
  bodyIs,
  'application/sdp',
  'k=clear:hush\r\na=ice-pwd:hush\r\na=key-mgmt:mikey hush\r\n',
  'k=xxxxxxxxxx\r\na=ice-pwd:xxxx\r\na=key-mgmt:xxxxxxxxxx\r\n',
);
test(
  'keys of the telephone are masked',
  bodyIs,
  'application/dtmf-relay',
  'Signal=5\r\nDuration=160\r\n',
  'Signal=x\r\nDuration=160\r\n',
);
test('also where nothing else stands there', bodyIs, 'application/dtmf', '#', 'x');
test('another body is kept', bodyIs, 'text/plain', '5', '5');

test('a message without an end of its headers is masked all the same', (t) => {
  t.is(
    maskedMessage('INVITE sip:a@b SIP/2.0\r\nAuthorization: Basic hush'),
    'INVITE sip:a@b SIP/2.0\r\nAuthorization: Basic ***',
  );
});
