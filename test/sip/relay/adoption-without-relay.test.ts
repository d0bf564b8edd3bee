/** Without the relay drachtio-server answers by itself what the far end asks of a gateway that died, and tells nobody. */
import test from 'ava';
import { comesOver, saw, startWorld } from './left-calls-world.ts';

for (const media of ['direct', 'freeswitch'] as const)
  test(`${media}: a far end that hangs up on a call that goes on at the next gateway is noticed within 5 s`, async (t) => {
    const world = await startWorld(t, media, 'drachtio');
    const call = await world.dialled();
    await world.die();
    const next = await world.next();
    const line = world.adopt(next);
    await comesOver(t, line, call, media);
    call.far.sends('BYE');
    await call.far.receives(481);
    next.clock.advance(4_999);
    t.false(line.saw('line.ended'));
    next.clock.advance(1);
    await saw(line, 'line.ended');
    t.like(line.all('line.ended')[0], { by: 'counterparty' });
    t.deepEqual(line.finish(), []);
    t.deepEqual(world.legs.kept(), []);
  });
