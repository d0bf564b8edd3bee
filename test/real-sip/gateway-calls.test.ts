/** Whole calls: the API on one side, a telephone on the other, SIP and audio between them. */
import { z } from 'zod';
import { finalStatuses, type TestGateway } from '#test/helpers/gateway.ts';
import { decodeRecording } from './decode-recording.ts';
import { startTelephone } from './far-end.ts';
import { onRealServers } from './on-real-servers.ts';
import { ownPort } from './ports.ts';
import { bindFarewellAgent, noChannelIsLeft, realGateway, voiceOf } from './real-gateway.ts';
import { until } from './real-lines.ts';
import { realTimeTest } from './real-time-test.ts';
import type { SipServers } from './sip-servers.ts';
import { findIn, soundings } from './wave.ts';

const callee = '01099998888';
const farewell =
  'Your table for two is confirmed for tomorrow evening at seven, thank you very much and goodbye.';

const recordingOf = async (gateway: TestGateway, callId: string) => {
  const path = `/api/v1/calls/${callId}/recording`;
  await until(async () => (await gateway.client.get(path)).status === 200);
  return decodeRecording((await gateway.client.get(path)).bytes);
};

const voiceAt = async (sampleRate: number): Promise<Int16Array> => {
  const voice = await voiceOf(farewell, 'en');
  const factor = sampleRate / 8_000;
  return Int16Array.from(
    { length: voice.length * factor },
    (_, index) => voice[Math.floor(index / factor)] ?? 0,
  );
};

const testFarewell = (servers: () => SipServers): void => {
  realTimeTest(
    "places a call, plays the agent's words to the end of the goodbye, and hangs up",
    async (t) => {
      const telephone = await startTelephone(servers().folder, { seconds: 40 });
      t.teardown(telephone.close);
      const gateway = await realGateway(t, servers(), telephone.port);
      await gateway.admin.patch(gateway.numberPath, { language: 'en' });
      await bindFarewellAgent(t, gateway, farewell);

      const callId = await gateway.call(callee, 'Confirm the table');
      const ended = await gateway.untilStatus(callId, ...finalStatuses);
      t.like(ended, { status: 'completed', end_reason: 'agent_hangup', to: callee, direction: 'outbound' });
      t.like(ended['sip'], { status: 200, reason: 'Answering' });
      t.regex(z.object({ call_id: z.string() }).parse(ended['sip']).call_id, /\S+/);

      const turns = await gateway.transcript(callId);
      t.deepEqual(
        turns.map(({ role, text }) => [role, text]),
        [['assistant', farewell]],
      );

      const voice = await voiceOf(farewell, 'en');
      const { channels, sampleRate } = await telephone.heard();
      const heard = channels[0] ?? new Int16Array();
      t.is(sampleRate, 8_000);
      const { offsetMs, likeness } = findIn(heard, voice, 8_000);
      const said = soundings(voice, 8_000, { pauseMs: 2_000 })[0] ?? { from: 0, to: 0 };
      const sounded = soundings(heard, 8_000, { pauseMs: 2_000 });
      const lastSound = sounded.at(-1)?.to ?? 0;
      t.log({
        offsetMs,
        likeness,
        said,
        sounded,
        heardMs: heard.length / 8,
        duration: ended['duration_sec'],
      });
      t.true(likeness > 0.9, `the rhythm of the words is heard (${likeness})`);
      t.is(sounded.length, 1, 'nothing else is heard');
      t.true(Math.abs(lastSound - (offsetMs + said.to)) <= 30, 'the goodbye is heard to its last sound');

      const recorded = await recordingOf(gateway, callId);
      const [counterparty = new Int16Array(), agent = new Int16Array()] = recorded.channels;
      const inRecording = findIn(agent, await voiceAt(recorded.sampleRate), recorded.sampleRate);
      t.log({ inRecording, recordedSec: agent.length / recorded.sampleRate });
      t.true(inRecording.likeness > 0.9, 'the recording holds the words of the agent');
      t.true(Math.abs(inRecording.offsetMs - (turns[0]?.t_offset_sec ?? 0) * 1_000) < 150);
      t.true(
        Math.abs(agent.length / recorded.sampleRate - z.number().parse(ended['duration_sec'])) < 0.3,
        'the recording is as long as the call',
      );
      t.true(
        counterparty.every((sample) => Math.abs(sample) < 300),
        'the other channel holds the silence of the callee',
      );
      await noChannelIsLeft(servers());
    },
  );
};

