/** Keys and words of a program in a call, at any gateway, and across the death of the one that holds it. */
import test, { type ExecutionContext } from 'ava';
import { z } from 'zod';
import { phrases } from '#src/domain/phrases.ts';
import { startFakeAgent } from '#test/helpers/fake-agents.ts';
import { until } from '#test/helpers/until.ts';
import {
  bindAgent,
  oneDatabase,
  place,
  untilStatus,
  untilTakenOver,
  type Running,
} from './gateways-of-one-database.ts';

/** Answers whatever is said to it, and goes on when its gateway dies. */
const talks = '01000000001';
/** So long nothing comes of the reply. */
const foreverMs = 600_000;

const words = '잠시만 기다려 주세요.';

const saidIn = async ({ client }: Running, callId: string): Promise<string[]> => {
  const { body } = await client.get(`/api/v1/calls/${callId}/transcript`);
  const turns = z.array(z.object({ role: z.string(), text: z.string() })).parse(body['transcript']);
  return turns.filter(({ role }) => role === 'assistant').map(({ text }) => text);
};

const factsOf = async ({ client }: Running, callId: string) => {
  const { body } = await client.get(`/api/v1/calls/${callId}/events`);
  return z
    .array(z.object({ type: z.string(), data: z.record(z.string(), z.unknown()) }))
    .parse(body['events']);
};

/** A call, held by the first gateway, in which the agent thinks about its second reply for ever. */
const thinking = async (t: ExecutionContext) => {
  const { start } = await oneDatabase(t);
  const [holder, other] = [await start('holder'), await start('other')];
  const agent = await startFakeAgent('webhook', (_, turn) =>
    turn === 2 ? { pieces: [''], pauseMs: foreverMs } : { pieces: [`${turn}번째 대답입니다.`] },
  );
  t.teardown(agent.close);
  t.is(await bindAgent(holder, agent.binding), 200);
  const callId = await place(holder, talks);
  await until('a second reply is asked for', () => agent.turns[1]);
  const ask = async (gateway: Running, what: string, body: object): Promise<unknown> =>
    (await gateway.client.post(`/api/v1/calls/${callId}/${what}`, body)).body['status'];
  return { holder, other, callId, ask };
};

test.serial('a gateway that does not hold the call has keys pressed and words said in it', async (t) => {
  const { holder, other, callId, ask } = await thinking(t);
  t.is(await ask(other, 'keys', { keys: '1w#' }), 'keys_requested');
  t.is(await ask(other, 'say', { text: words, interrupt: true }), 'say_requested');
  await until('they were heard', async () =>
    (await saidIn(other, callId)).includes(words) ? true : undefined,
  );
  t.like(
    (await factsOf(other, callId)).filter(({ type }) => ['keys.pressed', 'say.requested'].includes(type)),
    [
      { type: 'keys.pressed', data: { keys: '1w#' } },
      { type: 'say.requested', data: { text: words, interrupt: true } },
    ],
  );
  t.is(await ask(other, 'hangup', { immediate: true }), 'hangup_requested');
  await untilStatus(holder, callId, 'completed');
  const late = await other.client.post(`/api/v1/calls/${callId}/say`, { text: words });
  t.is(late.body['code'], 'call_not_active');
});

test.serial('words that wait for the floor are said by who takes the call over', async (t) => {
  const { holder, other, callId, ask } = await thinking(t);
  t.is(await ask(holder, 'say', { text: words }), 'say_requested');
  await until('it is written', async () =>
    (await factsOf(other, callId)).find(({ type }) => type === 'say.requested'),
  );
  holder.signal('SIGKILL');
  await untilTakenOver(other, callId);
  await until('they were heard', async () =>
    (await saidIn(other, callId)).includes(words) ? true : undefined,
  );
  t.deepEqual((await saidIn(other, callId)).slice(1, 3), [phrases.ko.apology, words]);
  t.is(await ask(other, 'hangup', { immediate: true }), 'hangup_requested');
  await untilStatus(other, callId, 'completed');
});

/** Its second reply is a farewell that takes some time to say, and a hang-up behind it. */
const actsInReplies = async (t: ExecutionContext, gateway: Running): Promise<string> => {
  const farewell = '말씀 감사합니다. 예약을 내일 오후 세 시로 옮겨 드렸습니다. 좋은 하루 보내세요.';
  const agent = await startFakeAgent('webhook', (_, turn) => ({
    pieces: turn === 1 ? ['안녕하세요.<keys pr', 'ess="1#"/>'] : [`${farewell}<hang`, 'up/>'],
  }));
  t.teardown(agent.close);
  t.is(await bindAgent(gateway, { ...agent.binding, controls: 'inline' }), 200);
  return farewell;
};

test.serial('an agent that only writes text presses keys, says goodbye and hangs up', async (t) => {
  const { start } = await oneDatabase(t);
  const gateway = await start('holder', { GW_SIMULATOR_SPEED: '20' });
  const farewell = await actsInReplies(t, gateway);
  const callId = await place(gateway, talks);
  await untilStatus(gateway, callId, 'completed');
  t.deepEqual(await saidIn(gateway, callId), ['안녕하세요.', farewell]);
  t.like((await gateway.client.get(`/api/v1/calls/${callId}`)).body, { end_reason: 'agent_hangup' });
  t.deepEqual(
    (await factsOf(gateway, callId))
      .map(({ type }) => type)
      .filter((type) => ['keys.pressed', 'call.hangup_requested'].includes(type)),
    ['keys.pressed', 'call.hangup_requested'],
  );
});

test.serial('who takes the call over in a farewell says it again, and hangs up behind it', async (t) => {
  const { start, rows } = await oneDatabase(t);
  const [holder, other] = [await start('holder'), await start('other')];
  const farewell = await actsInReplies(t, holder);
  const callId = await place(holder, talks);
  await until('what is to be done behind the farewell is kept', async () =>
    (await rows('select progress from call_revival')).find((row) => JSON.stringify(row).includes('hang_up')),
  );
  holder.signal('SIGKILL');
  await untilTakenOver(other, callId);
  await untilStatus(other, callId, 'completed');
  t.true((await saidIn(other, callId)).join(' ').endsWith(farewell));
  t.like((await other.client.get(`/api/v1/calls/${callId}`)).body, { end_reason: 'agent_hangup' });
});
