/** The contract of what gateways wake each other by, and what NATS adds to it. */
import { randomUUID } from 'node:crypto';
import test, { type ExecutionContext } from 'ava';
import pino from 'pino';
import { openNatsWakeUps } from '#src/cluster/nats-wake-ups.ts';
import { databaseWakeUps, type WakeUps } from '#src/cluster/wake-ups.ts';
import { createOrderedClock } from '#test/contract/ordered-clock.ts';
import { ownDatabase } from '#test/helpers/database.ts';
import { hasNatsServer, startNatsServer } from '#test/helpers/nats-server.ts';
import { until } from '#test/helpers/until.ts';

/** Two gateways. */
type Pair = { waking: WakeUps; woken: WakeUps };

const byDatabase = async (t: ExecutionContext): Promise<Pair> => {
  const wakeUps = databaseWakeUps(await ownDatabase(t));
  return { waking: wakeUps, woken: wakeUps };
};

const silentDatabase = (): WakeUps & { woken: string[] } => {
  const woken: string[] = [];
  return {
    woken,
    listen: async () => async () => {},
    wake: async (channel) => void woken.push(channel),
  };
};

const natsGateway = (t: ExecutionContext, port: number, token?: string) => {
  const logged: string[] = [];
  const database = silentDatabase();
  const clock = createOrderedClock();
  const wakeUps = openNatsWakeUps({
    nats: {
      servers: [`127.0.0.1:${port}`],
      isEncrypted: false,
      credentials: token === undefined ? null : { token },
    },
    numbers: { connectMs: 10_000, retryMs: 100, lookMs: 60_000 },
    node: 'test',
    database,
    clock,
    logger: pino({ base: null }, { write: (line: string) => void logged.push(line) }),
  });
  t.teardown(wakeUps.close);
  const untilLogged = (words: string, times = 1) =>
    until(words, () => logged.filter((line) => line.includes(words)).length >= times || undefined);
  return { wakeUps, database, clock, logged, untilLogged };
};

const natsServer = async (t: ExecutionContext, options?: Parameters<typeof startNatsServer>[0]) => {
  const server = await startNatsServer(options);
  t.teardown(server.stop);
  return server;
};

const byNats = async (t: ExecutionContext): Promise<Pair> => {
  const { port } = await natsServer(t);
  const [waking, woken] = [natsGateway(t, port), natsGateway(t, port)];
  await Promise.all([waking.untilLogged('woken by NATS'), woken.untilLogged('woken by NATS')]);
  return { waking: waking.wakeUps, woken: woken.wakeUps };
};

/** Counts wake-ups of a channel. */
const counting = async (wakeUps: WakeUps, channel: string) => {
  let count = 0;
  const unlisten = await wakeUps.listen(channel, () => (count += 1));
  return {
    unlisten,
    count: () => count,
    /** Wakes until it is heard: a new listener may be known a moment later. */
    heardFrom: async (waking: WakeUps) => {
      const before = count;
      await until('it is woken', async () => {
        await waking.wake(channel);
        return count > before || undefined;
      });
    },
  };
};

const drivers = { 'the database': byDatabase, ...(hasNatsServer ? { NATS: byNats } : {}) };

for (const [name, start] of Object.entries(drivers)) {
  test(`woken by ${name}, everybody who listens to the channel hears it, and nobody else`, async (t) => {
    const { waking, woken } = await start(t);
    const channel = `channel_${randomUUID().replaceAll('-', '')}`;
    const one = await counting(woken, channel);
    const two = await counting(waking, channel);
    const other = await counting(woken, `${channel}_2`);
    await one.heardFrom(waking);
    await two.heardFrom(woken);
    t.is(other.count(), 0);
  });

  test(`woken by ${name}, whoever has stopped listening hears nothing, and the others do`, async (t) => {
    const { waking, woken } = await start(t);
    const [first, second] = [await counting(woken, 'shared'), await counting(woken, 'shared')];
    await first.heardFrom(waking);
    await first.unlisten();
    const before = first.count();
    await second.heardFrom(waking);
    t.is(first.count(), before);
    await second.unlisten();
    const again = await counting(woken, 'shared');
    await again.heardFrom(waking);
  });
}

if (hasNatsServer) {
  test('while NATS is away the database wakes, and everybody looks once when it is back', async (t) => {
    const server = await natsServer(t);
    const gateway = natsGateway(t, server.port);
    const own = await counting(gateway.wakeUps, 'own');
    await gateway.untilLogged('woken by NATS');
    await server.stop();
    await gateway.untilLogged('was lost');
    await gateway.wakeUps.wake('own');
    t.deepEqual(gateway.database.woken, ['own']);
    const before = own.count();
    await natsServer(t, { port: server.port });
    await gateway.untilLogged('is back');
    t.is(own.count(), before + 1);
    await own.heardFrom(gateway.wakeUps);
    t.is(gateway.database.woken.length, 1);
  });

  test('a gateway begins without NATS, and finds it later', async (t) => {
    const server = await natsServer(t);
    await server.stop();
    const gateway = natsGateway(t, server.port);
    const own = await counting(gateway.wakeUps, 'own');
    await gateway.untilLogged('cannot be reached');
    await gateway.wakeUps.wake('own');
    t.deepEqual(gateway.database.woken, ['own']);
    await natsServer(t, { port: server.port });
    await until('it is connected', () => {
      gateway.clock.advance(100);
      return gateway.logged.some((line) => line.includes('woken by NATS')) || undefined;
    });
    t.true(own.count() > 0);
  });

  test('a token lets it in, a wrong one does not, and is in no line of the log', async (t) => {
    const { port } = await natsServer(t, { token: 'right-token' });
    const [right, wrong] = [natsGateway(t, port, 'right-token'), natsGateway(t, port, 'wrong-token')];
    await right.untilLogged('woken by NATS');
    await wrong.untilLogged('cannot be reached');
    t.notRegex([...right.logged, ...wrong.logged].join('\n'), /(right|wrong)-token/);
  });

  test('a gateway that is closed while it connects, or afterwards, leaves nothing behind', async (t) => {
    const { port } = await natsServer(t);
    const early = natsGateway(t, port);
    await early.wakeUps.close();
    const late = natsGateway(t, port);
    await late.untilLogged('woken by NATS');
    await late.wakeUps.close();
    t.is(early.clock.pending(), 0);
    t.is(late.clock.pending(), 0);
  });
} else {
  test.skip('gateways woken by NATS: NOT RUN, nats-server is not installed', (t) => t.pass());
}

test('everybody looks now and then, although nobody was woken', async (t) => {
  const gateway = natsGateway(t, 1);
  const own = await counting(gateway.wakeUps, 'own');
  gateway.clock.advance(180_000);
  t.is(own.count(), 3);
});
