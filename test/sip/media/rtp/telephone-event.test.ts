import test from 'ava';
import type { RtpPacket } from '#sip/media/rtp/rtp-packet.ts';
import { createKeyReader, telephoneEventBytes, writeTelephoneEvent } from '#sip/media/rtp/telephone-event.ts';

const eventPacket = (key: string, timestamp: number, isOver = false): RtpPacket => {
  const payload = Buffer.alloc(telephoneEventBytes);
  writeTelephoneEvent(payload, { key, isOver, duration: 160 });
  return { payloadType: 101, marker: false, sequence: 0, timestamp, ssrc: 1, payload };
};

test('a key that is sent in many packets is told once, with its first', (t) => {
  const read = createKeyReader();
  const told = [false, false, true, true, true].map((isOver) => read(eventPacket('7', 1_000, isOver)));
  t.deepEqual(told, ['7', undefined, undefined, undefined, undefined]);
});

test('a key of which the beginning was lost is told by its end', (t) => {
  t.is(createKeyReader()(eventPacket('#', 1_000, true)), '#');
});

test('the same key twice is told twice; what is left of an earlier one is not told again', (t) => {
  const read = createKeyReader();
  const told = [
    eventPacket('1', 4_294_967_000),
    eventPacket('1', 1_200),
    eventPacket('1', 4_294_967_000, true),
    eventPacket('D', 2_400),
  ].map(read);
  t.deepEqual(told, ['1', '1', undefined, 'D']);
});

test('what is no key, or too short for one, tells nothing', (t) => {
  const read = createKeyReader();
  t.is(read({ ...eventPacket('1', 10), payload: Buffer.from([16, 0, 0, 160]) }), undefined);
  t.is(read({ ...eventPacket('1', 20), payload: Buffer.from([1, 0]) }), undefined);
});

test('an event says which key, whether it is over, and how long it lasts at most', (t) => {
  const payload = Buffer.alloc(telephoneEventBytes);
  writeTelephoneEvent(payload, { key: '*', isOver: true, duration: 100_000 });
  t.deepEqual(Array.from(payload), [10, 0x80 | 10, 0xff, 0xff]);
});
