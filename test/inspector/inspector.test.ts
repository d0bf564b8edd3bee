/** The inspector of the charts: its socket, its messages, and what is masked in them. */
import { once } from 'node:events';
import { createServer } from 'node:http';
import { type AddressInfo, type Socket, connect } from 'node:net';
import type { Duplex } from 'node:stream';
import { setImmediate } from 'node:timers/promises';
import { type StatelyInspectionEvent, createWebSocketReceiver } from '@statelyai/inspect';
import test, { type ExecutionContext } from 'ava';
import pino from 'pino';
import { WebSocket } from 'ws';
import { z } from 'zod';
import { inspectorLimits } from '#config/policy.ts';
import { createInspectorSocket } from '#src/inspector/inspector-socket.ts';
import { inspectCall, masked } from '#src/inspector/inspect-call.ts';
import { type FollowOthers, type InspectedCalls, createSessionNames } from '#src/inspector/viewer.ts';
import { type TestGateway, finalStatuses, testGateway } from '#test/helpers/gateway.ts';
import { createCallWorld } from '#test/helpers/call-world.ts';
import { until } from '#test/helpers/until.ts';

// Inspector

const addressOf = ({ credentials }: TestGateway, query: Record<string, string>): string =>
  `${credentials.base_url.replace(/^http/, 'ws')}/inspect?${new URLSearchParams(query).toString()}`;

/** The response status that rejects the connection. */
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

test.serial('shows the actors, events and states of one call without its spoken words', async (t) => {
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
  t.true(
    actors.some(({ name }) => name === 'line-life'),
    'the chart of the line is shown',
  );
  t.true(valuesOf(seen, 'line-life').includes('{"answered":"connected"}'));
  const types = new Set(seen.flatMap((event) => (event.type === '@xstate.event' ? [event.event.type] : [])));
  for (const type of ['line.heard', 'line.played', 'hangup.requested'])
    t.true(types.has(type), `${type} was not seen`);

  const everything = JSON.stringify(seen.map((event) => ({ ...event, definition: undefined })));
  for (const { text } of await gateway.transcript(callId)) t.false(everything.includes(text), text);
  for (const secret of ['weather', '01000000001', number, other])
    t.false(everything.includes(secret), secret);
});

const ringing = '{"ringing":"alerting"}';

test.serial('without a call id, shows all calls of the workspace from their beginning', async (t) => {
  const gateway = await testGateway(t, { GW_INSPECT: '1', GW_SIMULATOR_SPEED: '2' });
  // The call keeps ringing until the end of the test.
  await gateway.admin.patch(gateway.numberPath, { ring_timeout_sec: 180 });
  const seen = watch(addressOf(gateway, { token: gateway.credentials.admin_token }));
  await gateway.call('01000000002');
  await until('the call that is on is seen', () => seen.length > 0 || undefined);
  const small = watch(`${addressOf(gateway, { token: gateway.credentials.admin_token })}&definitions=0`);
  const later = await gateway.call('01000000007');
  await gateway.untilStatus(later, ...finalStatuses);
  const roots = (): number => new Set(seen.map(({ rootId }) => rootId)).size;
  await until('the end is seen', () => valuesOf(seen, 'call').includes('"completed"') || undefined);
  t.is(roots(), 2);
  const definitions = (events: readonly StatelyInspectionEvent[]) =>
    events.some((event) => event.type === '@xstate.actor' && event.definition !== undefined);
  t.deepEqual([definitions(seen), definitions(small)], [true, false]);
  const callIds = small.flatMap((event) => ('callId' in event ? [event.callId] : []));
  t.is(callIds.at(-1), later);
  t.true(valuesOf(seen, 'call').includes(ringing));
  t.true(valuesOf(seen, 'call').indexOf(ringing) < valuesOf(seen, 'call').indexOf('"completed"'));
  t.deepEqual([...new Set(valuesOf(seen, 'call').filter((value) => !value.includes('active')))].sort(), [
    '"completed"',
    ringing,
  ]);
});

