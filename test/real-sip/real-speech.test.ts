/**
 * Real speech, understood by a real recognizer: flite speaks into a call, PocketSphinx recognizes it, and the
 * transcript has the words. Only with G.722 and Opus, because its model is not trained on telephone audio.
 */
import { spawnSync } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { z } from 'zod';
import { loadResampler } from '#sip/audio/resampler.ts';
import type { Audio } from '#sip/audio/speech.ts';
import type { TrunkCodec } from '#src/domain/trunk.ts';
import { sendReply, startAgentServer } from '#test/helpers/agent-server.ts';
import { finalStatuses, type TestGateway } from '#test/helpers/gateway.ts';
import { decodeRecording } from './decode-recording.ts';
import { startTelephone } from './far-end.ts';
import { isWithout, onRealServers } from './on-real-servers.ts';
import { realGateway } from './real-gateway.ts';
import { until } from './real-lines.ts';
import { realTimeTest } from './real-time-test.ts';
import { readWave } from './wave.ts';

const sentence = 'please call me back tomorrow';
const seconds = 25;
/** Waits until the agent's greeting is over. */
const beginsAt = 5;

const missing = ['flite', 'pocketsphinx_continuous'].filter(
  (program) => spawnSync('which', [program]).status !== 0,
);

/** The sentence between silences, spoken by flite. */
const spoken = async (folder: string, sampleRate: number): Promise<Audio> => {
  const file = join(folder, `spoken-${sampleRate}.wav`);
  spawnSync('flite', ['-voice', 'slt', '-t', sentence, '-o', file]);
  const wave = readWave(await readFile(file));
  const resample = await loadResampler();
  const samples = new Int16Array(seconds * sampleRate);
  const voice = resample(wave.channels[0] ?? new Int16Array(), wave.sampleRate, sampleRate);
  samples.set(voice, beginsAt * sampleRate);
  return { sampleRate, samples };
};

/** Binds an agent that greets, and says goodbye when it has understood something. */
const bindAgent = async (t: ExecutionContext, gateway: TestGateway): Promise<void> => {
  const server = await startAgentServer(async (response, request) => {
    const { call_id, message } = z
      .object({ call_id: z.string(), message: z.string() })
      .parse(JSON.parse(request.body));
    const isKickoff = message.startsWith('[');
    if (!isKickoff) await gateway.client.post(`/api/v1/calls/${call_id}/hangup`);
    await sendReply(isKickoff ? 'Hello.' : 'Goodbye.')(response, request);
  });
  t.teardown(server.close);
  await gateway.admin.put(`${gateway.numberPath}/agents/outbound`, {
    agent: 'endpoint',
    agent_type: 'webhook',
    chat_url: server.url,
  });
};

const codecs: readonly { codec: TrunkCodec; sampleRate: number }[] = [
  { codec: 'G722', sampleRate: 16_000 },
  { codec: 'opus', sampleRate: 48_000 },
];

if (missing.length > 0)
  test.skip(`recognition of real speech: NOT RUN, ${missing.join(', ')} not installed`, (t) => t.pass());
else
  onRealServers('real speech', (servers) => {
    for (const { codec, sampleRate } of codecs)
      realTimeTest(`recognizes speech in ${codec} and writes it into the transcript`, async (t) => {
        if (await isWithout(t, servers(), codec)) return;
        const telephone = await startTelephone(servers().folder, {
          seconds,
          codecs: [codec],
          plays: await spoken(servers().folder, sampleRate),
        });
        t.teardown(telephone.close);
        const gateway = await realGateway(t, servers(), telephone.port, {
          GW_TRUNK_CODECS: `${codec},PCMU`,
          GW_RECOGNIZERS: 'pocketsphinx',
        });
        await gateway.admin.patch(gateway.numberPath, { language: 'en' });
        await bindAgent(t, gateway);
        const callId = await gateway.call('01099998888', 'Ask when to call back');
        t.like(await gateway.untilStatus(callId, ...finalStatuses), { end_reason: 'agent_hangup' });
        const turns = await gateway.transcript(callId);
        t.log(turns.map(({ role, text }) => `${role}: ${text}`));
        const heard = turns.flatMap(({ role, text }) => (role === 'user' ? [text] : []));
        t.is(heard.join(' ').toLowerCase(), sentence);
        const path = `/api/v1/calls/${callId}/recording`;
        await until(async () => (await gateway.client.get(path)).status === 200);
        const recording = await decodeRecording((await gateway.client.get(path)).bytes);
        t.is(recording.sampleRate, 16_000);
      });
  });
