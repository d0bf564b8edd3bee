import { createSecretKey } from 'node:crypto';
import test from 'ava';
import {
  createDecryption,
  createEncryption,
  deriveKeys,
  inCounterMode,
  indexOf,
  type Decryption,
} from '#sip/media/rtp/srtp.ts';
import { writeRtpHeader } from '#sip/media/rtp/rtp-packet.ts';

const hex = (text: string): Buffer => Buffer.from(text.replaceAll(/\s/g, ''), 'hex');

/** RFC 3711, appendix B.3. */
const master = hex('E1F97A0D3E018BE0D64FA32C06DE4139 0EC675AD498AFEEBB6960B3AABE6');

test('session keys are those of RFC 3711, appendix B.3', (t) => {
  const { key, salt, authKey } = deriveKeys(master, 'rtp');
  t.is(key.export().toString('hex'), 'c61e7a93744f39ee10734afe3ff7a087');
  t.is(salt.toString('hex'), '30cbbc08863d8c85d49db34a9ae1');
  t.is(authKey.export().toString('hex'), 'cebe321f6ff7716b6fd4ab49af256a156d38baa4');
});

/** The packets by which libsrtp checks itself (test/srtp_driver.c), made with that key. */
const sound = hex('800f1234decafbadcafebabe abababababababababababababababab');
const secretSound = hex('800f1234decafbadcafebabe 4e55dc4ce79978d88ca4d215949d2402 b78d6acc99ea179b8dbb');
const report = hex('81c8000bcafebabe abababababababababababababababab');
const secretReport = hex('81c8000bcafebabe 7128035be487b9bdbef89041f977a5a8 80000001 993e08cd54d6c1230798');

test('the stream that sound is encrypted with is that of RFC 3711, appendix B.2', (t) => {
  const key = createSecretKey(hex('2B7E151628AED2A6ABF7158809CF4F3C'));
  const stream = inCounterMode(key, hex('F0F1F2F3F4F5F6F7F8F9FAFBFCFD0000'), Buffer.alloc(0xff02 * 16));
  const block = (number: number): string => stream.subarray(16 * number, 16 * number + 16).toString('hex');
  t.is(block(0), 'e03ead0935c95e80e166b16dd92b4eb4');
  t.is(block(1), 'd23513162b02d0f72a43a2fe4a5f97ab');
  t.is(block(0xff00), '362b7c3c6773516318a077d7fc5073ae');
  t.is(block(0xff01), '6a2cc3787889374fbeb4c81b17ba6c44');
});

test('a packet of sound is encrypted and decrypted as libsrtp does it', (t) => {
  t.deepEqual(createEncryption(master).rtp(sound), secretSound);
  t.deepEqual(createDecryption(master).rtp(secretSound), sound);
});

test('a report is encrypted and decrypted as libsrtp does it, whose first has the number 1', (t) => {
  const encryption = createEncryption(master);
  encryption.rtcp(report);
  t.deepEqual(encryption.rtcp(report), secretReport);
  t.deepEqual(createDecryption(master).rtcp(secretReport), report);
});

const packet = (sequence: number, ssrc = 7): Buffer => {
  const datagram = Buffer.alloc(32, 5);
  writeRtpHeader(datagram, { payloadType: 0, marker: false, sequence, timestamp: 160 * sequence, ssrc });
  return datagram;
};

const isTaken = (decryption: Decryption, datagram: Buffer): boolean => decryption.rtp(datagram) !== undefined;

test('what was taken is not taken again, nor what lies far behind; what was overtaken is', (t) => {
  const encryption = createEncryption(master);
  const decryption = createDecryption(master);
  const packets = Array.from({ length: 400 }, (_, sequence) => encryption.rtp(packet(sequence)));
  const at = (index: number): Buffer => packets[index] ?? Buffer.alloc(0);
  t.true(isTaken(decryption, at(200)));
  t.false(isTaken(decryption, at(200)));
  t.true(isTaken(decryption, at(190)));
  t.false(isTaken(decryption, at(190)));
  t.true(isTaken(decryption, at(73)));
  t.false(isTaken(decryption, at(72)), 'the window is 128 packets');
  t.true(isTaken(decryption, at(399)));
  t.false(isTaken(decryption, at(201)));
});

