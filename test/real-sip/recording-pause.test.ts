/** A recording paused on a real line, by API or for secret digits: the file contains no audio of the pause. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import test from 'ava';
import { z } from 'zod';
import { freeSwitchLog } from '#src/servers/start-freeswitch.ts';
import { sendReply, startAgentServer } from '#test/helpers/agent-server.ts';
import { finalStatuses } from '#test/helpers/gateway.ts';
import { dtmfTone } from '#test/sip/audio/dtmf-tone.ts';
import { loadNow } from './busy-machine.ts';
import { decodeRecording } from './decode-recording.ts';
import { startTelephone } from './far-end.ts';
import { realGateway } from './real-gateway.ts';
import { until } from './real-lines.ts';
import { realTimeTest } from './real-time-test.ts';
import { missingPrograms, startServers, type SipServers } from './sip-servers.ts';

/** The longest silence, in seconds. */
const longestSilence = (samples: Int16Array, sampleRate: number): { from: number; to: number } => {
  let longest = { from: 0, to: 0 };
  let from = 0;
  for (const [index, sample] of samples.entries()) {
    if (sample !== 0) from = index + 1;
    else if (index + 1 - from > longest.to - longest.from) longest = { from, to: index + 1 };
  }
  return { from: longest.from / sampleRate, to: longest.to / sampleRate };
};

