/** A gateway lets go of calls while it lives, through the relay, and takes no more; another one goes on with them. */
import test from 'ava';
import { until } from '#test/helpers/until.ts';
import { headerOf } from '#test/doubles/sip-parser.ts';
import { ownNumber } from '#test/doubles/sip-edge.ts';
import { comesOver, saw, sdp, startWorld } from './left-calls-world.ts';

for (const media of ['direct', 'freeswitch'] as const)
  for (const begun of ['dialled', 'taken'] as const)
    test(`${media}, ${begun}: what the far end asks in between reaches the next gateway, and nothing is heard of the change`, async (t) => {
      const world = await startWorld(t, media);
      const call = await world[begun]();
      t.true(call.line.canBeLeft());
      call.line.leave();
      call.far.sends('INFO', { headers: { 'Content-Type': 'application/dtmf-relay' }, body: 'Signal=3\r\n' });
      const line = world.adopt(await world.next());
      await comesOver(t, line, call, media);
      await call.far.receives(200);
      await saw(line, 'line.digit');
      call.far.sends('BYE');
      await call.far.receives(200);
      await saw(line, 'line.ended');
      t.like(line.all('line.ended')[0], { by: 'counterparty' });
      t.deepEqual([...line.finish(), ...call.line.finish()], []);
      t.deepEqual(call.line.story().slice(-1), ['line.answered']);
    });

test('a call that is not answered cannot be left', async (t) => {
  const world = await startWorld(t);
  const line = world.doomed.call();
  const far = await world.trunk.receives('INVITE');
  t.false(line.canBeLeft());
  far.answers(200, { sdp });
  await far.receives('ACK');
  await saw(line, 'line.answered');
  t.true(line.canBeLeft());
  line.tell({ type: 'hangUp' });
  t.false(line.canBeLeft());
});

test('a gateway that takes no more gets no callers, and keeps its calls', async (t) => {
  const world = await startWorld(t);
  const { far, line } = await world.dialled();
  const next = await world.next();
  await world.doomed.lines.takeNoMore();
  for (let callers = 0; callers < 3; callers += 1) {
    const caller = world.trunk.calls(ownNumber, { sdp });
    await caller.receives(200);
    caller.sends('ACK');
  }
  await until('all are at the next one', () => next.inbound.length === 3 || undefined);
  t.is(world.doomed.arrivals.length, 0);
  far.sends('BYE');
  await far.receives(200);
  await saw(line, 'line.ended');
});

test('where nobody takes more, callers are told to come again', async (t) => {
  const world = await startWorld(t);
  await world.doomed.lines.takeNoMore();
  const caller = world.trunk.calls(ownNumber, { sdp });
  t.is(headerOf(await caller.receives(503), 'Retry-After'), '5');
});
