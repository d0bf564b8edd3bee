/** Numbers with chosen speech engines, on real lines. */
import test from 'ava';
import { z } from 'zod';
import { bytesOf } from '#src/domain/sample-bytes.ts';
import { loadResampler } from '#sip/audio/resampler.ts';
import { sendReply, startAgentServer } from '#test/helpers/agent-server.ts';
import { finalStatuses } from '#test/helpers/gateway.ts';
import { sendSound, startHttpEngine } from '#test/speech/doubles/http-engine.ts';
import { startSocketEngine } from '#test/speech/doubles/socket-engine.ts';
import { decodeRecording } from './decode-recording.ts';
import { realGateway } from './real-gateway.ts';
import { until } from './real-lines.ts';
import { realTimeTest } from './real-time-test.ts';
import { missingPrograms, startServers, type SipServers } from './sip-servers.ts';
import { createToneDecoder, sayInTones } from './tone-speech.ts';
import { startSpeakingEnd } from './speaking-end.ts';
import { startToneVoskServer, type ToneVoskServer } from './tone-vosk-server.ts';

const speech = z.object({ input: z.string(), voice: z.string() });

const missing = missingPrograms();
if (missing.length > 0) {
  test.skip(`engines of a number on real servers: NOT RUN, ${missing.join(', ')} not installed`, (t) =>
    t.pass());
} else {
  let servers: SipServers;
  let vosk: ToneVoskServer;
  test.before(async () => {
    servers = await startServers();
    vosk = await startToneVoskServer();
  });
  test.after.always(async () => {
    await vosk.close();
    await servers.close();
  });

  realTimeTest('uses the chosen engines of a number to recognize and to speak', async (t) => {
    const deaf = await startSocketEngine(t);
    const resample = await loadResampler();
    // A synthesizer at 24000 Hz whose tones can be recognized.
    const tones = await startHttpEngine(t, (response, request) => {
      const { input } = speech.parse(JSON.parse(String(request.body)));
      sendSound([bytesOf(resample(sayInTones(input), 8_000, 24_000))])(response, request);
    });
    const { far, trunkPort } = await startSpeakingEnd(t, servers);
    const gateway = await realGateway(t, servers, trunkPort, {
      GW_RECOGNIZERS: 'deepgram,vosk',
      GW_DEEPGRAM_URL: `http://127.0.0.1:${deaf.port}`,
      GW_DEEPGRAM_API_KEY: 'hush-hush',
      GW_VOSK_URL: vosk.url,
      GW_SYNTHESIZERS: 'espeak-ng,openai-speech',
      GW_SPEECH_BASE_URL: tones.url,
    });
    const choice = { recognizer: 'vosk', synthesizer: 'openai-speech', voice: 'nova' };
    t.like((await gateway.admin.patch(gateway.numberPath, { language: 'en', ...choice })).body, choice);
    const agent = await startAgentServer(async (response, request) => {
      const { call_id, message } = z
        .object({ call_id: z.string(), message: z.string() })
        .parse(JSON.parse(request.body));
      if (message.startsWith('[outbound')) return sendReply('For when?')(response, request);
      await gateway.client.post(`/api/v1/calls/${call_id}/hangup`);
      return sendReply('Goodbye.')(response, request);
    });
    t.teardown(agent.close);
    await gateway.admin.put(`${gateway.numberPath}/agents/outbound`, {
      agent: 'endpoint',
      agent_type: 'webhook',
      chat_url: agent.url,
    });

    const callId = await gateway.call('01099998888', 'Reserve a table');
    await far.untilSpokenTo(300);
    await far.untilSilentFor(1_000);
    await far.say('Tomorrow.');
    t.like(await gateway.untilStatus(callId, ...finalStatuses), { end_reason: 'agent_hangup' });
    t.deepEqual(
      (await gateway.transcript(callId)).map(({ role, text }) => `${role}: ${text}`),
      ['assistant: For when?', 'user: Tomorrow.', 'assistant: Goodbye.'],
    );
    t.is(deaf.connections.length, 0);
    t.deepEqual(
      tones.requests.map(({ body }) => speech.parse(JSON.parse(String(body)))),
      [
        { input: 'For when?', voice: 'nova' },
        { input: 'Goodbye.', voice: 'nova' },
      ],
    );

    const path = `/api/v1/calls/${callId}/recording`;
    await until(async () => (await gateway.client.get(path)).status === 200);
    const { channels, sampleRate } = await decodeRecording((await gateway.client.get(path)).bytes);
    const heard: string[] = [];
    const voice = (channels[1] ?? new Int16Array()).filter((_, index) => index % (sampleRate / 8_000) === 0);
    createToneDecoder({ words: () => {}, whole: (text) => heard.push(text) }).write(voice);
    t.deepEqual(heard, ['For when?', 'Goodbye.']);
  });
}