const missing = missingPrograms();
if (missing.length > 0) {
  test.skip(`pausing a recording on real servers: NOT RUN, ${missing.join(', ')} not installed`, (t) =>
    t.pass());
} else {
  let servers: SipServers;
  test.before(async () => {
    servers = await startServers();
  });
  test.after.always(async () => {
    await servers.close();
  });

  realTimeTest('omits audio of a pause on both channels and contains all other audio', async (t) => {
    // Continuous tones from one side, continuous words from the other.
    const says = Array.from({ length: 30 }, (_, index) => ({ afterMs: index * 1_000, text: 'ab' }));
    const telephone = await startTelephone(servers.folder, { seconds: 40, says });
    t.teardown(telephone.close);
    const gateway = await realGateway(t, servers, telephone.port);
    const { client } = gateway;
    await gateway.admin.patch(gateway.numberPath, { language: 'en' });
    const sentence = 'The number of your card is one two three four five six seven eight nine';
    const agent = await startAgentServer(sendReply(Array.from({ length: 12 }, () => sentence).join(' and ')));
    t.teardown(agent.close);
    await gateway.admin.put(`${gateway.numberPath}/agents/outbound`, {
      agent: 'endpoint',
      agent_type: 'webhook',
      chat_url: agent.url,
    });

    const callId = await gateway.call('01099998888');
    const path = `/api/v1/calls/${callId}`;
    const call = await gateway.untilStatus(callId, 'active');
    const answeredAt = Date.parse(z.string().parse(call['answered_at']));
    const sinceAnswer = (): number => (Date.now() - answeredAt) / 1_000;
    await sleep(5_000);
    t.is((await client.post(`${path}/recording/pause`)).status, 200);
    const from = sinceAnswer();
    await sleep(4_000);
    const to = sinceAnswer();
    t.is((await client.post(`${path}/recording/resume`)).status, 200);
    await sleep(5_000);
    await client.post(`${path}/hangup`, { immediate: true });
    await gateway.untilStatus(callId, ...finalStatuses);

    await until(async () => (await client.get(`${path}/recording`)).status === 200);
    const { bytes } = await client.get(`${path}/recording`);
    const { channels, sampleRate } = await decodeRecording(bytes);
    const loudest = (samples: Int16Array, begin: number, end: number): number =>
      samples
        .subarray(begin * sampleRate, end * sampleRate)
        .reduce((most, sample) => Math.max(most, Math.abs(sample)), 0);
    // The answer is noted a moment after the recording has begun, on a busy machine some tenths of a second.
    const [, agentSide = new Int16Array()] = channels;
    const pause = longestSilence(agentSide, sampleRate);
    t.log({ from, to, pause, load: loadNow() });
    t.true(Math.abs(pause.from - from) < 1, 'the silence is at the place of the pause');
    t.true(pause.to - pause.from > to - from - 0.2, 'the silence lasts as long as the pause');
    t.is(channels.length, 2);
    for (const samples of channels) {
      t.true(
        loudest(samples, 0, pause.from) > 2_000 && loudest(samples, pause.to + 0.5, pause.to + 4) > 2_000,
      );
      // Far enough from the ends of the pause for any block of the codec.
      t.is(loudest(samples, pause.from + 0.1, pause.to - 0.1), 0);
    }
  });

  /** A hum, and the tone of a digit above it, as a network adds it beside RTP events. */
  const tonesAndHum = (seconds: number): Int16Array => {
    const samples = Int16Array.from({ length: 8_000 * seconds }, (_, index) =>
      index % 8_000 < 3_000 ? 0 : 3_000 * Math.sin((2 * Math.PI * 420 * index) / 8_000),
    );
    for (let at = 800; at < samples.length; at += 8_000)
      samples.set(dtmfTone('5', { milliseconds: 220 }), at);
    return samples;
  };

  /** The strength of a tone in a second, from 0. */
  const strengthOf = (hertz: number, samples: Int16Array, sampleRate: number): number => {
    let [sine, cosine] = [0, 0];
    for (const [index, sample] of samples.entries()) {
      sine += sample * Math.sin((2 * Math.PI * hertz * index) / sampleRate);
      cosine += sample * Math.cos((2 * Math.PI * hertz * index) / sampleRate);
    }
    return Math.hypot(sine, cosine) / samples.length;
  };

  const fact = z.object({ type: z.string(), at: z.string(), data: z.record(z.string(), z.unknown()) });
  const pin = '471190';

  for (const carrier of ['freeswitch', 'direct'] as const)
    realTimeTest(`${carrier}: secret digits appear in no recording and no server log`, async (t) => {
      const telephone = await startTelephone(servers.folder, {
        seconds: 50,
        plays: { samples: tonesAndHum(50), sampleRate: 8_000 },
      });
      t.teardown(telephone.close);
      const gateway = await realGateway(t, servers, telephone.port, { GW_TRUNK_MEDIA: carrier });
      const { client } = gateway;
      const agent = await startAgentServer([
        sendReply('Six digits, please.<collect digits="6" secret="true"/>'),
        sendReply('Thank you.'),
      ]);
      t.teardown(agent.close);
      await gateway.admin.put(`${gateway.numberPath}/agents/outbound`, {
        agent: 'endpoint',
        agent_type: 'webhook',
        chat_url: agent.url,
        controls: 'inline',
      });
      await gateway.admin.patch(gateway.numberPath, { barge_in: { mode: 'off' } });

      const callId = await gateway.call('01099998888');
      const path = `/api/v1/calls/${callId}`;
      const facts = async () => z.array(fact).parse((await client.get(`${path}/events`)).body['events']);
      const untilFact = (type: string) => until(async () => (await facts()).some((one) => one.type === type));
      const call = await gateway.untilStatus(callId, 'active');
      const answeredAt = Date.parse(z.string().parse(call['answered_at']));
      const untilAt = async (type: string): Promise<number> => {
        await untilFact(type);
        const found = (await facts()).findLast((one) => one.type === type);
        return (Date.parse(found?.at ?? '') - answeredAt) / 1_000;
      };
      const from = await untilAt('collect.requested');
      await sleep(2_000);
      for (const key of pin) {
        await telephone.tell(`sndcode ${key}`);
        await sleep(400);
      }
      const to = await untilAt('recording.resumed');
      await telephone.tell('sndcode 7');
      await sleep(4_000);
      await client.post(`${path}/hangup`, { immediate: true });
      await gateway.untilStatus(callId, ...finalStatuses);
      t.true(agent.requests.some(({ body }) => body.includes(`[keys] ${pin}`)));
      t.true((await facts()).every(({ type, data }) => type !== 'turn.digit' || data['digit'] === '•'));

      await until(async () => (await client.get(`${path}/recording`)).status === 200);
      const { channels, sampleRate } = await decodeRecording((await client.get(`${path}/recording`)).bytes);
      const cut = (samples: Int16Array, begin: number, end: number): Int16Array =>
        samples.subarray(begin * sampleRate, end * sampleRate);
      const levels = channels.map((samples) =>
        cut(samples, from + 0.1, to - 0.2).reduce((most, sample) => Math.max(most, Math.abs(sample)), 0),
      );
      const [heard = new Int16Array()] = channels;
      const behind = cut(heard, to + 0.5, to + 3.5);
      const strengths = {
        tone: strengthOf(770, behind, sampleRate),
        hum: strengthOf(420, behind, sampleRate),
      };
      t.log({ from, to, levels, strengths });
      t.deepEqual(levels, [0, 0]);
      t.true(strengths.hum > 300 && strengths.tone < 10);

      const media = `freeswitch-${servers.freeSwitch.port}`;
      const files = [join(servers.folder, 'drachtio.log'), join(servers.folder, `${media}.log`)];
      const logs = await Promise.all(
        [...files, freeSwitchLog(join(servers.folder, media))].map((file) => readFile(file, 'utf8')),
      );
      const lines = [...logs, ...gateway.logged].flatMap((log) => log.split('\n'));
      t.deepEqual(
        lines.filter((line) => /DTMF [0-9]|Signal ?=/i.test(line)),
        [],
      );
    });
}
