/** A call whose gateway dies goes on at another one, through the relay: same dialog, and its sound comes over by re-INVITE. */
import test from 'ava';
import { describeSound, directionIn } from '#test/doubles/session-description.ts';
import { headerOf } from '#test/doubles/sip-parser.ts';
import { until } from '#test/helpers/until.ts';
import { comesOver, saw, sdp, startWorld } from './left-calls-world.ts';

for (const media of ['direct', 'freeswitch'] as const)
  for (const begun of ['dialled', 'taken'] as const) {
    test(`${media}, ${begun}: the far end's BYE is accepted by the next gateway`, async (t) => {
      const world = await startWorld(t, media);
      const call = await world[begun]();
      await world.die();
      const line = world.adopt(await world.next());
      await comesOver(t, line, call, media);
      call.far.sends('BYE');
      await call.far.receives(200);
      await saw(line, 'line.ended');
      t.like(line.all('line.ended')[0], { by: 'counterparty' });
      t.deepEqual(line.finish(), []);
      t.deepEqual(world.legs.kept(), []);
    });

    test(`${media}, ${begun}: the next gateway hangs up`, async (t) => {
      const world = await startWorld(t, media);
      const call = await world[begun]();
      await world.die();
      const line = world.adopt(await world.next());
      await comesOver(t, line, call, media);
      line.tell({ type: 'hangUp' });
      await call.far.receives('BYE');
      call.far.answers(200);
      await saw(line, 'line.ended');
      t.like(line.all('line.ended')[0], { by: 'gateway' });
      t.deepEqual(line.finish(), []);
    });
  }

test('keys, holds and questions of the far end are answered after it, and what came meanwhile as well', async (t) => {
  const world = await startWorld(t);
  const call = await world.dialled();
  const offered = call.far.last('INVITE').body;
  await world.die();
  call.far.sends('INFO', { headers: { 'Content-Type': 'application/dtmf-relay' }, body: 'Signal=7\r\n' });
  await until('it waits', () => world.relay.sizes().held === 1 || undefined);
  const line = world.adopt(await world.next());
  const again = await call.far.receives('INVITE');
  const origin = (text: string): string[] => /^o=(\S+ \S+) (\d+) /m.exec(text)?.slice(1) ?? [];
  const [session, version] = origin(offered);
  t.deepEqual(origin(again.body), [session, String(Number(version) + 1)]);
  call.far.answers(200, { sdp });
  await call.far.receives('ACK');
  await call.far.receives(200);
  await saw(line, 'line.digit');
  t.like(line.all('line.digit')[0], { digit: '7' });

  call.far.sends('INVITE', { sdp: describeSound({ direction: 'sendonly' }) });
  const held = await call.far.receives(200);
  t.is(directionIn(held.body), 'recvonly');
  t.is(origin(held.body)[0], session);
  call.far.sends('ACK');
  await saw(line, 'line.held');
  call.far.sends('UPDATE', { headers: { 'Session-Expires': '1800' } });
  // It was for us to refresh, and still is.
  t.is(headerOf(await call.far.receives(200), 'Session-Expires'), '1800;refresher=uas');
  call.far.sends('OPTIONS');
  await call.far.receives(200);
  t.deepEqual(line.breaches, []);
});

for (const media of ['direct', 'freeswitch'] as const)
  test(`${media}: who had put the call on hold has it on hold at the next gateway, and takes it back`, async (t) => {
    const world = await startWorld(t, media);
    const { far, line: before } = await world.dialled();
    far.sends('INVITE', { sdp: describeSound({ direction: 'sendonly' }) });
    await far.receives(200);
    far.sends('ACK');
    await saw(before, 'line.held');
    await world.die();
    const line = world.adopt(await world.next());
    if (media === 'direct') {
      await far.receives('INVITE');
      far.answers(200, { sdp: describeSound({ direction: 'sendonly' }) });
      await far.receives('ACK');
    }
    await saw(line, 'line.held');
    far.sends('INVITE', { sdp });
    await far.receives(200);
    far.sends('ACK');
    await saw(line, 'line.resumed');
    t.deepEqual(line.story(), ['line.adopted', 'line.held', 'line.resumed']);
    t.deepEqual(line.breaches, []);
  });

test('a far end that hung up while nobody held its call is answered, and the call has ended', async (t) => {
  const world = await startWorld(t);
  const call = await world.dialled();
  await world.die();
  call.far.sends('BYE');
  await until('it waits', () => world.relay.sizes().held === 1 || undefined);
  const line = world.adopt(await world.next());
  await call.far.receives(200);
  await saw(line, 'line.ended');
  t.like(line.all('line.ended')[0], { by: 'counterparty' });
  t.deepEqual(line.story(), ['line.ended']);
  t.deepEqual(world.legs.kept(), []);
});

test('a far end that does not take the re-INVITE is hung up on', async (t) => {
  const world = await startWorld(t);
  const call = await world.dialled();
  await world.die();
  const line = world.adopt(await world.next());
  await call.far.receives('INVITE');
  call.far.answers(488);
  await call.far.receives('BYE');
  call.far.answers(200);
  await saw(line, 'line.ended');
  t.like(line.all('line.ended')[0], { by: 'gateway' });
});

test('what an older gateway has left, or was never answered, is not adopted', async (t) => {
  const world = await startWorld(t);
  await world.dialled();
  const older = world.legs.kept().map(({ id, leg }) => ({ id, leg: { ...leg, dialog: null } }));
  await world.die();
  const next = await world.next();
  for (const left of [older, []]) {
    const line = world.adopt(next, left);
    await saw(line, 'line.ended');
    t.deepEqual(line.story(), ['line.ended']);
    t.like(line.all('line.ended')[0], { by: 'gateway' });
  }
});

test('a call that is given up while it is being adopted is hung up', async (t) => {
  const world = await startWorld(t);
  const call = await world.dialled();
  await world.die();
  const line = world.adopt(await world.next());
  await call.far.receives('INVITE');
  line.tell({ type: 'hangUp' });
  call.far.answers(200, { sdp });
  await call.far.receives('ACK');
  await call.far.receives('BYE');
  call.far.answers(200);
  await saw(line, 'line.ended');
  t.deepEqual(line.story(), ['line.ended']);
});
