/** A call whose gateway dies while its other party is handed to a person: it goes on, and the person is hung up. */
import test from 'ava';
import { until } from '#test/helpers/until.ts';
import { comesOver, saw, sdp, startWorld } from './left-calls-world.ts';

for (const media of ['direct', 'freeswitch'] as const) {
  test(`${media}: a person who has answered gets BYE from the next gateway`, async (t) => {
    const world = await startWorld(t, media);
    const call = await world.dialled();
    call.line.tell({ type: 'transfer', to: '01000000011', mode: 'cold' });
    const second = await world.trunk.receives('INVITE');
    second.answers(200, { sdp });
    await second.receives('ACK');
    await until(
      'it is kept',
      () => world.legs.kept().every(({ leg }) => leg.state === 'standing') || undefined,
    );
    t.is(world.legs.kept().length, 2);
    await world.die();
    // Whatever comes first.
    const line = world.adopt(await world.next(), world.legs.kept().toReversed());
    await second.receives('BYE');
    second.answers(200);
    await comesOver(t, line, call, media);
    await until('nothing is kept of it', () => world.legs.kept().length === 1 || undefined);
    t.false(line.isOver());
    line.tell({ type: 'hangUp' });
    await call.far.receives('BYE');
    call.far.answers(200);
    await saw(line, 'line.ended');
    t.deepEqual(line.finish(), []);
  });

  test(`${media}: a person who is rung gets CANCEL from the next gateway`, async (t) => {
    const world = await startWorld(t, media);
    const call = await world.dialled();
    call.line.tell({ type: 'transfer', to: '01000000011', mode: 'cold' });
    const second = await world.trunk.receives('INVITE');
    second.answers(180);
    await until('it is kept', () => world.legs.kept().length === 2 || undefined);
    await world.die();
    const line = world.adopt(await world.next());
    await second.receives('CANCEL');
    second.answers(200, { to: 'CANCEL' });
    second.answers(487, { to: 'INVITE' });
    await comesOver(t, line, call, media);
    t.false(line.isOver());
  });
}
