/** Calls by a trunk that has several addresses. */
import test, { type ExecutionContext } from 'ava';
import { createFarEnd } from '#test/doubles/far-end.ts';
import { startSipEdge } from '#test/doubles/sip-edge.ts';
import type { Trunk } from '#src/domain/trunk.ts';
import { directoryOf, someTrunk } from '#test/sip/trunks/some-trunk.ts';
import { sdp, unanswered } from './outgoing-call.ts';

const at = (port: number, priority: number) => ({
  host: '127.0.0.1',
  port,
  priority,
  weight: 10,
  drained: false,
});

/** A trunk of two addresses, and another one behind it. */
const world = async (t: ExecutionContext, changes: Partial<Trunk> = {}) => {
  const trunks = directoryOf([
    someTrunk({ name: 'one', priority: 1, addresses: [at(15_081, 1), at(15_082, 2)], ...changes }),
    someTrunk({ name: 'two', priority: 2, host: '127.0.0.1', port: 15_083 }),
  ]);
  const edge = await startSipEdge(t, { trunk: null, trunks });
  const end = (port: number) => createFarEnd(edge.drachtio, `127.0.0.1:${port}`);
  return { ...edge, first: end(15_081), second: end(15_082), other: end(15_083) };
};

test('when an address fails the call, the next address of the trunk gets it, then the next trunk', async (t) => {
  const { first, second, other, call, said, clock } = await world(t);
  const line = call();
  await first.receives('INVITE');
  clock.advance(4_000);
  (await second.receives('INVITE')).answers(503);
  const farCall = await other.receives('INVITE');
  farCall.answers(200, { sdp });
  await farCall.receives('ACK');
  await t.notThrowsAsync(said([line], 'line.answered'));
});

test('an address that asks to be left alone is, and the others of the trunk are not', async (t) => {
  const edge = await world(t);
  const one = edge.call();
  (await edge.first.receives('INVITE')).answers(503, { headers: { 'Retry-After': '60' } });
  (await edge.second.receives('INVITE')).answers(486);
  await unanswered(edge, one);
  const other = edge.call();
  (await edge.second.receives('INVITE')).answers(486);
  await unanswered(edge, other);
  t.deepEqual([...edge.first.unread(), ...edge.other.unread()], []);
});

test('a channel of the trunk is taken once, however many of its addresses are tried', async (t) => {
  const edge = await world(t, { maxChannels: 1 });
  const line = edge.call();
  (await edge.first.receives('INVITE')).answers(503);
  const farCall = await edge.second.receives('INVITE');
  farCall.answers(200, { sdp });
  await farCall.receives('ACK');
  await edge.said([line], 'line.answered');
  const full = edge.call();
  (await edge.other.receives('INVITE')).answers(486);
  await unanswered(edge, full);
  line.tell({ type: 'hangUp' });
  await farCall.receives('BYE');
  farCall.answers(200);
  await edge.said([line], 'line.ended');
  line.close();
  edge.call();
  await t.notThrowsAsync(edge.first.receives('INVITE'));
});

test('a drained trunk gets no calls, and the call on it goes on', async (t) => {
  const trunk = someTrunk({ host: '127.0.0.1', port: 15_081 });
  const changing = { ...directoryOf([]), all: () => [{ ...trunk, drained: state.drained }] };
  const state = { drained: false };
  const edge = await startSipEdge(t, { trunk: null, trunks: changing });
  const end = createFarEnd(edge.drachtio, '127.0.0.1:15081');
  const line = edge.call();
  const farCall = await end.receives('INVITE');
  farCall.answers(200, { sdp });
  await farCall.receives('ACK');
  await edge.said([line], 'line.answered');
  state.drained = true;
  t.like(await unanswered(edge, edge.call()), {
    cause: 'trunk_error',
    sip: { status: null, reason: 'The trunk "carrier" is drained: it takes no new calls.' },
  });
  line.tell({ type: 'hangUp' });
  await t.notThrowsAsync(farCall.receives('BYE'));
});
