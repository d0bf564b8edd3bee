/** A whole gateway on real servers; its calls go to one telephone. */
import type { ExecutionContext } from 'ava';
import { mediaServers } from '#config/policy.ts';
import { loadResampler } from '#sip/audio/resampler.ts';
import { espeakNg } from '#src/speech/espeak-ng.ts';
import { sendReply, startAgentServer } from '#test/helpers/agent-server.ts';
import { testGateway, type TestGateway } from '#test/helpers/gateway.ts';
import { z } from 'zod';
import { until } from './real-lines.ts';
import type { SipServers } from './sip-servers.ts';

export const realGateway = (
  t: ExecutionContext,
  { drachtio, freeSwitch }: Pick<SipServers, 'drachtio' | 'freeSwitch'>,
  trunkPort: number,
  environment: Record<string, string> = {},
): Promise<TestGateway> =>
  testGateway(t, {
    GW_LINES: 'drachtio',
    GW_DRACHTIO: `${drachtio.host}:${drachtio.port}`,
    GW_RELAY: 'none',
    GW_DRACHTIO_SECRET: drachtio.secret,
    GW_FREESWITCH: `${freeSwitch.host}:${freeSwitch.port}`,
    GW_FREESWITCH_SECRET: freeSwitch.secret,
    GW_TRUNK: `127.0.0.1:${trunkPort}`,
    // Disables the media time-out: many far ends send no audio, and a busy machine makes their calls long.
    GW_RTP_TIMEOUT_SEC: '0',
    // Many tests decode the recordings.
    GW_RECORDINGS_FORMAT: 'ogg',
    ...environment,
  });

/** Resolves when only the pooled channels of such a gateway are left. */
export const noChannelIsLeft = (servers: SipServers): Promise<void> =>
  until(async () => (await servers.mediaServers[0]?.channels()) === mediaServers.pool.size);

/** The gateway's own voice, as sent on a telephone line. */
export const voiceOf = async (text: string, language: string): Promise<Int16Array> => {
  const { sampleRate, samples } = await espeakNg().synthesize(text, language);
  const resample = await loadResampler();
  return resample(samples, sampleRate, 8_000);
};

/** The outbound agent of the gateway's number: requests the hangup, then says its only sentence. */
export const bindFarewellAgent = async (
  t: ExecutionContext,
  gateway: TestGateway,
  farewell: string,
): Promise<void> => {
  const server = await startAgentServer(async (response, request) => {
    const { call_id } = z.object({ call_id: z.string() }).parse(JSON.parse(request.body));
    await gateway.client.post(`/api/v1/calls/${call_id}/hangup`);
    await sendReply(farewell)(response, request);
  });
  t.teardown(server.close);
  await gateway.admin.put(`${gateway.numberPath}/agents/outbound`, {
    agent: 'endpoint',
    agent_type: 'webhook',
    chat_url: server.url,
  });
};
