import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import test, { type ExecutionContext } from 'ava';
import { pino } from 'pino';
import { createHepCollector } from '#sip/hep/collector.ts';
import type { SipMessage } from '#src/domain/sip-message.ts';
import { createOrderedClock } from '#test/contract/ordered-clock.ts';
import { until } from '#test/helpers/until.ts';
import { readHep } from './read-hep.ts';

const numbers = { gatherMs: 500, limit: 3, lookUpMs: 60_000, closeMs: 1_000 };

const message = (startLine: string, change: Partial<SipMessage> = {}): SipMessage => ({
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

test('messages are gathered for a moment, so that a name has an address', async (t) => {
  const { collector, clock, packets, heard } = await startCollector(t, '127.0.0.1');
  t.teardown(() => collector.close());
  collector.send(message('INVITE sip:x SIP/2.0', { remote: 'trunk.example:5060' }));
  clock.advance(numbers.gatherMs - 1);
  t.is(packets.length, 0);
  collector.send(message('SIP/2.0 100 Trying', { direction: 'in' }));
  clock.advance(1);
  const [invite, trying] = await heard(2);
  t.like(invite, { to: '198.51.100.9', toPort: 5_080, captureId: 7 });
  t.like(trying, { from: '198.51.100.9', to: '192.0.2.7' });
  t.is(collector.lost(), 0);
});

test('a collector is found by its name', async (t) => {
  const { collector, clock, heard } = await startCollector(t, 'localhost');
  t.teardown(() => collector.close());
  collector.send(message('INVITE sip:x SIP/2.0'));
  clock.advance(numbers.gatherMs);
  t.is((await heard(1)).length, 1);
});

test('what is more than may be gathered is lost, and counted', async (t) => {
  const { collector, clock, heard } = await startCollector(t, '127.0.0.1');
  t.teardown(() => collector.close());
  for (let count = 0; count < 5; count += 1) collector.send(message(`INFO sip:${count} SIP/2.0`));
  clock.advance(numbers.gatherMs);
  t.is((await heard(3)).length, 3);
  t.is(collector.lost(), 2);
});

test('closing sends what was gathered', async (t) => {
  const { collector, heard } = await startCollector(t, '127.0.0.1');
  collector.send(message('BYE sip:x SIP/2.0'));
  await collector.close();
  t.is((await heard(1)).length, 1);
});

test('a collector that is not there costs nothing', async (t) => {
  const gone = createSocket('udp4').bind(0, '127.0.0.1');
  await once(gone, 'listening');
  const { port } = gone.address();
  gone.close();
  const { collector, clock } = await startCollector(t, '127.0.0.1', port);
  for (let count = 0; count < 10; count += 1) {
    collector.send(message(`INFO sip:${count} SIP/2.0`));
    clock.advance(numbers.gatherMs);
  }
  await collector.close();
  t.is(clock.pending(), 0);
});
