import { randomUUID } from 'node:crypto';
import test from 'ava';
import type { Script, Simulator } from '#src/api/api-services.ts';
import { Refusal } from '#src/domain/refusal.ts';
import { addWorkspace, fakeGateway } from './fake-gateway.ts';

const simulator = (overrides: Partial<Simulator> = {}): Simulator => {
  const callees = new Map<string, Script>();
  return {
    checkScript: async (script) =>
      script.flatMap((step, index) =>
        typeof step === 'object' ? [] : [{ step: index, message: 'This is no step.' }],
      ),
    async receiveSimulatedCall() {
      return { callId: randomUUID(), status: 'ringing', endReason: null };
    },
    async defineCallee(workspaceId, number, script) {
      callees.set(`${workspaceId} ${number}`, script);
    },
    calleeScript: (workspaceId, number) => callees.get(`${workspaceId} ${number}`),
    scriptProgress: () => undefined,
    ...overrides,
  };
};

const calls = '/api/v1/admin/simulator/calls';
const callee = '/api/v1/admin/simulator/callees/010-1111-2222';
const script = [{ say: 'Hello.' }, { hang_up: true }];

test('a call comes in, by a script or a polite caller', async (t) => {
  const asked: unknown[] = [];
  const callId = randomUUID();
  const { admin, workspaceId, number } = await fakeGateway(t, {
    simulator: simulator({
      async receiveSimulatedCall(request) {
        asked.push(request);
        return { callId, status: 'ringing', endReason: null };
      },
    }),
  });
  const { status, body } = await admin.post(calls, { to: number.number, from: '010-1234-5678', script });
  t.is(status, 201);
  t.deepEqual(body, { call_id: callId, status: 'ringing', end_reason: null });
  t.is((await admin.post(calls, { to: number.number, from: '' })).status, 201);
  t.deepEqual(asked, [
    { workspaceId, to: number.number, from: '01012345678', script },
    { workspaceId, to: number.number, from: 'anonymous', script: null },
  ]);
});

const calling = test.macro<[string, string | undefined]>({
  async exec(t, from, told) {
    const asked: string[] = [];
    const { admin, number } = await fakeGateway(t, {
      simulator: simulator({
        async receiveSimulatedCall(request) {
          asked.push(request.from);
          return { callId: randomUUID(), status: 'ringing', endReason: null };
        },
      }),
    });
    const { status, body } = await admin.post(calls, { to: number.number, from });
    t.is(status, told === undefined ? 400 : 201);
    t.deepEqual(asked, told === undefined ? [] : [told]);
    if (told === undefined) t.like(body, { code: 'invalid_request', errors: { 0: { path: 'from' } } });
  },
  title: (_, from, told) => `a simulated caller "${from}" is ${told ?? 'refused'}`,
});
test(calling, '010-1234-5678', '01012345678');
test(calling, '', 'anonymous');
test(calling, 'anonymous', 'anonymous');
test(calling, '+1 202 555 0123', '+12025550123');
test(calling, '+82 10 1234 5678', '01012345678');
test(calling, '+1', undefined);
test(calling, '12025550123', undefined);
test(calling, 'alice', undefined);

test('a call that was rejected has ended', async (t) => {
  const { admin } = await fakeGateway(t, {
    simulator: simulator({
      receiveSimulatedCall: async () => ({
        callId: randomUUID(),
        status: 'failed',
        endReason: 'caller_rejected',
      }),
    }),
  });
  const { body } = await admin.post(calls, { to: '0212345678', from: '01012345678' });
  t.like(body, { status: 'failed', end_reason: 'caller_rejected' });
});

test('a number of nobody’s is not called', async (t) => {
  const { admin } = await fakeGateway(t, {
    simulator: simulator({
      receiveSimulatedCall: () => Promise.reject(new Refusal('number_not_found', 'There is no such number.')),
    }),
  });
  const { status, body } = await admin.post(calls, { to: '0212345678', from: '01012345678' });
  t.is(status, 404);
  t.is(body.code, 'number_not_found');
});

test('how a callee behaves is decided, and read', async (t) => {
  const { admin } = await fakeGateway(t, { simulator: simulator() });
  t.is((await admin.get(callee)).status, 404);
  const { status, body } = await admin.put(callee, { script });
  t.is(status, 200);
  t.deepEqual(body, { number: '01011112222', script });
  t.deepEqual((await admin.get(callee)).body, body);
});

test('what cannot be played is refused by its step', async (t) => {
  const { admin, number } = await fakeGateway(t, { simulator: simulator() });
  for (const answer of [
    await admin.put(callee, { script: [{ say: 'Hello.' }, 5] }),
    await admin.post(calls, { to: number.number, from: '01012345678', script: [{ say: 'Hello.' }, 5] }),
  ]) {
    t.is(answer.status, 400);
    t.like(answer.body, {
      code: 'invalid_request',
      errors: [{ path: 'script.1', message: 'This is no step.' }],
    });
  }
  t.is((await admin.get(callee)).status, 404);
});

test('what does not validate is refused by its field', async (t) => {
  const { admin } = await fakeGateway(t, { simulator: simulator() });
  const to = '0212345678';
  const from = '01012345678';
  const faults: [Record<string, unknown>, string][] = [
    [{ from }, 'to'],
    [{ to }, 'from'],
    [{ to: '+82212345678', from }, 'to'],
    [{ to, from: 'x' }, 'from'],
    [{ to, from, script: 'x' }, 'script'],
    [{ to, from, more: 1 }, 'more'],
  ];
  for (const [body, field] of faults) {
    const answer = await admin.post(calls, body);
    t.is(answer.status, 400, field);
    t.like(answer.body, { errors: [{ path: field }] });
  }
});

test('where the simulated line does not run, none of it exists', async (t) => {
  const { admin } = await fakeGateway(t);
  for (const { status, body } of [
    await admin.post(calls, { to: '0212345678', from: '01012345678' }),
    await admin.put(callee, { script }),
    await admin.get(callee),
  ]) {
    t.is(status, 404);
    t.is(body.code, 'not_found');
  }
});

test('a callee of one workspace is none of another', async (t) => {
  const gateway = await fakeGateway(t, { simulator: simulator() });
  const { adminToken } = await addWorkspace(gateway.database);
  t.is((await gateway.admin.put(callee, { script })).status, 200);
  t.is((await gateway.client.as(adminToken).get(callee)).status, 404);
});

test('how far a rehearsed script has come is told of calls of the workspace', async (t) => {
  const asked: unknown[] = [];
  const known = simulator({
    async receiveSimulatedCall(request) {
      asked.push(request.rehearsal);
      return { callId: randomUUID(), status: 'ringing', endReason: null };
    },
    scriptProgress: () => ({ steps: 2, stepsDone: 1, outcome: 'timed_out' }),
  });
  const { admin, number } = await fakeGateway(t, { simulator: known });
  const rehearsal = { step_timeout_sec: 30, people: { '0212345678': 'declines' } };
  const body = { to: number.number, from: '01012345678', script, rehearsal };
  t.is((await admin.post(calls, body)).status, 201);
  t.deepEqual(asked, [{ stepTimeoutSec: 30, people: { '0212345678': 'declines' } }]);
  const wrong = { ...body, rehearsal: { step_timeout_sec: 30, people: { '0212345678': 'sleeps' } } };
  t.like(await admin.post(calls, wrong), { status: 400, body: { code: 'invalid_request' } });
  t.is((await admin.get(`${calls}/${randomUUID()}`)).status, 404);
});
