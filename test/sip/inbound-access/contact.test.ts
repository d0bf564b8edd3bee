import test from 'ava';
import { isAnswerable } from '#sip/inbound-access/contact.ts';

const request = (...contacts: string[]): string =>
  [
    'INVITE sip:07012345678@127.0.0.1 SIP/2.0',
    'Via: SIP/2.0/UDP 203.0.113.9:5060;branch=z9hG4bK1',
    ...contacts,
    'Content-Length: 0',
    '',
    'Contact: <sip:what-stands-in-the-body@is-no-header>',
  ].join('\r\n');

const answered = test.macro<[string]>({
  exec: (t, contact) => t.true(isAnswerable(request(contact))),
  title: (_, contact) => `a request with "${contact}" can be answered`,
});
for (const contact of [
  'Contact: <sip:caller@203.0.113.9:5060>',
  'Contact: <sip:203.0.113.9>',
  'Contact: sip:caller@trunk.example',
  'Contact: sip:caller@trunk.example;transport=tcp',
  'm: <sips:+82212345678@trunk.example:5061;transport=tls>;expires=60',
  'CONTACT : "A. Caller, \\"Sales\\" <x>" <sip:a@[2001:db8::1]:5060>',
  'Contact: Caller <sip:a;phone-context=+82@b.example?x=y>;+sip.instance="<urn:uuid:1,2>";q=1',
  'Contact: "A. Caller"\r\n <sip:caller@203.0.113.9>',
  'Contact: <SIP:%2B82@trunk-1.example>',
  'Subject: nobody named Contact: <tel:1>',
])
  test(answered, contact);

test('a request without any Contact can be answered', (t) => {
  t.true(isAnswerable(request()));
});

const unanswered = test.macro<[string]>({
  exec: (t, contact) => t.false(isAnswerable(request(contact))),
  title: (_, contact) => `a request with ${JSON.stringify(contact)} is not answered`,
});
for (const contact of [
  'Contact: <tel:+821012345678>',
  'Contact: tel:+821012345678',
  'm: <tel:+82>',
  'Contact:<tel:+82>',
  'contact\t: <tel:+82>',
  'Contact: *',
  'Contact:',
  'Contact: <>',
  'Contact: <sip:>',
  'Contact: <sip:@>',
  'Contact: <sip:caller@>',
  'Contact: <sip:caller@:5060>',
  'Contact: <sip:;transport=udp>',
  'Contact: <sip:?x=y>',
  'Contact: <sip:@host>',
  'Contact: <sip:;x@host>',
  'Contact: <urn:uuid:1>',
  'Contact: <mailto:a@b>',
  'Contact: <http://host/>',
  'Contact: <sip:a@b@>',
  'Contact: <sip:a@\u0000host>',
  'Contact: <sip:\u0000@host>',
  'Contact: <sip:a@[]>',
  'Contact: <sip:a@host',
  'Contact: <sip:a@host>, <tel:+82>',
  'Contact: <tel:+82>, <sip:a@host>',
  'Contact: <tel:+82>;x="<sip:a@host>"',
  'Contact: "<sip:a@host>" <tel:+82>',
  'Contact: <tel:+82>\r\nContact: <sip:a@host>',
  'Contact: <sip:a@host>\r\nm: <tel:+82>',
  'Subject: one line\nContact: <tel:+82>',
  'Subject: one line\rContact: <tel:+82>',
  'Contact:\r\n <tel:+82>',
])
  test(unanswered, contact);
