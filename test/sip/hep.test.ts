/** The HEP collector and its packets. */
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import test, { type ExecutionContext } from 'ava';
import pino from 'pino';
import { createHepCollector } from '#sip/hep/collector.ts';
import { hepPacket } from '#sip/hep/hep-packet.ts';
import type { SipMessage } from '#src/domain/sip-message.ts';
import { createOrderedClock } from '#test/contract/ordered-clock.ts';
import { until } from '#test/helpers/until.ts';
import { readHep } from './hep/read-hep.ts';

// Collector

const numbers = { gatherMs: 500, limit: 3, lookUpMs: 60_000, closeMs: 1_000 };

const collectedMessage = (startLine: string, change: Partial<SipMessage> = {}): SipMessage => ({
  atMicros: 1_795_000_000_123_456,
  direction: 'out',
  transport: 'udp',
  local: '192.0.2.7:5060',
  remote: '198.51.100.9:5080',
  text: `${startLine}\r\nCall-ID: one\r\n\r\n`,
  leftOut: 0,
  ...change,
});

const startCollector = async (t: ExecutionContext, host: string, port?: number) => {
  const socket = createSocket('udp4').bind(0, '127.0.0.1');
  await once(socket, 'listening');
  t.teardown(() => socket.close());
  const packets: Record<string, string | number>[] = [];
  socket.on('message', (packet) => packets.push(readHep(packet)));
  const clock = createOrderedClock();
  const collector = createHepCollector(
    { host, port: port ?? socket.address().port, captureId: 7, password: null },
    { ...numbers, clock, logger: pino({ level: 'silent' }) },
  );
  return {
    collector,
    clock,
    packets,
    heard: (count: number) =>
      until(`${count} packets`, async () => (packets.length >= count ? packets : undefined)),
  };
};

test.serial("buffers messages briefly until the collector's name is resolved", async (t) => {
  const { collector, clock, packets, heard } = await startCollector(t, '127.0.0.1');
  t.teardown(() => collector.close());
  collector.send(collectedMessage('INVITE sip:x SIP/2.0', { remote: 'trunk.example:5060' }));
  clock.advance(numbers.gatherMs - 1);
  t.is(packets.length, 0);
  collector.send(collectedMessage('SIP/2.0 100 Trying', { direction: 'in' }));
  clock.advance(1);
  const [invite, trying] = await heard(2);
  t.like(invite, { to: '198.51.100.9', toPort: 5_080, captureId: 7 });
  t.like(trying, { from: '198.51.100.9', to: '192.0.2.7' });
  t.is(collector.lost(), 0);
});

test.serial('resolves the name of a collector', async (t) => {
  const { collector, clock, heard } = await startCollector(t, 'localhost');
  t.teardown(() => collector.close());
  collector.send(collectedMessage('INVITE sip:x SIP/2.0'));
  clock.advance(numbers.gatherMs);
  t.is((await heard(1)).length, 1);
});

test.serial('drops and counts messages beyond the buffer limit', async (t) => {
  const { collector, clock, heard } = await startCollector(t, '127.0.0.1');
  t.teardown(() => collector.close());
  for (let count = 0; count < 5; count += 1) collector.send(collectedMessage(`INFO sip:${count} SIP/2.0`));
  clock.advance(numbers.gatherMs);
  t.is((await heard(3)).length, 3);
  t.is(collector.lost(), 2);
});

test.serial('sends buffered SIP messages to the collector on close', async (t) => {
  const { collector, heard } = await startCollector(t, '127.0.0.1');
  collector.send(collectedMessage('BYE sip:x SIP/2.0'));
  await collector.close();
  t.is((await heard(1)).length, 1);
});

test.serial('an unreachable collector does not affect the gateway', async (t) => {
  const gone = createSocket('udp4').bind(0, '127.0.0.1');
  await once(gone, 'listening');
  const { port } = gone.address();
  gone.close();
  const { collector, clock } = await startCollector(t, '127.0.0.1', port);
  for (let count = 0; count < 10; count += 1) {
    collector.send(collectedMessage(`INFO sip:${count} SIP/2.0`));
    clock.advance(numbers.gatherMs);
  }
  await collector.close();
  t.is(clock.pending(), 0);
});

// HEP packets

const packetMessage: SipMessage = {
  atMicros: 1_795_000_000_123_456,
  direction: 'out',
  transport: 'udp',
  local: '192.0.2.7:5060',
  remote: '198.51.100.9:5080',
  text: 'OPTIONS sip:옛 SIP/2.0\r\nCall-ID: one@gateway\r\n\r\n',
  leftOut: 0,
};

test('writes source, destination, time, call and text of a message over IPv4', (t) => {
  t.deepEqual(readHep(hepPacket(packetMessage, { captureId: 2_001, password: 'hush' })), {
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
    payload: packetMessage.text,
  });
});

test('writes a message received over TLS and IPv6, without a password', (t) => {
  const came = { ...packetMessage, direction: 'in', transport: 'tls' } as const;
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
