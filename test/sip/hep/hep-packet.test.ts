import test from 'ava';
import { hepPacket } from '#sip/hep/hep-packet.ts';
import type { SipMessage } from '#src/domain/sip-message.ts';
import { readHep } from './read-hep.ts';

const message: SipMessage = {
  atMicros: 1_795_000_000_123_456,
  direction: 'out',
  transport: 'udp',
  local: '192.0.2.7:5060',
  remote: '198.51.100.9:5080',
  text: 'OPTIONS sip:옛 SIP/2.0\r\nCall-ID: one@gateway\r\n\r\n',
  leftOut: 0,
};

test('a message over IPv4: who, to whom, when, which call, and what', (t) => {
  t.deepEqual(readHep(hepPacket(message, { captureId: 2_001, password: 'hush' })), {
    family: 2,
    protocol: 17,
    from: '192.0.2.7',
    to: '198.51.100.9',
    fromPort: 5_060,
    toPort: 5_080,
    seconds: 1_795_000_000,
    microseconds: 123_456,
    payloadType: 1,
    captureId: 2_001,
    password: 'hush',
    correlationId: 'one@gateway',
    payload: message.text,
  });
});

test('a message that came in over TLS and IPv6, without a password', (t) => {
  const came = { ...message, direction: 'in', transport: 'tls' } as const;
  const addresses = { local: '[2001:db8::7]:5061', remote: '[2001:db8::1:9]:5081' };
  const read = readHep(hepPacket({ ...came, ...addresses }, { captureId: 4_294_967_295, password: null }));
  t.like(read, {
    family: 10,
    protocol: 6,
    from6: '2001:0db8:0000:0000:0000:0000:0001:0009',
    to6: '2001:0db8:0000:0000:0000:0000:0000:0007',
    fromPort: 5_081,
    toPort: 5_061,
    captureId: 4_294_967_295,
  });
  t.false('password' in read);
  t.false('from' in read);
});
