import test from 'ava';
import { redirectionsIn } from '#sip/trunks/redirects.ts';
import type { Trunk } from '#src/domain/trunk.ts';
import { someTrunk } from './some-trunk.ts';

const follow = (contacts: string, changes: Partial<Trunk> = {}) =>
  redirectionsIn(contacts, someTrunk({ redirects: 'any', ...changes }), 'KR');
const uris = (...given: Parameters<typeof follow>) => follow(...given).map(({ uri }) => uri);

test('Contacts are followed by their q, the highest first, and as they stand among equals', (t) => {
  const contacts = [
    '"Kim, \\"A\\" <x>" <sip:01011112222@10.0.0.1;user=phone>;q=0.2',
    '<sip:01011112222@10.0.0.2:5080>;expires=60;q=0.9',
    'sip:01011112222@10.0.0.3;q=0.2',
    '<sip:01011112222@10.0.0.4>',
  ].join(', ');
  t.deepEqual(uris(contacts), [
    'sip:01011112222@10.0.0.4',
    'sip:01011112222@10.0.0.2:5080',
    'sip:01011112222@10.0.0.1',
    'sip:01011112222@10.0.0.3',
  ]);
});

test('a trunk decides whether its calls are sent on, and where', (t) => {
  const contacts = '<sip:01011112222@10.0.0.1>, <sip:01011112222@SIP.example.com:5070>';
  t.deepEqual(uris(contacts, { redirects: 'refused' }), []);
  t.deepEqual(follow(contacts, { redirects: 'same_host' }), [
    { uri: 'sip:01011112222@SIP.example.com:5070', number: '01011112222', key: null, isOwn: true },
  ]);
  t.deepEqual(
    follow(contacts).map(({ isOwn }) => isOwn),
    [false, true],
  );
});

test('all addresses of a trunk are its own hosts', (t) => {
  const addresses = [{ host: '10.0.0.1', port: null, priority: 1, weight: 1, drained: false }];
  const contacts = '<sip:01011112222@10.0.0.1>, <sip:01011112222@10.0.0.2>';
  t.deepEqual(uris(contacts, { redirects: 'same_host', addresses }), ['sip:01011112222@10.0.0.1']);
});

test('the number is one that could be called; how it is written stays', (t) => {
  t.deepEqual(follow('<sip:+821011112222;rn=+8227001;npdi@10.0.0.1>'), [
    {
      uri: 'sip:+821011112222;rn=+8227001;npdi@10.0.0.1',
      number: '01011112222',
      key: null,
      isOwn: false,
    },
  ]);
  for (const user of ['+12025550123', '114', 'kim', '0101111222233', '010%31111', '01011112222:secret'])
    t.deepEqual(uris(`<sip:${user}@10.0.0.1>`), [], user);
});

const meant: readonly [Partial<Trunk>, string, string[]][] = [
  [{ transport: 'tcp' }, 'sip:01011112222@a', ['sip:01011112222@a;transport=tcp']],
  [{ transport: 'udp' }, 'sip:01011112222@a;transport=TCP;lr', ['sip:01011112222@a;transport=tcp']],
  [{ transport: 'tls' }, 'sip:01011112222@a', ['sip:01011112222@a;transport=tls']],
  [{ transport: 'udp' }, 'sips:01011112222@a', ['sip:01011112222@a;transport=tls']],
  [{ transport: 'tls' }, 'sip:01011112222@a;transport=udp', []],
  [{ transport: 'udp' }, 'sip:01011112222@a;transport=sctp', []],
  [{}, 'sip:01011112222@[2001:db8::1]:5060', ['sip:01011112222@[2001:db8::1]:5060']],
  [{}, 'sip:01011112222@a:70000', []],
  [{}, 'sip:01011112222@a?Subject=x', []],
  [{}, 'sip:10.0.0.1:5060', []],
  [{}, 'tel:01011112222', []],
  [{}, 'https://example.com', []],
  [{}, '', []],
];
for (const [changes, uri, expected] of meant)
  test(`with ${JSON.stringify(changes)} a Contact of ${uri || 'nothing'} is ${expected.join() || 'passed over'}`, (t) => {
    t.deepEqual(uris(`<${uri}>`, changes), expected);
  });

test('Contacts beyond the tenth are passed over', (t) => {
  const many = Array.from({ length: 30 }, (_, index) => `<sip:01011112222@10.0.0.${index}>`).join(',');
  t.is(uris(many).length, 10);
});
