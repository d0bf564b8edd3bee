/** A person on the simulated line talks to an agent on a real server, through a whole gateway. */
import type { ExecutionContext } from 'ava';
import { z } from 'zod';
import { finalStatuses, testGateway, type TestGateway } from '#test/helpers/gateway.ts';
import { callInBy } from '#test/helpers/call-in.ts';
import { until } from '#test/helpers/until.ts';
import { failuresOfSuites } from '#test/examples/pass-suites.ts';
import type { Message, Note } from './notes.ts';
import type { RealAgentServer } from './run-server.ts';

export type Direction = 'inbound' | 'outbound';
type Binding = Record<string, unknown>;
type Script = readonly Record<string, unknown>[];

const callee = '01077770001';
const caller = '01012345678';
const kickoff = [
  '[outbound call connected] You speak first. The other party has not said anything yet.',
  '[task] 예약 시간 확인',
] as const;

const hours = '영업시간이 어떻게 되나요';
const atLength = '길게 설명해 주세요';
const enough = '잠깐만요 그만하세요';
const parking = '주차는 되나요';
const thanks = '고맙습니다';

/** The sentence that the models repeat thirty times for `atLength`. */
const beginningOfLongReply = '긴 안내의 1번째 문장입니다. 긴 안내의 2번째 문장입니다. ';

const listen = { listen: true };
const hangUp = { hang_up: true };

/** Binds the number to the agent and makes the call; resolves at its end. */
const call = async (
  t: ExecutionContext,
  direction: Direction,
  binding: Binding,
  script: Script,
): Promise<{ gateway: TestGateway; callId: string }> => {
  // Four times the speed of people; at a higher speed, a server's latency would be a pause in which callees do not
  // wait.
  const gateway = await testGateway(t, { GW_SIMULATOR_SPEED: '4' });
  const path = `${gateway.numberPath}/agents/${direction}`;
  const bound = await gateway.admin.put(path, { agent: 'endpoint', ...binding });
  t.is(bound.status, 200);

  let callId: string;
  if (direction === 'outbound') {
    await gateway.admin.put(`/api/v1/admin/simulator/callees/${callee}`, { script: [listen, ...script] });
    callId = await gateway.call(callee, '예약 시간 확인');
  } else {
    const { body } = await gateway.admin.post('/api/v1/admin/simulator/calls', {
      to: gateway.credentials.number,
      from: caller,
      script,
    });
    callId = z.string().parse(body['call_id']);
  }
  const ended = await until(
    'the call is over',
    async () => {
      const { body } = await gateway.client.get(`/api/v1/calls/${callId}`);
      return finalStatuses.includes(z.string().parse(body['status'])) ? body : undefined;
    },
    60_000,
  );
  t.like(ended, { status: 'completed', end_reason: 'counterparty_hangup' });
  return { gateway, callId };
};

const from = (role: 'user' | 'assistant', content: string): Message => ({ role, content });

/** The models' answer to their nth turn. */
const answerTo = (turn: number, words: string): Message =>
  from('assistant', `네, ${turn}번째로 "${words}"라고 하셨군요.`);

/** The expected conversation; `cut` is the heard part of the interrupted reply. */
const expectedHistory = (direction: Direction, cut: Message): Message[] => {
  const isOutbound = direction === 'outbound';
  const before = isOutbound ? 1 : 0;
  return [
    isOutbound ? [from('user', kickoff.join('\n')), answerTo(1, kickoff[1])] : [],
    [from('user', hours), answerTo(before + 1, hours)],
    [from('user', atLength), cut],
    [from('user', enough), answerTo(before + 3, enough)],
    [from('user', parking), answerTo(before + 4, parking)],
    [from('user', thanks), answerTo(before + 5, thanks)],
  ].flat();
};

/** Warnings about the machine: no synthesizer is found by test gateways, and other work may stall the event loop. */
const aboutMachine = /no synthesizer is installed|the event loop was blocked/;

const warning = z.object({ level: z.number(), msg: z.string().default('') });

const warningsOfAgent = ({ logged }: TestGateway): string[] =>
  logged.filter((line) => {
    const { level, msg } = warning.parse(JSON.parse(line));
    return level >= 40 && !aboutMachine.test(msg);
  });

export type Conversation = {
  callId: string;
  /** Kickoff, all spoken words, and the heard part of the interrupted reply. */
  history: Message[];
  /** The heard part of the interrupted reply, which is in `history`. */
  cut: Message;
  /** Each request to the model, in order. */
  asked: Note[];
};