test.serial('requires a token and rejects calls of other workspaces', async (t) => {
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

test.serial('serves no inspector by default', async (t) => {
  const gateway = await testGateway(t);
  t.not(await refusal(addressOf(gateway, { token: gateway.credentials.admin_token })), 101);
  t.is((await gateway.client.get('/inspect')).status, 404);
});

// Socket

const limits = { viewers: 4, viewersOfWorkspace: 2, waitingBytes: 1_000, pingMs: 1_000 };

const noCalls: InspectedCalls = { find: () => undefined, all: () => [], onAdded: () => () => {} };

const openInspector = async (
  t: ExecutionContext,
  pingMs = limits.pingMs,
  calls = noCalls,
  waitingBytes = limits.waitingBytes,
  followOthers: FollowOthers = () => () => {},
  onUpgrade: (socket: Duplex) => void = () => {},
) => {
  const inspector = createInspectorSocket({
    calls,
    follow: () => Promise.resolve(),
    followOthers,
    ownerOf: (callId) => Promise.resolve(callId === 'call-of-one' ? 'one' : undefined),
    limits: { ...limits, waitingBytes, pingMs },
    logger: pino({ level: 'silent' }),
  });
  const server = createServer();
  server.on('upgrade', (request, socket, head) => {
    onUpgrade(socket);
    const { searchParams: query } = new URL(request.url ?? '/', 'http://gateway');
    void inspector.accept({
      request,
      socket,
      head,
      query,
      workspaceId: query.get('workspace') ?? '',
      actor: 'admin:a',
      refuse: (status) => void socket.end(`HTTP/1.1 ${status} No\r\n\r\n`),
    });
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  const { port } = server.address() as AddressInfo;
  t.teardown(() => {
    inspector.close();
    server.close();
    server.closeAllConnections();
  });

  /** A browser: it answers pings by itself. The status is that of the response. */
  const look = (workspace: string, call?: string): Promise<number> =>
    new Promise((resolve) => {
      const query = new URLSearchParams({ workspace, ...(call === undefined ? {} : { call }) });
      const viewer = new WebSocket(`ws://127.0.0.1:${port}/inspect?${query.toString()}`);
      t.teardown(() => viewer.terminate());
      viewer.on('open', () => resolve(101));
      viewer.on('error', (error) => resolve(Number(/(\d{3})$/.exec(error.message)?.[1])));
    });
  /** Completes the handshake and never reads afterwards. */
  const stare = async (workspace: string): Promise<Socket> => {
    const socket = connect(port, '127.0.0.1');
    t.teardown(() => socket.destroy());
    socket.on('error', () => {});
    socket.write(
      `GET /inspect?workspace=${workspace} HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n` +
        'Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n',
    );
    await once(socket, 'data');
    return socket.pause();
  };
  return { look, stare, port };
};

test.serial('limits the viewers per workspace and in total', async (t) => {
  const { look } = await openInspector(t, 60_000);
  t.deepEqual([await look('one'), await look('one'), await look('one')], [101, 101, 429]);
  t.deepEqual([await look('two'), await look('two'), await look('three')], [101, 101, 503]);
});

test.serial('disconnects a viewer that stops reading, and keeps active ones', async (t) => {
  const { look, stare } = await openInspector(t);
  await stare('one');
  t.is(await look('one'), 101);
  await until('the place is free', async () => ((await look('one')) === 101 ? true : undefined));
  t.is(await look('one'), 429, 'the two who answer are still there');
});

test.serial('sends many simultaneous calls one after the other to a slow viewer', async (t) => {
  const { actor } = createCallWorld();
  const callIds = Array.from({ length: 400 }, (_, index) => `call-${index}`);
  let asked = 0;
  const { port } = await openInspector(
    t,
    60_000,
    {
      ...noCalls,
      all: () => callIds.map((callId) => ({ callId, workspaceId: 'one' })),
      find() {
        asked += 1;
        return actor;
      },
    },
    inspectorLimits.waitingBytes,
  );
  const viewer = new WebSocket(`ws://127.0.0.1:${port}/inspect?workspace=one`);
  t.teardown(() => viewer.terminate());
  let shown = 0;
  let bytes = 0;
  let closed: number | undefined;
  viewer.on('close', (code) => (closed = code));
  viewer.on('message', (data: Buffer) => {
    bytes += data.length;
    const { type, sessionId, rootId } = z
      .object({ type: z.string(), sessionId: z.string(), rootId: z.string() })
      .parse(JSON.parse(data.toString()));
    if (type === '@xstate.actor' && sessionId === rootId) shown += 1;
  });
  await once(viewer, 'open');
  viewer.pause();
  await until('some calls are introduced', () => asked >= 40 || undefined);
  viewer.resume();
  await until('all calls are shown', () => shown === callIds.length || closed !== undefined || undefined);
  t.is(closed, undefined);
  t.true(bytes > inspectorLimits.waitingBytes, 'more than may wait');
});

/** A viewer of all calls of workspace `one`, and the other gateways of its gateway. */
const viewerOfOthers = async (t: ExecutionContext, query: string) => {
  const connections: ReturnType<Parameters<FollowOthers>[1]>[] = [];
  const followed: unknown[] = [];
  let isStopped = false;
  const { port } = await openInspector(t, 60_000, noCalls, limits.waitingBytes, (wanted, open) => {
    followed.push(wanted);
    connections.push(open(), open());
    return () => (isStopped = true);
  });
  const viewer = new WebSocket(`ws://127.0.0.1:${port}/inspect?workspace=one${query}`);
  t.teardown(() => viewer.terminate());
  const seen: unknown[] = [];
  const closed = once(viewer, 'close').then(([code, reason]) => `${code} ${reason}`);
  viewer.on('message', (data: Buffer) => seen.push(JSON.parse(data.toString())));
  await once(viewer, 'open');
  const [one, two] = connections;
  if (one === undefined || two === undefined) throw new Error('The other gateways are not followed');
  const see = (count: number) => until(`${count} messages`, () => seen.length === count || undefined);
  return { viewer, seen, see, closed, followed, one, two, isStopped: () => isStopped };
};

test.serial('shows the calls of other gateways, and stops those of a gateway that is lost', async (t) => {
  const { viewer, seen, see, followed, one, two, isStopped } = await viewerOfOthers(t, '&definitions=0');
  t.deepEqual(followed, [{ workspaceId: 'one', hasDefinitions: false }]);
  const stopped = { ...actor, type: '@xstate.snapshot', snapshot: { status: 'done' } };
  for (const message of [actor, child, stopped]) one.show(message);
  two.show(actor);
  one.over(false);
  await see(5);
  t.like(seen, [
    { type: '@xstate.actor', rootId: '2/x:1', sessionId: '2/x:1' },
    { type: '@xstate.actor', rootId: '2/x:1', sessionId: '2/x:2', parentId: '2/x:1' },
    { type: '@xstate.snapshot', sessionId: '2/x:1', snapshot: { status: 'done' } },
    { type: '@xstate.actor', rootId: '3/x:1', sessionId: '3/x:1' },
    { type: '@xstate.snapshot', rootId: '2/x:1', sessionId: '2/x:2', snapshot: { status: 'stopped' } },
  ]);
  viewer.close();
  await until('nothing is followed any more', () => isStopped() || undefined);
});

test.serial('marks what a viewer missed that another gateway found too slow', async (t) => {
  const { one, two, seen, see, followed } = await viewerOfOthers(t, '');
  t.like(followed, [{ hasDefinitions: true }]);
  one.show(actor);
  one.over(true);
  two.show(actor);
  await see(4);
  t.like(seen, [
    { type: '@xstate.actor', sessionId: '2/x:1' },
    { type: '@trunkline.skipped', skipped: 1 },
    { type: '@xstate.snapshot', sessionId: '2/x:1', snapshot: { status: 'stopped' } },
    { type: '@xstate.actor', sessionId: '3/x:1' },
  ]);
});

test.serial('skips messages of a slow viewer, then marks them and sends the newest states', async (t) => {
  const { viewer, seen, one } = await viewerOfOthers(t, '');
  const long = 'x'.repeat(20_000);
  const moved = (state: string) => ({
    ...actor,
    type: '@xstate.snapshot',
    snapshot: { status: 'active', value: state },
    long,
  });
  const happened = { ...actor, type: '@xstate.event', long };
  one.show(actor);
  viewer.pause();
  // More than the system buffers for a connection, in turns of the event loop in which the viewer could have read.
  let sent = 0;
  for (let turn = 0; turn < 100; turn += 1) {
    for (let message = 0; message < 20; message += 1)
      one.show((sent += 1) % 2 === 0 ? happened : moved(`${sent}`));
    await setImmediate();
  }
  for (const message of [child, moved('newest'), happened]) one.show(message);
  viewer.resume();
  await until(
    'the newest states are sent',
    () => JSON.stringify(seen.at(-1) ?? '').includes('x:2') || undefined,
  );
  const marks = seen.flatMap((message) => {
    const { type, skipped = 0 } = z
      .object({ type: z.string(), skipped: z.number().optional() })
      .parse(message);
    return type === '@trunkline.skipped' ? [{ message, skipped }] : [];
  });
  t.like(seen.slice(seen.lastIndexOf(marks.at(-1)?.message)), [
    { type: '@trunkline.skipped' },
    { type: '@xstate.snapshot', snapshot: { value: 'newest' } },
    { type: '@xstate.actor', sessionId: '2/x:2' },
  ]);
  const skipped = marks.reduce((sum, mark) => sum + mark.skipped, 0);
  t.is(seen.length - marks.length + skipped, sent + 4, 'each message is sent or counted');
  t.is(viewer.readyState, viewer.OPEN);
});

test.serial('leaves out actors that began and ended while a viewer was slow', async (t) => {
  const { viewer, seen, one } = await viewerOfOthers(t, '');
  const happened = { ...event, long: 'x'.repeat(20_000) };
  viewer.pause();
  for (let turn = 0; turn < 100; turn += 1) {
    for (let message = 0; message < 20; message += 1) one.show(happened);
    await setImmediate();
  }
  const passing = { ...child, sessionId: 'x:3' };
  one.show(child);
  one.show(passing);
  const ended = { ...passing, type: '@xstate.snapshot', snapshot: { status: 'done' } };
  one.show(ended);
  one.show({ ...child, sessionId: 'x:4' });
  viewer.resume();
  const actorsSeen = (): string[] =>
    seen.flatMap((message) => {
      const { type, sessionId } = z.object({ type: z.string(), sessionId: z.string() }).parse(message);
      return type === '@xstate.event' || sessionId === '' ? [] : [`${type} ${sessionId}`];
    });
  await until('the last actor is sent', () => actorsSeen().includes('@xstate.actor 2/x:4') || undefined);
  t.deepEqual(actorsSeen(), ['@xstate.actor 2/x:2', '@xstate.actor 2/x:4']);
});

test.serial('sends the definition of each chart once if the viewer asks for it', async (t) => {
  const { seen, see, followed, one, two } = await viewerOfOthers(t, '&definitions=once');
  t.like(followed, [{ hasDefinitions: true }]);
  one.show({ ...actor, definition: '{"id":"call"}' });
  one.show({ ...child, definition: '{"id":"conversation"}' });
  one.show(event);
  two.show({ ...actor, definition: '{"id":"call"}' });
  await see(4);
  t.deepEqual(seen, [
    { ...actor, rootId: '2/x:1', sessionId: '2/x:1', definition: '{"id":"call"}', definitionNumber: 1 },
    {
      ...child,
      rootId: '2/x:1',
      sessionId: '2/x:2',
      parentId: '2/x:1',
      definition: '{"id":"conversation"}',
      definitionNumber: 2,
    },
    { ...event, rootId: '2/x:1', sessionId: '2/x:2', sourceId: '2/x:1' },
    { ...actor, rootId: '3/x:1', sessionId: '3/x:1', definitionNumber: 1 },
  ]);
});

test.serial('leaves out the snapshot of an event that changes nothing', async (t) => {
  const world = createCallWorld();
  const { actor } = world;
  const snapshots: unknown[] = [];
  const subscription = actor.system.inspect((happened) => {
    if (happened.type === '@xstate.snapshot' && happened.actorRef === actor)
      snapshots.push(happened.snapshot);
  });
  let sent = 0;
  const stop = inspectCall(actor, ({ type, sessionId }) => {
    if (type === '@xstate.snapshot' && sessionId === actor.sessionId) sent += 1;
  });
  world.answer();
  world.hear('Yes, at three.');
  await setImmediate();
  stop();
  subscription.unsubscribe();
  const changes = snapshots.filter((snapshot, index) => snapshot !== snapshots[index - 1]).length;
  t.true(changes > 1 && changes < snapshots.length, `${changes} of ${snapshots.length}`);
  t.is(sent, changes);
});

// Hundreds of calls

/** Calls with their real charts, in the middle of a conversation. */
const talkingCalls = (count: number) =>
  Array.from({ length: count }, (_, index) => {
    const world = createCallWorld();
    world.answer();
    world.replyAndPlay('Hello, this is Riverside.');
    return { callId: `call-${index}`, world };
  });

/** Viewers of these calls: what each has received, and what the gateway still buffers for it. */
const viewersOfMany = async (t: ExecutionContext, query: string, waitingBytes: number) => {
  const all = talkingCalls(300);
  const worlds = new Map(all.map(({ callId, world }) => [callId, world]));
  const sockets: Duplex[] = [];
  const { port } = await openInspector(
    t,
    60_000,
    {
      ...noCalls,
      all: () => all.map(({ callId }) => ({ callId, workspaceId: 'one' })),
      find: (callId) => worlds.get(callId)?.actor,
    },
    waitingBytes,
    undefined,
    (socket) => void sockets.push(socket),
  );
  const open = async () => {
    const viewer = new WebSocket(`ws://127.0.0.1:${port}/inspect?workspace=one${query}`);
    t.teardown(() => viewer.terminate());
    const roots = new Set<string>();
    const counts = { bytes: 0, messages: 0, skipped: 0 };
    viewer.on('message', (data: Buffer) => {
      const { type, rootId } = z
        .object({ type: z.string(), rootId: z.string() })
        .parse(JSON.parse(data.toString()));
      counts.bytes += data.length;
      counts.messages += 1;
      if (type === '@trunkline.skipped') counts.skipped += 1;
      else roots.add(rootId);
    });
    await once(viewer, 'open');
    return { viewer, counts, roots };
  };
  /** Bytes that wait for a viewer, in the order of their connections. */
  const waiting = (viewer: number): number => sockets[viewer]?.writableLength ?? Number.NaN;
  return { all, open, waiting };
};

test.serial('introduces hundreds of calls in at most 5 kB each, and their charts once', async (t) => {
  const { all, open } = await viewersOfMany(t, '&definitions=once', inspectorLimits.waitingBytes);
  const { counts, roots } = await open();
  await until('all calls are shown', () => roots.size === all.length || undefined);
  t.log(counts);
  t.true(counts.bytes < all.length * 5_000, `${counts.bytes} bytes`);
});

test.serial('holds up no viewer of hundreds of calls for one that has stopped reading', async (t) => {
  const limit = 500_000;
  const { all, open, waiting } = await viewersOfMany(t, '&definitions=0', limit);
  const reader = await open();
  const stopped = await open();
  const haveAll = (): boolean => [reader, stopped].every(({ roots }) => roots.size === all.length);
  await until('all calls are shown', () => haveAll() || undefined);
  stopped.viewer.pause();
  let [reached, most] = [Infinity, 0];
  // The system buffers some megabytes, then the gateway up to its limit. As much again would follow.
  while (reader.counts.bytes < reached + 4 * limit)
    for (const [index, { world }] of all.entries()) {
      world.hear('Yes, at three.');
      if (index % 10 !== 0) continue;
      do await setImmediate();
      while (waiting(0) > 0);
      most = Math.max(most, waiting(1));
      if (most > limit) reached = Math.min(reached, reader.counts.bytes);
    }
  t.is(reader.counts.skipped, 0);
  t.is(stopped.viewer.readyState, stopped.viewer.OPEN);
  t.true(most < 2 * limit, `${most} bytes wait`);
});

test.serial('shows a call only to its own workspace, on any gateway', async (t) => {
  const { look } = await openInspector(t, 60_000);
  t.is(await look('one', 'call-of-one'), 101);
  t.is(await look('two', 'call-of-one'), 404);
  t.is(await look('one', 'call-of-nobody'), 404);
});

// Masked

test.serial(
  'masks words, telephone numbers and unknown fields, but not states, names and other numbers',
  (t) => {
    t.deepEqual(
      masked({
        type: 'line.heard',
        at: 17,
        text: 'My card is 1234.',
        from: '01012345678',
        backchannel: false,
        sip: { status: 200, reason: 'OK', callId: 'abc' },
        messages: [{ role: 'user', content: 'Hello.' }],
        token: 'secret',
        failure: null,
      }),
      {
        type: 'line.heard',
        at: 17,
        text: '(16 characters)',
        from: '010•••••678',
        backchannel: false,
        sip: { status: 200, reason: 'OK', callId: 'abc' },
        messages: [{ role: 'user', content: '(6 characters)' }],
        token: '(6 characters)',
        failure: null,
      },
    );
  },
);

test.serial('shows only the name of an error, and omits deeply nested values and functions', (t) => {
  const deep = { a: { b: { c: { d: { e: { f: { g: 1 } } } } } } };
  t.deepEqual(masked({ error: new TypeError('said: Hello.'), tell: () => {}, deep }), {
    error: { name: 'TypeError' },
    tell: undefined,
    deep: { a: { b: { c: { d: { e: { f: undefined } } } } } },
  });
});

// Names of sessions

const actor = { type: '@xstate.actor', rootId: 'x:1', sessionId: 'x:1' };
const child = { type: '@xstate.actor', rootId: 'x:1', sessionId: 'x:2', parentId: 'x:1' };
const event = { type: '@xstate.event', rootId: 'x:1', sessionId: 'x:2', sourceId: 'x:1' };

test.serial('renames actors with the same ID on different gateways, in all messages', (t) => {
  const named = createSessionNames();
  t.deepEqual([actor, child, event].map(named), [actor, child, event]);
  t.deepEqual([actor, child, event].map(named), [
    { ...actor, rootId: '2/x:1', sessionId: '2/x:1' },
    { ...child, rootId: '2/x:1', sessionId: '2/x:2', parentId: '2/x:1' },
    { ...event, rootId: '2/x:1', sessionId: '2/x:2', sourceId: '2/x:1' },
  ]);
  t.is(named(actor).sessionId, '3/x:1');
});

test.serial('adds no source to a message without one', (t) => {
  const named = createSessionNames();
  named(actor);
  named(actor);
  t.is(named({ ...event, sourceId: null }).sourceId, null);
});
