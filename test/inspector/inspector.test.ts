/** Onlookers of a whole gateway, with the receiver that Stately gives out. */
import { once } from 'node:events';
import test from 'ava';
import { createWebSocketReceiver, type StatelyInspectionEvent } from '@statelyai/inspect';
import { WebSocket } from 'ws';
import { finalStatuses, testGateway, type TestGateway } from '#test/helpers/gateway.ts';
import { until } from '#test/helpers/until.ts';

const addressOf = ({ credentials }: TestGateway, query: Record<string, string>): string =>
  `${credentials.base_url.replace(/^http/, 'ws')}/inspect?${new URLSearchParams(query).toString()}`;

/** The status of the answer that lets nobody in. */
const refusal = async (address: string): Promise<number> => {
  const socket = new WebSocket(address);
  const [error] = await once(socket, 'error').catch((reason: unknown) => [reason]);
  return Number(/(\d{3})$/.exec(String(error))?.[1]);
};

const watch = (address: string): StatelyInspectionEvent[] => {
  const seen: StatelyInspectionEvent[] = [];
  createWebSocketReceiver({ server: address }).subscribe((event) => seen.push(event));
  return seen;
};

const valuesOf = (seen: readonly StatelyInspectionEvent[], name: string): string[] => {
  const sessions = seen.flatMap((event) =>
    event.type === '@xstate.actor' && event.name === name ? [event.sessionId] : [],
  );
  return seen.flatMap((event) =>
    event.type !== '@xstate.event' && sessions.includes(event.sessionId)
      ? [JSON.stringify('value' in event.snapshot ? event.snapshot.value : undefined)]
      : [],
  );
};

test('one call is seen with its actors, its events and its states, and without what was said', async (t) => {
  const gateway = await testGateway(t, { GW_INSPECT: '1' });
  const { admin_token: token, number } = gateway.credentials;
  const callId = await gateway.call('01000000001', 'Ask about the weather');
  const other = await gateway.call('01000000002');
  const seen = watch(addressOf(gateway, { token, call: callId }));
  await gateway.untilStatus(callId, ...finalStatuses);
  await until('the end is seen', () => valuesOf(seen, 'call').includes('"completed"') || undefined);

  const actors = seen.flatMap((event) => (event.type === '@xstate.actor' ? [event] : []));
  const [root] = actors;
  t.is(root?.name, 'call');
  t.deepEqual(
    new Set(seen.map(({ rootId }) => rootId)),
    new Set([root?.sessionId]),
    'one call alone is seen',
  );
  t.true(actors.some(({ name, parentId }) => name === 'conversation' && parentId === root?.sessionId));
  t.true(actors.some(({ name, parentId }) => name === 'line' && parentId === root?.sessionId));
  for (const { name, sessionId } of actors) t.not(name, sessionId, 'an actor without a name');
  t.is(JSON.parse(root?.definition ?? '{}').id, 'call');
  const states = valuesOf(seen, 'call');
  for (const state of ['{"active":{"talking":"conversing"}}', '{"active":{"talking":"hangup-pending"}}'])
    t.true(states.includes(state), `${state} was not seen`);
  t.true(valuesOf(seen, 'conversation').includes('{"replying":"speaking"}'));
  const types = new Set(seen.flatMap((event) => (event.type === '@xstate.event' ? [event.event.type] : [])));
  for (const type of ['line.heard', 'line.played', 'hangup.requested'])
    t.true(types.has(type), `${type} was not seen`);

  const everything = JSON.stringify(seen.map((event) => ({ ...event, definition: undefined })));
  for (const { text } of await gateway.transcript(callId)) t.false(everything.includes(text), text);
  for (const secret of ['weather', '01000000001', number, other])
    t.false(everything.includes(secret), secret);
});

const ringing = '{"ringing":"alerting"}';

test('without the name of a call every call of the workspace is seen, from its beginning', async (t) => {
  const gateway = await testGateway(t, { GW_INSPECT: '1', GW_SIMULATOR_SPEED: '2' });
  // It goes on ringing until the test is over.
  await gateway.admin.patch(gateway.numberPath, { ring_timeout_sec: 180 });
  const seen = watch(addressOf(gateway, { token: gateway.credentials.admin_token }));
  await gateway.call('01000000002');
  await until('the call that is on is seen', () => seen.length > 0 || undefined);
  const later = await gateway.call('01000000007');
  await gateway.untilStatus(later, ...finalStatuses);
  const roots = (): number => new Set(seen.map(({ rootId }) => rootId)).size;
  await until('the end is seen', () => valuesOf(seen, 'call').includes('"completed"') || undefined);
  t.is(roots(), 2);
  t.true(valuesOf(seen, 'call').includes(ringing));
  t.true(valuesOf(seen, 'call').indexOf(ringing) < valuesOf(seen, 'call').indexOf('"completed"'));
  t.deepEqual([...new Set(valuesOf(seen, 'call').filter((value) => !value.includes('active')))].sort(), [
    '"completed"',
    ringing,
  ]);
});

test('nobody looks on without a token, and nobody at the call of somebody else', async (t) => {
  const gateway = await testGateway(t, { GW_INSPECT: '1' });
  const { admin_token: token, number_key } = gateway.credentials;
  const callId = await gateway.call('01000000002');
  t.is(await refusal(addressOf(gateway, {})), 401);
  t.is(await refusal(addressOf(gateway, { token: 'gw_admin_nobody' })), 401);
  t.is(await refusal(addressOf(gateway, { token: number_key })), 401);
  t.is(await refusal(addressOf(gateway, { token, call: crypto.randomUUID() })), 404);
  t.is(await refusal(addressOf(gateway, { token, call: callId }).replace('/inspect', '/elsewhere')), 404);
  t.is((await gateway.client.get('/inspect')).status, 200);
  t.false(gateway.logged.some((line) => line.includes(token)));
});

test('the inspector is off unless it is asked for', async (t) => {
  const gateway = await testGateway(t);
  t.not(await refusal(addressOf(gateway, { token: gateway.credentials.admin_token })), 101);
  t.is((await gateway.client.get('/inspect')).status, 404);
});