/** Five turns of the person, who interrupts the second reply; checks the rules for every kind of server. */
export const converse = async (
  t: ExecutionContext,
  server: RealAgentServer,
  direction: Direction,
  binding: Binding,
): Promise<Conversation> => {
  const script = [
    [{ say: hours }, listen],
    [{ say: atLength }, { interrupt: enough }, listen],
    [{ say: parking }, listen],
    [{ say: thanks }, listen, hangUp],
  ].flat();
  const { gateway, callId } = await call(t, direction, binding, script);

  const transcript = await gateway.transcript(callId);
  const interruption = transcript.findIndex(({ text }) => text === enough);
  const cut = from('assistant', transcript[interruption - 1]?.text ?? '');
  t.true(cut.content !== '' && beginningOfLongReply.startsWith(cut.content), `heard: ${cut.content}`);
  const history = expectedHistory(direction, cut);
  const spoken = history.filter(({ content }) => content !== kickoff.join('\n'));
  t.deepEqual(
    transcript.map(({ role, text }) => from(role, text)),
    spoken,
  );

  const notes = server.notesOf(callId);
  const asked = notes.filter(({ fact }) => fact === 'asked');
  const words = history.filter(({ role }) => role === 'user').map(({ content }) => content);
  t.deepEqual(
    notes.map(({ fact }) => fact),
    words.flatMap((text) => ['asked', text === atLength ? 'aborted' : 'answered']),
    'only the interrupted reply was stopped, and before the next turn',
  );
  t.deepEqual(
    asked.map(({ messages }) => messages?.at(-1)),
    words.map((text) => from('user', text)),
  );
  const own = gateway.credentials.number;
  for (const { gw } of asked) {
    t.deepEqual(gw, {
      call_id: callId,
      direction,
      from: direction === 'outbound' ? own : caller,
      to: direction === 'outbound' ? callee : own,
      language: 'ko',
    });
  }
  t.deepEqual(warningsOfAgent(gateway), [], 'nothing to warn of');
  const aborted = notes.find(({ fact }) => fact === 'aborted')?.at ?? 0;
  t.log('stopped after', aborted - Date.parse(transcript[interruption]?.timestamp ?? ''), 'ms');
  return { callId, history, cut, asked };
};

/** A caller enters the number of an order by DTMF, and is connected to a person; another one says goodbye. */
export const actByControls = async (t: ExecutionContext, binding: Binding): Promise<void> => {
  const gateway = await testGateway(t, { GW_SIMULATOR_SPEED: '4' });
  const person = '01000000011';
  await gateway.admin.patch(gateway.numberPath, { language: 'en', transfer_to: [person] });
  const inbound = `${gateway.numberPath}/agents/inbound`;
  const bound = await gateway.admin.put(inbound, { agent: 'endpoint', controls: 'inline', ...binding });
  t.is(bound.status, 200);
  const order = [{ say: 'It is about my order.' }, listen, { digits: '4711' }, listen];
  const connected = await callInBy(gateway, [...order, { say: 'A person, please.' }, listen]);
  t.like(connected.ended, { end_reason: 'transfer_completed', transfer: { to: person, mode: 'warm' } });
  t.deepEqual(connected.said, [
    'Please type the four digits of your order.',
    'I have noted 4 7 1 1. What else can I do for you?',
    'One moment, I connect you.',
  ]);
  const farewell = await callInBy(gateway, [{ say: 'Thank you.' }, listen]);
  t.like(farewell.ended, { end_reason: 'agent_hangup' });
  t.deepEqual(farewell.said, ['Thank you very much. Goodbye!']);
};

/** The included rehearsal suites pass with this agent in both directions. */
export const passSuites = async (t: ExecutionContext, binding: Binding): Promise<void> => {
  const gateway = await testGateway(t, { GW_SIMULATOR_SPEED: '4' });
  await gateway.admin.patch(gateway.numberPath, { language: 'en' });
  for (const direction of ['inbound', 'outbound'])
    await gateway.admin.put(`${gateway.numberPath}/agents/${direction}`, { agent: 'endpoint', ...binding });
  t.deepEqual(await failuresOfSuites(gateway), []);
};

/** The person hangs up in the middle of a long reply; resolves to the call's id when the model has stopped. */
export const hangUpInTheMiddle = async (
  t: ExecutionContext,
  server: RealAgentServer,
  binding: Binding,
): Promise<string> => {
  const { callId } = await call(t, 'inbound', binding, [{ say: atLength }, { wait_sec: 5 }, hangUp]);
  const facts = (): string[] => server.notesOf(callId).map(({ fact }) => fact);
  await until('the model has stopped', () => (facts().length > 1 ? true : undefined));
  t.deepEqual(facts(), ['asked', 'aborted']);
  return callId;
};
