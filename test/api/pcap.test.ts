/** Capture files, read by a reader written from the formats' documents, and by tshark where it is installed. */
import { spawnSync } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test from 'ava';
import { pcapOf } from '#src/api/pcap.ts';
import type { SipMessage } from '#src/domain/sip-message.ts';

const message = (change: Partial<SipMessage>): SipMessage => ({
  atMicros: 1_795_000_000_123_456,
  direction: 'out',
  transport: 'udp',
  local: '192.0.2.7:5060',
  remote: '198.51.100.9:5080',
  text: 'OPTIONS sip:x SIP/2.0\r\nCall-ID: one\r\n\r\n',
  leftOut: 0,
  ...change,
});

/** The sum of all 16-bit words of what carries its own checksum is 0xffff. */
const sumOf = (bytes: Buffer): number => {
  let sum = 0;
  for (const [index, byte] of bytes.entries()) sum += index % 2 === 0 ? byte * 256 : byte;
  while (sum > 65_535) sum = (sum % 65_536) + Math.floor(sum / 65_536);
  return sum;
};

const packetsIn = (file: Buffer) => {
  const packets = [];
  for (let at = 24; at < file.length;) {
    const length = file.readUInt32LE(at + 8);
    const frame = file.subarray(at + 16, at + 16 + length);
    const isV6 = frame.readUInt16BE(12) === 0x86dd;
    const ip = frame.subarray(14);
    const [ipLength, from, to] = isV6
      ? [40, ip.subarray(8, 24).toString('hex'), ip.subarray(24, 40).toString('hex')]
      : [20, ip.subarray(12, 16).join('.'), ip.subarray(16, 20).join('.')];
    const udp = ip.subarray(ipLength);
    const addresses = ip.subarray(isV6 ? 8 : 12, ipLength);
    const pseudo = Buffer.concat([addresses, Buffer.from([0, 17]), udp.subarray(4, 6)]);
    packets.push({
      micros: file.readUInt32LE(at) * 1_000_000 + file.readUInt32LE(at + 4),
      from: `${from} ${udp.readUInt16BE(0)}`,
      to: `${to} ${udp.readUInt16BE(2)}`,
      isWhole:
        udp.readUInt16BE(4) === udp.length &&
        (isV6 ? ip.readUInt16BE(4) === udp.length : ip.readUInt16BE(2) === ip.length) &&
        (isV6 || sumOf(ip.subarray(0, 20)) === 0xffff) &&
        sumOf(Buffer.concat([pseudo, udp])) === 0xffff,
      text: udp.subarray(8).toString(),
    });
    at += 16 + length;
  }
  return packets;
};

test('a message over IPv4 is one datagram from where it came to where it went, with its checksums', (t) => {
  const messages = [message({}), message({ direction: 'in', text: 'an odd number of bytes: 옛' })];
  const file = pcapOf(messages);
  t.deepEqual([file.readUInt32LE(0), file.readUInt16LE(4), file.readUInt16LE(6)], [0xa1b2c3d4, 2, 4]);
  t.is(file.readUInt32LE(20), 1, 'Ethernet');
  const [here, there] = ['192.0.2.7 5060', '198.51.100.9 5080'];
  const shared = { micros: 1_795_000_000_123_456, isWhole: true };
  t.deepEqual(packetsIn(file), [
    { ...shared, from: here, to: there, text: messages[0]?.text ?? '' },
    { ...shared, from: there, to: here, text: messages[1]?.text ?? '' },
  ]);
});

test('a message over IPv6 as well, however its addresses are written', (t) => {
  const [packet] = packetsIn(
    pcapOf([message({ local: '[2001:db8::1:7]:5060', remote: '[::ffff:192.0.2.9]:5080' })]),
  );
  t.like(packet, {
    from: '20010db8000000000000000000010007 5060',
    to: '00000000000000000000ffffc0000209 5080',
    isWhole: true,
  });
});

test('a name is the address of whoever answered in its place, or unknown', (t) => {
  const named = { remote: 'trunk.example:5060' };
  const packets = packetsIn(
    pcapOf([
      message(named),
      message({ direction: 'in' }),
      message({ ...named, text: 'INVITE sip:x SIP/2.0\r\nCall-ID: two\r\n\r\n' }),
      message({ ...named, local: '[2001:db8::1]:5060', text: 'INVITE sip:x SIP/2.0\r\nCall-ID: 3\r\n\r\n' }),
    ]),
  );
  t.deepEqual(
    packets.map(({ to, isWhole }) => [to, isWhole]),
    [
      ['198.51.100.9 5080', true],
      ['192.0.2.7 5060', true],
      ['0.0.0.0 5060', true],
      ['00000000000000000000ffff00000000 5060', true],
    ],
  );
});

const request = message({
  text: 'INVITE sip:x@y SIP/2.0\r\nVia: SIP/2.0/UDP a;branch=z9hG4bK1\r\nFrom: <sip:a>;tag=1\r\nTo: <sip:x>\r\nCall-ID: one\r\nCSeq: 1 INVITE\r\nMax-Forwards: 70\r\nContent-Length: 0\r\n\r\n',
});

const tshark = spawnSync('tshark', ['--version']).error === undefined ? test : test.skip;
tshark('tshark reads it as SIP, and finds nothing wrong with it', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'trunkline-pcap-'));
  t.teardown(() => rm(folder, { recursive: true }));
  const path = join(folder, 'call.pcap');
  const overIpv6 = { local: '[2001:db8::1]:5060', remote: '[2001:db8::2]:5060' };
  await writeFile(path, pcapOf([request, { ...request, ...overIpv6 }]));
  const read = spawnSync(
    'tshark',
    [
      ['-r', path, '-T', 'fields', '-o', 'ip.check_checksum:TRUE', '-o', 'udp.check_checksum:TRUE'],
      ['-e', 'sip.Method', '-e', 'udp.checksum.status', '-e', 'ip.checksum.status', '-e', '_ws.malformed'],
    ].flat(),
    { encoding: 'utf8' },
  );
  t.is(read.stdout, 'INVITE\t1\t1\t\nINVITE\t1\t\t\n', read.stderr);
});
