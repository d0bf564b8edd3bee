import test from 'ava';
import { parseRtp, rtpHeaderBytes, sequenceDistance, writeRtpHeader } from '#sip/media/rtp/rtp-packet.ts';

const head = {
  payloadType: 8,
  marker: true,
  sequence: 65_535,
  timestamp: 4_294_967_295,
  ssrc: 3_000_000_000,
};

const packetOf = (payload: readonly number[]): Buffer => {
  const datagram = Buffer.concat([Buffer.alloc(rtpHeaderBytes), Buffer.from(payload)]);
  writeRtpHeader(datagram, head);
  return datagram;
};

test('a packet is read as it was written', (t) => {
  t.like(parseRtp(packetOf([1, 2, 3])), { ...head, payload: Buffer.from([1, 2, 3]) });
});

test('what other sources, an extension and padding take is no payload', (t) => {
  const datagram = Buffer.concat([
    packetOf([]),
    Buffer.alloc(8, 0xcc),
    Buffer.from([0xbe, 0xde, 0, 1, 9, 9, 9, 9]),
    Buffer.from([1, 2, 0, 2]),
  ]);
  datagram[0] = 0x80 | 0x20 | 0x10 | 2;
  t.deepEqual(parseRtp(datagram)?.payload, Buffer.from([1, 2]));
});

const broken: Record<string, Buffer> = {
  'an empty datagram': Buffer.alloc(0),
  'a header that is cut': packetOf([]).subarray(0, 11),
  'another version': Buffer.concat([Buffer.from([0x40]), packetOf([1]).subarray(1)]),
  'more sources than there are bytes': Buffer.concat([Buffer.from([0x8f]), packetOf([1]).subarray(1)]),
  'an extension that is cut': Buffer.concat([Buffer.from([0x90]), packetOf([1, 2]).subarray(1)]),
  'an extension longer than the datagram': Buffer.concat([
    Buffer.from([0x90]),
    packetOf([0, 0, 255, 255]).subarray(1),
  ]),
  'more padding than payload': Buffer.concat([Buffer.from([0xa0]), packetOf([1, 200]).subarray(1)]),
  'padding of no byte': Buffer.concat([Buffer.from([0xa0]), packetOf([1, 0]).subarray(1)]),
};

for (const [what, datagram] of Object.entries(broken)) {
  test(`${what} is no packet`, (t) => {
    t.is(parseRtp(datagram), undefined);
  });
}

test('sequence numbers are near each other across their end', (t) => {
  t.is(sequenceDistance(65_535, 1), 2);
  t.is(sequenceDistance(1, 65_535), -2);
  t.is(sequenceDistance(7, 7), 0);
});
