/** Whole conversations: speech of a far end reaches the agent as words and is written into the transcript. */
import { setTimeout as delay } from 'node:timers/promises';
import test, { type ExecutionContext } from 'ava';
import { z } from 'zod';
import { sendReply, startAgentServer, type AgentServer } from '#test/helpers/agent-server.ts';
import { finalStatuses, type TestGateway } from '#test/helpers/gateway.ts';
import { decodeRecording } from './decode-recording.ts';
import type { EarAndMouth } from './ear-and-mouth.ts';
import { startTelephone } from './far-end.ts';
import { ownPort } from './ports.ts';
import { until } from './real-lines.ts';
import { missingPrograms, startServers, type SipServers } from './sip-servers.ts';
import { listeningGateway, startSpeakingEnd } from './speaking-end.ts';
import { createToneDecoder } from './tone-speech.ts';
import { startToneVoskServer, type ToneVoskServer } from './tone-vosk-server.ts';
import { realTimeTest } from './real-time-test.ts';

const callee = '01099998888';
const goodbye = 'Thank you very much for your time today. Goodbye, and have a wonderful evening.';

const missing = missingPrograms();
if (missing.length > 0) {
  test.skip(`conversations on real servers: NOT RUN, ${missing.join(', ')} not installed`, (t) => t.pass());
} else {
  let servers: SipServers;
  let recognizer: ToneVoskServer;
  test.before(async () => {
    servers = await startServers();
    recognizer = await startToneVoskServer();
  });
  test.after.always(async () => {
    await recognizer.close();
    await servers.close();
  });

  /** The agent's reply to these words; a reply that says goodbye requests the hangup first. */
  type Answers = (message: string) => string;

  const bindAgent = async (
    t: ExecutionContext,
    gateway: TestGateway,
    direction: 'inbound' | 'outbound',
    answer: Answers,
  ): Promise<AgentServer> => {
    const server = await startAgentServer(async (response, request) => {
      const { call_id, message } = z
        .object({ call_id: z.string(), message: z.string() })
        .parse(JSON.parse(request.body));
      const reply = answer(message);
      if (/goodbye/i.test(reply)) await gateway.client.post(`/api/v1/calls/${call_id}/hangup`);
      await sendReply(reply)(response, request);
    });
    t.teardown(server.close);
    await gateway.admin.put(`${gateway.numberPath}/agents/${direction}`, {
      agent: 'endpoint',
      agent_type: 'webhook',
      chat_url: server.url,
    });
    return server;
  };

  /** A gateway whose calls go to a far end that hears and speaks. */
  const world = async (t: ExecutionContext): Promise<{ gateway: TestGateway; far: EarAndMouth }> => {
    const { far, trunkPort } = await startSpeakingEnd(t, servers);
    return { gateway: await listeningGateway(t, { servers, recognizer, trunkPort }), far };
  };

  const wordsOf = async (gateway: TestGateway, callId: string): Promise<[string, string][]> =>
    (await gateway.transcript(callId)).map(({ role, text }) => [role, text]);

  const messagesTo = (agent: AgentServer): string[] =>
    agent.requests.map(({ body }) => z.object({ message: z.string() }).parse(JSON.parse(body)).message);

  realTimeTest('sends the words of a callee to the agent and the transcript', async (t) => {
    const { gateway, far } = await world(t);
    const agent = await bindAgent(t, gateway, 'outbound', (message) => {
      if (message.startsWith('[outbound')) return 'Hello. For when shall I reserve the table?';
      return /seven/.test(message) ? 'Seven it is. Goodbye.' : 'Tomorrow. At what time?';
    });
    const callId = await gateway.call(callee, 'Reserve a table');
    await far.untilSilentFor(1_000);
    await far.say('Tomorrow.');
    await far.untilSpokenTo(500);
    await far.untilSilentFor(1_000);
    const { to } = await far.say('At seven, please.');
    await far.untilSpokenTo(40);
    t.log({
      fromLastWordToAnswerMs:
        (far.heard().find(({ at, loudness }) => at > to && loudness > 200)?.at ?? 0) - to,
    });
    t.like(await gateway.untilStatus(callId, ...finalStatuses), { end_reason: 'agent_hangup' });
    t.deepEqual(await wordsOf(gateway, callId), [
      ['assistant', 'Hello. For when shall I reserve the table?'],
      ['user', 'Tomorrow.'],
      ['assistant', 'Tomorrow. At what time?'],
      ['user', 'At seven, please.'],
      ['assistant', 'Seven it is. Goodbye.'],
    ]);
    t.deepEqual(messagesTo(agent).slice(1), ['Tomorrow.', 'At seven, please.']);
  });

  realTimeTest('sends the words of a Korean caller to the agent, and records their audio', async (t) => {
    const gateway = await listeningGateway(t, { servers, recognizer, trunkPort: await ownPort() });
    await gateway.admin.patch(gateway.numberPath, { language: 'ko', greeting: '안녕하세요, 꽃집입니다.' });
    const agent = await bindAgent(t, gateway, 'inbound', () => '네, 알겠습니다. Goodbye.');
    const wanted = '장미 열 송이요.';
    const telephone = await startTelephone(servers.folder, {
      dial: `sip:${gateway.credentials.number}@127.0.0.1:${servers.sipPort}`,
      from: '01012345678',
      seconds: 20,
      says: [{ afterMs: 5_000, text: wanted }],
    });
    t.teardown(telephone.close);
    let callId = '';
    await until(async () => {
      const { calls } = z
        .object({ calls: z.array(z.object({ id: z.string() })) })
        .parse((await gateway.client.get('/api/v1/calls')).body);
      callId = calls[0]?.id ?? '';
      return callId !== '';
    });
    t.like(await gateway.untilStatus(callId, ...finalStatuses), { end_reason: 'agent_hangup' });
    // A telephone on a busy machine stalls occasionally, which splits a sentence into two turns.
    t.is(messagesTo(agent).join(' '), wanted);
    const words = await wordsOf(gateway, callId);
    t.is(words.flatMap(([role, text]) => (role === 'user' ? [text] : [])).join(' '), wanted);
    t.deepEqual([words.at(0)?.[0], words.at(-1)?.[0]], ['assistant', 'assistant']);
    const path = `/api/v1/calls/${callId}/recording`;
    await until(async () => (await gateway.client.get(path)).status === 200);
    const { channels, sampleRate } = await decodeRecording((await gateway.client.get(path)).bytes);
    const recorded: string[] = [];
    const counterparty = (channels[0] ?? new Int16Array()).filter(
      (_, index) => index % (sampleRate / 8_000) === 0,
    );
    createToneDecoder({ words: () => {}, whole: (text) => recorded.push(text) }).write(counterparty);
    t.deepEqual(recorded, [wanted]);
  });

  realTimeTest('hears a callee who interrupts, and does not store unheard words as spoken', async (t) => {
    const { gateway, far } = await world(t);
    const long = `Let me tell you about everything that we have on the menu today, which is a lot. ${goodbye.replaceAll('Goodbye', 'And')}`;
    const agent = await bindAgent(t, gateway, 'outbound', (message) =>
      message.startsWith('[outbound') ? long : 'I am sorry. Goodbye.',
    );
    const callId = await gateway.call(callee, 'Read the menu');
    await far.untilSpokenTo(1_200);
    const { from, to } = await far.say('Please stop.');
    const silentMs = (far.lastHeardAt() ?? 0) + 20 - from;
    t.log({ fromFirstSoundToSilenceMs: silentMs, saidInMs: to - from });
    t.true(silentMs < 0.75 * (to - from), 'the agent falls silent behind the first word');
    t.like(await gateway.untilStatus(callId, ...finalStatuses), { end_reason: 'agent_hangup' });
    const [first, ...others] = await wordsOf(gateway, callId);
    t.true(long.startsWith(first?.[1] ?? '-') && (first?.[1].length ?? 0) < 50, first?.[1]);
    t.deepEqual(others, [
      ['user', 'Please stop.'],
      ['assistant', 'I am sorry. Goodbye.'],
    ]);
    t.is(messagesTo(agent)[1], 'Please stop.');
  });

  realTimeTest(
    'words during the farewell cancel the hangup, but a backchannel and noise do not',
    async (t) => {
      const { gateway, far } = await world(t);
      let farewells = 0;
      await bindAgent(t, gateway, 'outbound', () => {
        farewells += 1;
        return goodbye;
      });
      const callId = await gateway.call(callee, 'Say goodbye');
      await far.untilSpokenTo(600);
      await far.say('Wait, one more thing.');
      await until(() => farewells === 2);
      t.is((await gateway.client.get(`/api/v1/calls/${callId}`)).body['status'], 'active');
      await far.untilSpokenTo(600);
      await far.say('Uh-huh.');
      await far.play(Int16Array.from({ length: 4_000 }, (_, index) => 5_000 * Math.sin(index / 3)));
      t.like(await gateway.untilStatus(callId, ...finalStatuses), {
        status: 'completed',
        end_reason: 'agent_hangup',
      });
      t.is(farewells, 2);
      const words = await wordsOf(gateway, callId);
      t.true(goodbye.startsWith(words[0]?.[1] ?? '-') && (words[0]?.[1].length ?? 0) < goodbye.length);
      t.deepEqual(words[1], ['user', 'Wait, one more thing.']);
      t.deepEqual(
        words.slice(2).sort(([, one], [, other]) => one.length - other.length),
        [
          ['user', 'Uh-huh.'],
          ['assistant', goodbye],
        ],
      );
    },
  );

  realTimeTest(
    'does not reset the silence timer at noise, and ends the call after the reprompt',
    async (t) => {
      const { gateway, far } = await world(t);
      await gateway.admin.patch(gateway.numberPath, { silence_timeout_sec: 5 });
      await bindAgent(t, gateway, 'outbound', () => 'Hello.');
      far.onCall(async () => {
        for (;;) {
          await far.play(Int16Array.from({ length: 12_000 }, () => (Math.random() - 0.5) * 8_000));
          await delay(700);
        }
      });
      const callId = await gateway.call(callee, 'Say hello');
      t.like(await gateway.untilStatus(callId, ...finalStatuses), { end_reason: 'silence_timeout' });
      t.true((await wordsOf(gateway, callId)).every(([role]) => role === 'assistant'));
    },
  );
}
