import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { randomUUID } from 'node:crypto';
import test, { type ExecutionContext } from 'ava';
import { pino } from 'pino';
import type { Config } from '#config/config.ts';
import type { SipMessage } from '#src/domain/sip-message.ts';
import { keepSipMessages, sipMessagesOf } from '#src/persistence/sip-messages.ts';
import { startSipTraces } from '#src/start/start-sip-traces.ts';
import { createOrderedClock } from '#test/contract/ordered-clock.ts';
import { testDatabase } from '#test/helpers/database.ts';
import { until } from '#test/helpers/until.ts';
import { readHep } from '#test/sip/hep/read-hep.ts';

const message = (atMicros: number): SipMessage => ({
  atMicros,
  direction: 'out',
  transport: 'udp',
  local: '192.0.2.7:5060',
  remote: '198.51.100.9:5060',
  text: 'BYE sip:x SIP/2.0\r\nCall-ID: one\r\n\r\n',
  leftOut: 0,
});

const world = async (t: ExecutionContext, config: Pick<Config, 'sipTraceDays' | 'hep'>) => {
  const database = await testDatabase(t);
  const clock = createOrderedClock();
  const started = new AsyncDisposableStack();
  const logger = pino({ level: 'silent' });
  const { keep, lost } = startSipTraces({ config, database, clock, logger, started });
  return { database, clock, started, keep, lost, callId: randomUUID(), now: clock.now() * 1_000 };
};

test('what is kept is in the database when the gateway has ended', async (t) => {
  const { database, started, keep, lost, callId, now } = await world(t, { sipTraceDays: 7, hep: null });
  t.true(keep?.(callId, message(now)));
  await started.disposeAsync();
  t.deepEqual(await sipMessagesOf(database, callId), [{ callId, ...message(now) }]);
  t.is(lost(), 0);
});

test('with no days nothing is wanted, and what there is is deleted', async (t) => {
  const { database, clock, started, keep, callId, now } = await world(t, { sipTraceDays: 0, hep: null });
  t.is(keep, null);
  await keepSipMessages(database, [{ callId, ...message(now - 1) }]);
  clock.advance(1);
  await until('it is deleted', async () =>
    (await sipMessagesOf(database, callId)).length === 0 ? true : undefined,
  );
  await started.disposeAsync();
});

test('a collector gets them, also where none are kept', async (t) => {
  const socket = createSocket('udp4').bind(0, '127.0.0.1');
  await once(socket, 'listening');
  t.teardown(() => socket.close());
  const hep = { host: '127.0.0.1', port: socket.address().port, captureId: 7, password: 'hush' };
  const { database, started, keep, callId, now } = await world(t, { sipTraceDays: 0, hep });
  const heard = once(socket, 'message');
  t.true(keep?.(callId, message(now)));
  await started.disposeAsync();
  const [packet] = await heard;
  t.like(readHep(packet), {
    captureId: 7,
    password: 'hush',
    correlationId: 'one',
    payload: message(now).text,
  });
  t.deepEqual(await sipMessagesOf(database, callId), []);
});
