import test from 'ava';
import pino from 'pino';
import { createReceiveCall, type AuthenticateCaller } from '#src/calls/setup/receive-call.ts';
import type { HandshakeResult } from '#src/domain/agent-call.ts';
import { Refusal, type RefusalCode } from '#src/domain/refusal.ts';
import { testDatabase } from '#test/helpers/database.ts';
import { facts } from '#src/persistence/call-facts.ts';
import { putAgentBinding } from '#src/persistence/agent-bindings.ts';
import { putInboundAuth } from '#src/persistence/numbers.ts';
import { beginning, createCallControlWorld, type CallControlWorld } from '../call-control-world.ts';

const agentOf = (
  { database, sealing, stored }: CallControlWorld,
  direction: 'inbound' | 'outbound',
  chatUrl: string,
) =>
  putAgentBinding(
    database,
    stored.numberId,
    {
      direction,
      agent: 'endpoint',
      agentType: 'webhook',
      chatUrl,
      assistantId: null,
      agentId: null,
      controls: 'off',
    },
    direction === 'outbound' ? sealing.seal('outbound-token', stored.numberId) : undefined,
  );

/** Callers are asked for by the door that this handshake is. */
const guard = ({ database, sealing, stored }: CallControlWorld) =>
  putInboundAuth(database, stored, {
    method: 'handshake',
    url: 'https://door.example',
    secretSealed: sealing.seal('door-secret', stored.numberId),
  });

const doorThat = (result: HandshakeResult) => {
  const asked: Parameters<AuthenticateCaller>[0][] = [];
  const handshake: AuthenticateCaller = (request) => {
    asked.push(request);
    return Promise.resolve(result);
  };
  return { asked, handshake };
};

test('a caller is let in: the row rings, the line answers, the numbers are turned round', async (t) => {
  const world = await createCallControlWorld(t);
  const { callId, verdict } = await world.receive();
  t.deepEqual(verdict, { accepted: true });
  t.like(await world.rowOf(callId), {
    status: 'ringing',
    direction: 'inbound',
    ownNumber: world.stored.number,
    counterparty: '01012345678',
    instruction: null,
    maxDurationSec: 600,
    startedAt: new Date(beginning),
  });
  t.like(world.lineOf(callId).input, { direction: 'inbound', from: '01012345678', to: world.stored.number });
  world.answer(callId);
  t.like(await world.rowOf(callId), { status: 'active' });
});

for (const from of ['anonymous', '+12025550123', '204'])
  test(`the caller "${from}" is told to the agent and kept as such`, async (t) => {
    const world = await createCallControlWorld(t);
    const { callId } = await world.receive({ from });
    t.is((await world.rowOf(callId))?.counterparty, from);
    t.is(world.agentCalls.get(callId)?.context.from, from);
  });

test('a number of nobody’s is not answered, and leaves nothing', async (t) => {
  const world = await createCallControlWorld(t);
  const { callId, verdict } = await world.receive({ to: '0299999999' });
  t.deepEqual(verdict, { accepted: false, because: 'unknown_number' });
  t.is(await world.rowOf(callId), undefined);
  t.is(world.lines.size, 0);
});

test('a number without an inbound agent turns its callers away, whatever its outbound agent is', async (t) => {
  const world = await createCallControlWorld(t);
  await agentOf(world, 'outbound', 'https://agent.example');
  await agentOf(world, 'inbound', '');
  const { callId, verdict } = await world.receive();
  t.deepEqual(verdict, { accepted: false, because: 'no_agent_endpoint' });
  t.like(await world.rowOf(callId), { status: 'failed', endReason: 'no_agent_endpoint', durationSec: 0 });
  t.like(await facts(world.database, callId), [{ sequence: 1, type: 'call.ended' }]);
  t.deepEqual(world.ends, [`${callId} failed no_agent_endpoint`]);
  t.is(world.lines.size, 0);
});

test('without a handshake there is no token for an inbound agent, least of all that of the outbound one', async (t) => {
  const world = await createCallControlWorld(t);
  await agentOf(world, 'outbound', 'https://outbound.example');
  await agentOf(world, 'inbound', 'https://inbound.example');
  const { callId } = await world.receive();
  t.is(world.agentCalls.get(callId)?.bearerToken, null);
  t.is(world.agentCalls.get(callId)?.binding.chatUrl, 'https://inbound.example');
});

test('the session token of the handshake is that of the call, and of no other', async (t) => {
  const door = doorThat({ allowed: true, sessionToken: 'session-of-this-caller' });
  const world = await createCallControlWorld(t, { handshake: door.handshake });
  await agentOf(world, 'outbound', 'https://outbound.example');
  await guard(world);
  const { callId, verdict } = await world.receive();
  t.deepEqual(verdict, { accepted: true });
  t.is(world.agentCalls.get(callId)?.bearerToken, 'session-of-this-caller');
  t.deepEqual(door.asked, [
    {
      url: 'https://door.example',
      secret: 'door-secret',
      workspaceId: world.stored.workspaceId,
      context: {
        call_id: callId,
        direction: 'inbound',
        from: '01012345678',
        to: world.stored.number,
        language: 'ko',
      },
    },
  ]);
});

