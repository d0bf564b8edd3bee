/** A recording that is paused on a real line: what both parties say meanwhile is nowhere in the file. */
import { setTimeout as sleep } from 'node:timers/promises';
import test from 'ava';
import { z } from 'zod';
import { sendReply, startAgentServer } from '#test/helpers/agent-server.ts';
import { finalStatuses } from '#test/helpers/gateway.ts';
import { decodeRecording } from './decode-recording.ts';
import { startTelephone } from './far-end.ts';
import { realGateway } from './real-gateway.ts';
import { until } from './real-lines.ts';
import { realTimeTest } from './real-time-test.ts';
import { missingPrograms, startServers, type SipServers } from './sip-servers.ts';

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

  realTimeTest('what is said in a pause is on neither channel, all else is on both', async (t) => {
    // Tones all the time from one side, words all the time from the other.
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
    // So far from the edges that a block of the codec does not reach over them.
    const levels = channels.map((samples) => ({
      before: loudest(samples, 0, from),
      within: loudest(samples, from + 0.1, to - 0.1),
      after: loudest(samples, to + 0.5, to + 4),
    }));
    t.log({ from, to, levels });
    t.is(levels.length, 2);
    for (const { before, within, after } of levels) {
      t.true(before > 2_000 && after > 2_000);
      t.is(within, 0);
    }
  });
}