const testBuiltInAgent = (servers: () => SipServers): void => {
  realTimeTest('the built-in agent holds a complete call in Korean', async (t) => {
    const telephone = await startTelephone(servers().folder, { seconds: 60 });
    t.teardown(telephone.close);
    const gateway = await realGateway(t, servers(), telephone.port);
    await gateway.admin.patch(gateway.numberPath, { silence_timeout_sec: 5 });
    const callId = await gateway.call(callee, '내일 오후 3시 예약을 확인해 주세요');
    const ended = await gateway.untilStatus(callId, 'active');
    t.is(ended['end_reason'], null);
    await until(async () => (await gateway.transcript(callId)).length > 0);
    const [opening] = await gateway.transcript(callId);
    t.is((await gateway.client.post(`/api/v1/calls/${callId}/hangup`, { immediate: true })).status, 202);
    t.like(await gateway.untilStatus(callId, ...finalStatuses), { end_reason: 'agent_hangup' });
    const { channels } = await telephone.heard();
    const heard = channels[0] ?? new Int16Array();
    let before = 0;
    for (const sentence of opening?.text.match(/[^.?]+[.?]/g) ?? []) {
      const voice = await voiceOf(sentence.trim(), 'ko');
      const { offsetMs, likeness } = findIn(heard, voice, 8_000);
      t.log({ sentence, offsetMs, likeness, pauseMs: offsetMs - before });
      t.true(likeness > 0.9, `"${sentence}" is heard`);
      t.true(offsetMs >= before - 20, 'one sentence after the other');
      before = offsetMs + voice.length / 8;
    }
    await noChannelIsLeft(servers());
  });
};

const testCallers = (servers: () => SipServers): void => {
  realTimeTest('plays the greeting to a caller, who hangs up', async (t) => {
    const gateway = await realGateway(t, servers(), await ownPort());
    const greeting = 'Good morning, this is the flower shop. What can I do for you?';
    await gateway.admin.patch(gateway.numberPath, { language: 'en', greeting });
    const telephone = await startTelephone(servers().folder, {
      dial: `sip:${gateway.credentials.number}@127.0.0.1:${servers().sipPort}`,
      from: '01012345678',
      seconds: 8,
    });
    t.teardown(telephone.close);
    const { channels } = await telephone.heard();
    const [call] = z
      .object({ calls: z.array(z.object({ id: z.string() })) })
      .parse((await gateway.client.get('/api/v1/calls')).body).calls;
    const ended = await gateway.untilStatus(call?.id ?? '', ...finalStatuses);
    t.like(ended, {
      direction: 'inbound',
      from: '01012345678',
      to: gateway.credentials.number,
      status: 'completed',
      end_reason: 'counterparty_hangup',
    });
    t.is((await gateway.transcript(call?.id ?? ''))[0]?.text, greeting);
    const found = findIn(channels[0] ?? new Int16Array(), await voiceOf(greeting, 'en'), 8_000);
    t.log({ found, duration: ended['duration_sec'] });
    t.true(found.likeness > 0.9, 'the greeting is heard');
    await noChannelIsLeft(servers());
  });

  realTimeTest('rejects a call to an unknown number with 404', async (t) => {
    const gateway = await realGateway(t, servers(), await ownPort());
    const telephone = await startTelephone(servers().folder, {
      dial: `sip:0298765432@127.0.0.1:${servers().sipPort}`,
      seconds: 5,
    });
    t.teardown(telephone.close);
    await until(async () => /404 Not Found/.test(await telephone.log()));
    t.deepEqual((await gateway.client.get('/api/v1/calls')).body['calls'], []);
  });
};

onRealServers('calls through a whole gateway', (servers) => {
  testFarewell(servers);
  testBuiltInAgent(servers);
  testCallers(servers);
});