test('whom the handshake rejects is not answered, and leaves the facts of a call that ended', async (t) => {
  const door = doorThat({ allowed: false, reason: 'It answered 403.' });
  const world = await createCallControlWorld(t, { handshake: door.handshake });
  await guard(world);
  const { callId, verdict } = await world.receive();
  t.deepEqual(verdict, { accepted: false, because: 'caller_rejected' });
  t.like(await world.rowOf(callId), {
    status: 'failed',
    endReason: 'caller_rejected',
    durationSec: 0,
    answeredAt: null,
    endedAt: new Date(beginning),
  });
  const [fact, ...more] = await facts(world.database, callId);
  t.like(fact, { type: 'call.ended', data: { reason: 'caller_rejected', status: 'failed' } });
  t.deepEqual(more, []);
  t.is(world.lines.size, 0);
});

test('a caller whom nobody could take is not asked for by the handshake', async (t) => {
  const door = doorThat({ allowed: true, sessionToken: 'unused' });
  const world = await createCallControlWorld(t, { handshake: door.handshake });
  await guard(world);
  await agentOf(world, 'inbound', '');
  t.like(await world.receive(), { verdict: { because: 'no_agent_endpoint' } });
  t.deepEqual(door.asked, []);
});

test('a gateway that is full or shuts down turns callers away without a row', async (t) => {
  const full = await createCallControlWorld(t, { limits: { maxCalls: 0, maxBeginning: 100 } });
  const refused = await full.receive();
  t.deepEqual(refused.verdict, { accepted: false, because: 'over_capacity' });
  t.is(await full.rowOf(refused.callId), undefined);

  const draining = await createCallControlWorld(t);
  draining.callControl.admission.drain();
  t.deepEqual((await draining.receive()).verdict, { accepted: false, because: 'draining' });
  t.is(await draining.rows(), 0);
});

test('a number with its maximum of calls is busy for the next caller', async (t) => {
  const world = await createCallControlWorld(t, { maxCallsInProgress: 1 });
  t.like(await world.receive(), { verdict: { accepted: true } });
  t.like(await world.receive(), { verdict: { accepted: false, because: 'concurrency_limit' } });
  t.is(await world.rows(), 1);
});

test('what is no refusal but a fault is not taken for one', async (t) => {
  const world = await createCallControlWorld(t, {
    keepAgent: () => {
      throw new Error('A mistake of ours');
    },
  });
  await t.throwsAsync(world.receive(), { message: 'A mistake of ours' });
});

const arrival = { callId: crypto.randomUUID(), from: '01012345678', to: '07000000001', at: Date.now() };

const withoutRoom = test.macro({
  title: (_title, code: RefusalCode) => `an arrival that is refused with ${code} costs no look-up`,
  async exec(t, code: RefusalCode) {
    const never = async (): Promise<never> => {
      throw new Error('It was looked up all the same');
    };
    const receiveCall = createReceiveCall({
      database: await testDatabase(t),
      admission: {
        check: () => {
          throw new Refusal(code, 'There is no room.');
        },
      },
      findNumber: never,
      handshake: never,
      startCall: never,
      policyOf: () => {
        throw new Error('Nobody was called');
      },
      observer: { began: () => t.fail(), ended: () => t.fail() },
      journal: { wasWritten: () => t.fail() },
      now: Date.now,
      node: 'test',
      logger: pino({ level: 'silent' }),
    });
    t.deepEqual(await receiveCall(arrival), { accepted: false, because: code });
  },
});

test(withoutRoom, 'over_capacity');
test(withoutRoom, 'draining');

test('what the network tells of a caller is kept with its call, also of one that is not taken', async (t) => {
  const world = await createCallControlWorld(t);
  const diversions = [{ number: '0212345678', reason: 'no-answer' }];
  const { callId } = await world.receive({ identity: { name: '김민지', diversions } });
  t.like(await world.rowOf(callId), { callerName: '김민지', diversions });
  const plain = await world.receive({ identity: { name: null, diversions: [] } });
  t.like(await world.rowOf(plain.callId), { callerName: null, diversions: null });
  const binding = {
    agent: 'endpoint',
    agentType: null,
    chatUrl: null,
    assistantId: null,
    agentId: null,
    controls: 'off',
  } as const;
  await putAgentBinding(world.database, world.stored.numberId, { ...binding, direction: 'inbound' });
  const refused = await world.receive({ identity: { name: 'Kim', diversions } });
  t.like(await world.rowOf(refused.callId), {
    endReason: 'no_agent_endpoint',
    callerName: 'Kim',
    diversions,
  });
});
