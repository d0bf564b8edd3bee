import test from 'ava';

import { patchEndpoint } from '#src/events/endpoints.ts';
import { onlyEnded, openWorld, settled } from './event-world.ts';

test('410 ends the delivery and disables the endpoint until an admin brings it back', async (t) => {
  const { world } = await openWorld(t);
  const { receiver, id } = await world.endpoint(onlyEnded);
  receiver.answer({ status: 410 });
  await world.startWorker({ perEndpoint: 1 });
  await world.call();
  await settled(world, id, 'dead');

  await world.call();
  t.is((await world.deliveries(id)).length, 1, 'a disabled endpoint gets no new deliveries');

  const scope = { endpointId: id, workspaceId: world.workspaceId };
  const endpoint = await patchEndpoint(world.administration, scope, { state: 'active' });
  t.like(endpoint, { state: 'active', disabledReason: null });
  world.clock.advance(1_000);
  await world.call();
  await settled(world, id, 'delivered', 'dead');
  t.is(receiver.received.length, 2);
});

test('what waits for an endpoint that is gone is not sent', async (t) => {
  const { db, world } = await openWorld(t);
  const { receiver, id } = await world.endpoint();
  receiver.answer({ status: 410 });
  await world.call();
  const worker = await world.startWorker({ perEndpoint: 1 });

  await receiver.until(1);
  await worker.close();

  t.is(receiver.received.length, 1);
  t.deepEqual((await world.deliveries(id)).map(({ state }) => state).toSorted(), ['dead', 'pending']);
  const [row] = await db.execute<{ state: string; disabled_reason: string }>(
    'select state, disabled_reason from webhook_endpoint',
  );
  t.deepEqual(row, { state: 'disabled', disabled_reason: 'The endpoint answered 410 Gone' });
});

test('what waits for a paused endpoint is held, and delivered when it is resumed', async (t) => {
  const { world } = await openWorld(t);
  const { receiver, id } = await world.endpoint(onlyEnded);
  const other = await world.endpoint(onlyEnded);
  const scope = { endpointId: id, workspaceId: world.workspaceId };
  await world.call();
  await patchEndpoint(world.administration, scope, { state: 'paused' });
  await world.startWorker();
  await other.receiver.until(1);
  t.is(receiver.received.length, 0);

  await patchEndpoint(world.administration, scope, { state: 'active' });

  await settled(world, id, 'delivered');
  t.is(receiver.received.length, 1);
});

test('what happens while an endpoint is paused is delivered when it is resumed', async (t) => {
  const { world } = await openWorld(t);
  const { id } = await world.endpoint(onlyEnded);
  const scope = { endpointId: id, workspaceId: world.workspaceId };
  await patchEndpoint(world.administration, scope, { state: 'paused' });
  await world.call();
  t.is((await world.deliveries(id)).length, 1);

  await patchEndpoint(world.administration, scope, { state: 'active' });
  await world.startWorker();
  await settled(world, id, 'delivered');
});
