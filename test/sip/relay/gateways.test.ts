/** Whole lines, as a gateway has them, through the relay. */
import test, { type ExecutionContext } from 'ava';
import { pino } from 'pino';
import { relayNumbers } from '#config/line-policy.ts';
import { createRelay } from '#sip/relay/relay.ts';
import { describeSound } from '#test/doubles/session-description.ts';
import { ownNumber, startServers, startSipEdgeOn } from '#test/doubles/sip-edge.ts';
import { createTurnedClock } from '#test/doubles/turned-clock.ts';
import { until } from '#test/helpers/until.ts';

const sdp = describeSound();
const seldom = { everyMs: 3_600_000, answerMs: 3_600_000 };

const startWorld = async (t: ExecutionContext) => {
  const servers = await startServers(t);
  const relay = createRelay({
    listen: { host: '127.0.0.1', port: 0 },
    drachtio: servers.drachtio.control,
    numbers: { ...relayNumbers, probe: seldom },
    clock: createTurnedClock(),
    logger: pino({ level: 'silent' }),
  });
  t.teardown(() => relay.close());
  const control = { ...servers.drachtio.control, port: await relay.start() };
  const throughRelay = { ...servers, drachtio: { ...servers.drachtio, control } };
  return { servers, relay, gateway: () => startSipEdgeOn(t, throughRelay) };
};

test('two gateways call and are called through the relay, each with its own calls', async (t) => {
  const { servers, relay, gateway } = await startWorld(t);
  const gateways = [await gateway(), await gateway()];
  for (const edge of gateways) {
    const line = edge.call();
    const out = await servers.trunk.receives('INVITE');
    out.answers(200, { sdp });
    await out.receives('ACK');
    await edge.said([line], 'line.answered');
    line.tell({ type: 'hangUp' });
    await out.receives('BYE');
    out.answers(200);
    await edge.said([line], 'line.ended');
  }
  for (const edge of gateways) {
    const called = servers.trunk.calls(ownNumber, { sdp });
    await called.receives(200);
    called.sends('ACK');
    await edge.said(edge.inbound, 'line.answered');
    called.sends('BYE');
    await called.receives(200);
    await edge.said(edge.inbound, 'line.ended');
  }
  t.deepEqual(
    gateways.map(({ arrivals }) => arrivals.length),
    [1, 1],
  );
  t.is(relay.sizes().transactions, 0);
});

test('a drachtio-server that is away behind the relay is told of by each gateway', async (t) => {
  const { servers, gateway } = await startWorld(t);
  const edge = await gateway();
  await servers.drachtio.kill();
  await until('it is said', () => {
    edge.clock.advance(250);
    const health = edge.lines.health();
    return (!health.ready && health.detail.endsWith(': drachtio-server is away.')) || undefined;
  });
  t.pass();
});
