/** Trunks and their metrics. */
import { randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import test from 'ava';
import { z } from 'zod';
import type { CallRow } from '#src/persistence/calls/calls.ts';
import { findTrunk } from '#src/persistence/trunks/trunks.ts';
import { someSound } from '#test/helpers/some-sound.ts';
import { addWorkspace, fakeGateway, sealing } from './fake-gateway.ts';
import { storeCall } from './stored-calls.ts';

// Trunks

const trunksPath = '/api/v1/admin/trunks';
const withId = z.object({ id: z.string() });
const least = { name: 'carrier', host: 'sip.example.com' };

test.serial('requires name and host of a trunk and has defaults for all other fields', async (t) => {
  const { admin } = await fakeGateway(t);
  const { status, body } = await admin.post(trunksPath, least);
  t.is(status, 201);
  t.like(body, {
    ...least,
    port: null,
    transport: 'udp',
    username: null,
    password_configured: false,
    register: false,
    number_format: 'domestic',
    caller_id: 'from',
    privacy: false,
    codecs: null,
    srtp: 'off',
    media: 'freeswitch',
    priority: 10,
    weight: 10,
    max_channels: null,
    inbound_addresses: [],
    inbound_auth: 'none',
    enabled: true,
    state: 'unused',
    last_seen_at: null,
  });
  t.deepEqual((await admin.get(`${trunksPath}/${withId.parse(body).id}`)).body, body);
  t.deepEqual((await admin.get(trunksPath)).body, { trunks: [body] });
});

test.serial('rejects and names a host that the operator does not permit', async (t) => {
  const { admin } = await fakeGateway(t);
  const host = '169.254.169.254';
  const message = 'This gateway sends no SIP there.';
  const added = await admin.post(trunksPath, { ...least, host });
  t.is(added.status, 400);
  t.deepEqual(added.body.errors, [{ path: 'host', message }]);
  const { id } = withId.parse((await admin.post(trunksPath, least)).body);
  const changed = await admin.patch(`${trunksPath}/${id}`, { addresses: [{ host: 'a.example' }, { host }] });
  t.deepEqual(changed.body.errors, [{ path: 'addresses.1.host', message }]);
});

test.serial(
  'stores a password encrypted, never returns it, and keeps, replaces or removes it on request',
  async (t) => {
    const { admin, database, workspaceId } = await fakeGateway(t);
    const { body } = await admin.post(trunksPath, { ...least, username: 'gw', password: 'hunter-one' });
    const { id } = withId.parse(body);
    const stored = async () =>
      (await findTrunk(database, { trunkId: id, workspaceId }))?.passwordSealed ?? null;
    const opened = async () => sealing.open((await stored()) ?? '', id);
    t.true(body.password_configured);
    t.is(await opened(), 'hunter-one');
    await admin.patch(`${trunksPath}/${id}`, { weight: 1 });
    t.is(await opened(), 'hunter-one');
    const changed = await admin.patch(`${trunksPath}/${id}`, { password: 'hunter-two' });
    t.is(await opened(), 'hunter-two');
    t.notRegex(JSON.stringify(changed.body), /hunter/);
    t.false((await admin.patch(`${trunksPath}/${id}`, { password: null })).body.password_configured);
    t.is(await stored(), null);
    const audit = JSON.stringify((await admin.get('/api/v1/admin/audit')).body);
    t.regex(audit, /trunk\.created/);
    t.regex(audit, /trunk\.changed/);
    t.notRegex(audit, /hunter/);
  },
);

const possible: Record<string, unknown[]> = {
  host: ['10.0.0.1', '2001:db8::1', 'a', 'sip-1.example.com'],
  port: [1, 65_535, null],
  transport: ['udp', 'tcp', 'tls'],
  codecs: [['PCMA'], ['PCMU', 'PCMA'], ['opus', 'G722', 'PCMU'], null],
  srtp: ['required', 'optional', 'off'],
  media: ['auto', 'freeswitch'],
  redirects: ['same_host', 'any'],
  refer: [true, false],
  accept_refer: [true, false],
  prefixes: [['+8210', '+1'], []],
  headers_in: [['X-Ticket', 'x-queue.1_a'], []],
  headers_out: [['X-Ticket'], []],
  drained: [true, false],
  addresses: [[{ host: '10.0.0.1', port: null, priority: 1, weight: 2, drained: true }], []],
  failover_statuses: [['486', '5xx'], []],
  inbound_addresses: [[], ['203.0.113.7', '10.0.0.0/8', '2001:db8::/32', '10.1.1.1/32']],
  from_domain: ['example.org', null],
  max_channels: [1, null],
  calls_per_second: [1, 1_000],
  caller_id: ['from', 'p-asserted-identity', 'p-preferred-identity'],
  username: ['82-10_a.b+c@example.com', null],
};

test.serial('stores all valid settings of a trunk', async (t) => {
  const { admin } = await fakeGateway(t);
  const { id } = withId.parse((await admin.post(trunksPath, least)).body);
  for (const [field, values] of Object.entries(possible))
    for (const value of values) {
      const { status, body } = await admin.patch(`${trunksPath}/${id}`, { [field]: value });
      t.is(status, 200, `${field}: ${JSON.stringify(value)}`);
      t.deepEqual(body[field], value);
    }
});

test.serial('stores the trunks of trunks.example.json unchanged', async (t) => {
  const { admin } = await fakeGateway(t);
  const file = await readFile(new URL('../../config/trunks.example.json', import.meta.url), 'utf8');
  const examples = z.array(z.record(z.string(), z.unknown())).parse(JSON.parse(file));
  t.true(examples.length > 1);
  for (const { password, ...example } of examples) {
    const { status, body } = await admin.post(trunksPath, {
      ...example,
      ...(password === undefined ? {} : { password }),
    });
    t.is(status, 201);
    t.like(body, example);
  }
});

const impossible: [string, unknown][] = [
  ['name', ''],
  ['name', ' carrier'],
  ['name', 'a\u0000b'],
  ['host', ''],
  ['host', 'sip.example.com:5060'],
  ['host', '256.1.1.1'],
  ['host', '10.0.0'],
  ['host', 'a b'],
  ['host', 'sip:example.com'],
  ['host', `${'a'.repeat(64)}.com`],
  ['host', '-a.com'],
  ['host', 'a\r\nVia: x'],
  ['port', 0],
  ['port', 65_536],
  ['port', '5060'],
  ['transport', 'sctp'],
  ['username', ''],
  ['username', 'a"b'],
  ['username', 'a:b'],
  ['username', 'a b'],
  ['username', 'a\r\nb'],
  ['password', ''],
  ['password', 'a\r\nb'],
  ['password', 'é'],
  ['realm', 'a"b'],
  ['from_domain', 'a@b'],
  ['srtp', 'sdes'],
  ['media', 'rtpengine'],
  ['failover_statuses.0', ['200']],
  ['failover_statuses.0', ['4x']],
  ['failover_statuses.1', ['404', '7xx']],
  ['redirects', 'all'],
  ['refer', 'yes'],
  ['accept_refer', null],
  ['prefixes.0', ['8210']],
  ['headers_in.0', ['Authorization']],
  ['headers_out.1', ['X-A', 'Via']],
  ['headers_out.0', ['X-A\r\nVia']],
  ['headers_out.0', ['X-']],
  ['headers_out', ['X-Ticket', 'x-ticket']],
  ['headers_in', Array.from({ length: 21 }, (_, index) => `X-${index}`)],
  ['prefixes.0', ['+0']],
  ['addresses.0.host', [{ host: 'a b' }]],
  ['addresses.0.transport', [{ host: 'a', transport: 'tcp' }]],
  ['addresses', [{ host: 'a' }, { host: 'a', priority: 1 }]],
  ['codecs', []],
  ['codecs.0', ['G729']],
  ['codecs', ['PCMU', 'PCMU']],
  ['priority', -1],
  ['weight', 1.5],
  ['max_channels', 0],
  ['calls_per_second', 1_001],
  ['inbound_addresses.0', ['example.com']],
  ['inbound_addresses.0', ['10.0.0.0/33']],
  ['inbound_addresses.0', ['10.0.0.0/x']],
  ['inbound_addresses.0', ['0.0.0.0/0']],
  ['inbound_addresses.0', ['10.0.0.0/8/8']],
  ['inbound_addresses.1', ['10.0.0.1', '2001:db8::/129']],
  ['inbound_auth', 'handshake'],
  ['state', 'ready'],
  ['password_configured', true],
];

test.serial('rejects an invalid field by name and changes no setting', async (t) => {
  const { admin } = await fakeGateway(t);
  const { id } = withId.parse((await admin.post(trunksPath, { ...least, username: 'gw' })).body);
  const before = (await admin.get(`${trunksPath}/${id}`)).body;
  for (const [field, value] of impossible) {
    const change = { [field.split('.')[0] ?? '']: value };
    for (const answer of [
      await admin.patch(`${trunksPath}/${id}`, { enabled: false, ...change }),
      await admin.post(trunksPath, { ...least, name: 'other', username: 'gw', ...change }),
    ]) {
      t.is(answer.status, 400, `${field}: ${JSON.stringify(value)}`);
      t.like(answer.body, { code: 'invalid_request', errors: [{ path: field }] });
    }
  }
  t.deepEqual((await admin.get(trunksPath)).body, { trunks: [before] });
  t.like((await admin.post(trunksPath, { host: 'a' })).body, { errors: [{ path: 'name' }] });
  t.like((await admin.post(trunksPath, { name: 'a' })).body, { errors: [{ path: 'host' }] });
});

test.serial('rejects contradictory settings and names their fields', async (t) => {
  const { admin } = await fakeGateway(t);
  const refused: [Record<string, unknown>, string][] = [
    [{ register: true }, 'username'],
    [{ password: 'x' }, 'password'],
    [{ inbound_auth: 'digest', username: 'gw' }, 'inbound_auth'],
    [{ media: 'direct', codecs: ['PCMU', 'G722'] }, 'codecs'],
  ];
  for (const [change, field] of refused)
    t.like((await admin.post(trunksPath, { ...least, ...change })).body, { errors: [{ path: field }] });
  const whole = { ...least, register: true, username: 'gw', password: 'x', inbound_auth: 'digest' };
  const { status, body } = await admin.post(trunksPath, whole);
  t.is(status, 201);
  const one = `${trunksPath}/${withId.parse(body).id}`;
  t.is((await admin.patch(one, { username: null })).status, 400);
  t.like((await admin.patch(one, { password: null })).body, { errors: [{ path: 'inbound_auth' }] });
});

test.serial('rejects a second trunk with the same name in a workspace', async (t) => {
  const { admin, database } = await fakeGateway(t);
  await admin.post(trunksPath, least);
  t.like((await admin.post(trunksPath, least)).body, { errors: [{ path: 'name' }] });
  const { id } = withId.parse((await admin.post(trunksPath, { ...least, name: 'hunter-two' })).body);
  t.like((await admin.patch(`${trunksPath}/${id}`, { name: 'carrier' })).body, {
    errors: [{ path: 'name' }],
  });
  const stranger = admin.as((await addWorkspace(database)).adminToken);
  t.is((await stranger.post(trunksPath, least)).status, 201);
});

test.serial('binds a number to a trunk of its workspace until the trunk is removed', async (t) => {
  const { admin, database, number } = await fakeGateway(t);
  const { id } = withId.parse((await admin.post(trunksPath, least)).body);
  const one = `/api/v1/admin/numbers/${number.id}`;
  t.is((await admin.get(one)).body.trunk_id, null);
  t.is((await admin.patch(one, { trunk_id: id })).body.trunk_id, id);
  t.is((await admin.patch(one, { greeting: null })).body.trunk_id, id);
  const stranger = admin.as((await addWorkspace(database)).adminToken);
  const foreign = withId.parse((await stranger.post(trunksPath, least)).body).id;
  t.like((await admin.patch(one, { trunk_id: foreign })).body, { errors: [{ path: 'trunk_id' }] });
  t.is((await admin.delete(`${trunksPath}/${id}`)).status, 204);
  t.is((await admin.get(one)).body.trunk_id, null);
});

test.serial('checks a trunk with a call from a number to itself or to the given number', async (t) => {
  const { admin, number, asked } = await fakeGateway(t);
  const { id } = withId.parse((await admin.post(trunksPath, least)).body);
  const { status, body } = await admin.post(`${trunksPath}/${id}/check`, {});
  t.is(status, 200);
  t.deepEqual(body, {
    steps: [{ step: 'options', result: 'ok', sentence: 'The trunk answers.', ladder: [] }],
  });
  await admin.post(`${trunksPath}/${id}/check`, { to: '010-0000-0001' });
  const { number: from } = number;
  t.deepEqual(asked, [
    ['tryTrunk', { trunkId: id, from, to: from }],
    ['tryTrunk', { trunkId: id, from, to: '01000000001' }],
  ]);
  t.like((await admin.post(`${trunksPath}/${id}/check`, { to: 'x' })).body, { errors: [{ path: 'to' }] });
  t.is((await admin.post(`${trunksPath}/${randomUUID()}/check`, {})).status, 404);
});

test.serial('rejects a check of a trunk that is not in use', async (t) => {
  const { admin } = await fakeGateway(t, { tryTrunk: async () => undefined });
  const { id } = withId.parse((await admin.post(trunksPath, least)).body);
  t.like(await admin.post(`${trunksPath}/${id}/check`, {}), {
    status: 503,
    body: { code: 'service_unavailable' },
  });
});

test.serial('responds with 404 for a trunk of another workspace', async (t) => {
  const { admin, database } = await fakeGateway(t);
  const { id } = withId.parse((await admin.post(trunksPath, least)).body);
  const stranger = admin.as((await addWorkspace(database)).adminToken);
  for (const { status, body } of [
    await stranger.get(`${trunksPath}/${id}`),
    await stranger.patch(`${trunksPath}/${id}`, { enabled: false }),
    await stranger.delete(`${trunksPath}/${id}`),
    await admin.get(`${trunksPath}/${randomUUID()}`),
    await admin.delete(`${trunksPath}/nonsense`),
  ]) {
    t.is(status, 404);
    t.is(body.code, 'not_found');
  }
  t.deepEqual((await stranger.get(trunksPath)).body, { trunks: [] });
});

// Trunk metrics
// ASR, ACD, PDD and MOS of trunks, from stored calls.

const trunkFiguresPath = '/api/v1/admin/trunk-figures?since=2026-11-21T00:00:00Z&until=2026-11-22T00:00:00Z';

const soundOf = (mos: number) => ({ ...someSound, received: { ...someSound.received, mos } });

const unanswered = {
  status: 'no_answer',
  endReason: 'busy',
  answeredAt: null,
  durationSec: 0,
} satisfies Partial<CallRow>;

const withTrunks = async (t: Parameters<typeof fakeGateway>[0]) => {
  const gateway = await fakeGateway(t);
  const add = async (name: string): Promise<string> => {
    const { body } = await gateway.admin.post('/api/v1/admin/trunks', { name, host: 'sip.example.com' });
    return z.object({ id: z.string() }).parse(body).id;
  };
  return { gateway, near: await add('near'), far: await add('far') };
};

test.serial('returns the call metrics of each trunk, or zeros', async (t) => {
  const { gateway, near, far } = await withTrunks(t);
  const over = { trunkId: near, trunkName: 'near' };
  await storeCall(gateway, { ...over, durationSec: 30, postDialDelayMs: 1_000, sound: soundOf(4) });
  await storeCall(gateway, { ...over, durationSec: 90, postDialDelayMs: 3_000, oneWay: 'nothing_received' });
  await storeCall(gateway, { ...over, ...unanswered, postDialDelayMs: 2_000 });
  await storeCall(gateway, { ...over, ...unanswered });
  await storeCall(gateway, { ...over, direction: 'inbound', durationSec: 60, sound: soundOf(3) });
  t.like((await gateway.admin.get(trunkFiguresPath)).body, {
    since: '2026-11-21T09:00:00.000+09:00',
    until: '2026-11-22T09:00:00.000+09:00',
    trunks: [
      {
        trunk_id: near,
        name: 'near',
        outbound_calls: 4,
        outbound_answered: 2,
        outbound_failed_over: 0,
        inbound_calls: 1,
        inbound_answered: 1,
        answer_seizure_ratio: 0.5,
        average_call_duration_sec: 60,
        post_dial_delay_ms: 2_000,
        mos: 3.5,
        one_way_calls: 1,
      },
      {
        trunk_id: far,
        name: 'far',
        outbound_calls: 0,
        inbound_calls: 0,
        answer_seizure_ratio: null,
        average_call_duration_sec: null,
        post_dial_delay_ms: null,
        mos: null,
        one_way_calls: 0,
      },
    ],
  });
});

test.serial('counts a failed-over call for the trunk that failed as well', async (t) => {
  const { gateway, near, far } = await withTrunks(t);
  await storeCall(gateway, { trunkId: near, trunkName: 'near' });
  for (let calls = 1; calls <= 3; calls += 1)
    await storeCall(gateway, { trunkId: far, trunkName: 'far', failedTrunks: [near] });
  t.like((await gateway.admin.get(trunkFiguresPath)).body, {
    trunks: [
      { name: 'near', outbound_calls: 1, outbound_failed_over: 3, answer_seizure_ratio: 0.25 },
      { name: 'far', outbound_calls: 3, outbound_failed_over: 0, answer_seizure_ratio: 1 },
    ],
  });
});

test.serial('excludes ringing calls, other periods and other workspaces from the metrics', async (t) => {
  const { gateway, near } = await withTrunks(t);
  const over = { trunkId: near, trunkName: 'near' };
  await storeCall(gateway, { ...over, ...unanswered, status: 'ringing', endReason: null, endedAt: null });
  await storeCall(gateway, { ...over, startedAt: new Date('2026-11-20T23:59:59Z') });
  await storeCall(gateway, { ...over, startedAt: new Date('2026-11-22T00:00:00Z') });
  await storeCall(gateway);
  t.like((await gateway.admin.get(trunkFiguresPath)).body, {
    trunks: [{ name: 'near', outbound_calls: 0 }, { name: 'far' }],
  });
  const { adminToken } = await addWorkspace(gateway.database);
  t.deepEqual((await gateway.admin.as(adminToken).get(trunkFiguresPath)).body['trunks'], []);
});

test.serial(
  "lists a deleted trunk while calls of it exist, and the trunk of the gateway's configuration",
  async (t) => {
    const gateway = await fakeGateway(t);
    await storeCall(gateway, { trunkId: 'configured', trunkName: 'GW_TRUNK' });
    await storeCall(gateway, { trunkId: 'gone', trunkName: 'An old one' });
    t.like((await gateway.admin.get(trunkFiguresPath)).body, {
      trunks: [
        { trunk_id: 'gone', name: 'An old one', outbound_calls: 1 },
        { trunk_id: 'configured', name: 'GW_TRUNK', outbound_calls: 1 },
      ],
    });
  },
);