test('a changed byte, another key, or a piece of a packet is not authentic, and leaves no trace', (t) => {
  const decryption = createDecryption(master);
  for (let at = 0; at < secretSound.length; at += 1) {
    const changed = Buffer.from(secretSound);
    changed.writeUInt8(changed.readUInt8(at) ^ 0x10, at);
    t.is(decryption.rtp(changed), undefined, `byte ${at}`);
    t.is(decryption.rtp(secretSound.subarray(0, at)), undefined, `${at} bytes`);
  }
  for (let at = 0; at < secretReport.length; at += 1) {
    const changed = Buffer.from(secretReport);
    changed.writeUInt8(changed.readUInt8(at) ^ 0x10, at);
    t.is(decryption.rtcp(changed), undefined, `byte ${at}`);
    t.is(decryption.rtcp(secretReport.subarray(0, at)), undefined, `${at} bytes`);
  }
  t.is(createDecryption(Buffer.alloc(30, 1)).rtp(secretSound), undefined);
  t.deepEqual(decryption.rtp(secretSound), sound);
  t.is(decryption.rtp(secretSound), undefined);
  t.deepEqual(decryption.rtcp(secretReport), report);
  t.is(decryption.rtcp(secretReport), undefined);
});

test('the sequence turns over, also where the packets about the turn were lost or overtaken', (t) => {
  const encryption = createEncryption(master);
  const decryption = createDecryption(master);
  const isSent = (number: number): boolean => number % 10_000 < 3 || Math.abs(number - 5_536) < 3;
  const numbers = Array.from({ length: 140_000 }, (_, number) => number).filter(isSent);
  const sent = numbers.map((number) => ({
    number,
    secret: encryption.rtp(packet((number + 60_000) & 0xffff)),
  }));
  const arriving = (from: number, to: number): Buffer[] =>
    sent.filter(({ number }) => number >= from && number < to).map(({ secret }) => secret);
  t.true(isTaken(decryption, arriving(0, 1)[0] ?? Buffer.alloc(0)));
  // The first behind the turn overtakes the last before it.
  for (const secret of arriving(5_000, 6_000).toReversed()) t.true(isTaken(decryption, secret));
  for (const secret of arriving(10_000, 140_000)) t.true(isTaken(decryption, secret));
});

test('a call whose numbers have turned before it was listened to is understood, by its first source', (t) => {
  const encryption = createEncryption(master);
  const packet = (ssrc: number, sequence: number): Buffer => {
    const bytes = Buffer.from(sound);
    bytes.writeUInt16BE(sequence, 2);
    bytes.writeUInt32BE(ssrc, 8);
    return bytes;
  };
  for (const sequence of [0xfffe, 0x4000, 0x8000, 0xc000, 0xffff, 0x3fff, 0x7fff])
    encryption.rtp(packet(1, sequence));
  const [next, after] = [packet(1, 0x8000), packet(1, 0x8001)];
  const secret = encryption.rtp(next);
  const decryption = createDecryption(master);
  t.deepEqual(decryption.rtp(secret), next);
  t.is(decryption.rtp(secret), undefined);
  t.deepEqual(decryption.rtp(encryption.rtp(after)), after);
  // Whoever comes later is there from the beginning.
  t.is(decryption.rtp(encryption.rtp(packet(2, 0x8002))), undefined);
});

test('indices as section 3.3.1 has them', (t) => {
  t.is(indexOf(5, undefined), 5);
  t.is(indexOf(65_535, 3), -1);
  t.is(indexOf(2, 65_535), 65_538);
  t.is(indexOf(65_534, 65_536), 65_534);
  t.is(indexOf(10, 3 * 65_536 + 5), 3 * 65_536 + 10);
});

test('each source has its own count, and there is an end to how many there are', (t) => {
  const encryption = createEncryption(master);
  const decryption = createDecryption(master);
  for (let source = 1; source <= 32; source += 1)
    t.true(isTaken(decryption, createEncryption(master).rtp(packet(9, source))));
  t.false(isTaken(decryption, encryption.rtp(packet(9, 33))));
  t.true(isTaken(decryption, createEncryption(master).rtp(packet(10, 32))));
});

test('a header with sources and an extension stays in clear', (t) => {
  const long = Buffer.alloc(60, 3);
  writeRtpHeader(long, { payloadType: 8, marker: true, sequence: 1, timestamp: 1, ssrc: 1 });
  long.writeUInt8(0x91, 0);
  long.writeUInt16BE(2, 18);
  const secret = createEncryption(master).rtp(long);
  const clear = 12 + 4 + 4 + 8;
  t.deepEqual(secret.subarray(0, clear), long.subarray(0, clear));
  t.notDeepEqual(secret.subarray(clear, 60), long.subarray(clear));
  t.deepEqual(createDecryption(master).rtp(secret), long);
});
