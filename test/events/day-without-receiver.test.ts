/** A customer's receiver that is down for a whole day, by a simulated clock. */
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { ExecutionContext } from 'ava';
import test from 'ava';
import { openWorld } from './event-world.ts';

const hourMs = 3_600_000;

/** Tears connections down until it is up; counts what it takes from then on, by id. */
const fragileReceiver = async (t: ExecutionContext) => {
  const taken = new Map<string, number>();
  let isUp = false;
  let refused = 0;
  const server = createServer((request, response) => {
    if (!isUp) {
      refused += 1;
      request.socket.resetAndDestroy();
      return;
    }
    const id = String(request.headers['webhook-id']);
    taken.set(id, (taken.get(id) ?? 0) + 1);
    request.resume();
    response.writeHead(204).end();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.teardown(() => {
    server.closeAllConnections();
    server.close();
  });
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('The receiver has no port');
  return {
    url: `http://127.0.0.1:${address.port}/events`,
    taken,
    refused: () => refused,
    goUp: () => void (isUp = true),
  };
};

test('what happened while a receiver was down for a day reaches it, each event once', async (t) => {
  const { world } = await openWorld(t);
  const receiver = await fragileReceiver(t);
  const { id } = await world.endpoint({ url: receiver.url });
  // No attempt is under way for so long; that time goes by in leaps is none of its business.
  const tireless = { timeoutMs: 1_000 * hourMs };
  let worker = await world.startWorker(tireless);
  const pass = async (hours: number): Promise<void> => {
    for (let step = 0; step < hours * 6; step += 1) {
      world.clock.advance(hourMs / 6);
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
  };

  for (let hour = 0; hour < 24; hour += 2) {
    await world.call();
    await pass(2);
    if (hour !== 12) continue;
    // A deploy in the midst of it.
    await worker.close();
    worker = await world.startWorker(tireless);
  }
  t.true(receiver.refused() > 0);
  t.deepEqual([...receiver.taken], []);
  receiver.goUp();

  const isDelivered = async () =>
    (await world.deliveries(id)).every(({ state }) => state === 'delivered' || state === 'dead');
  while (!(await isDelivered())) await pass(1);
  const deliveries = await world.deliveries(id);
  t.is(deliveries.length, 24);
  t.true(deliveries.every(({ state }) => state === 'delivered'));
  t.deepEqual([...receiver.taken.keys()].toSorted(), deliveries.map(({ eventId }) => eventId).toSorted());
  t.true([...receiver.taken.values()].every((times) => times === 1));
});
