/** A far end that hears and speaks, with sipp for its SIP, and a gateway that recognizes it. */
import type { ExecutionContext } from 'ava';
import type { TestGateway } from '#test/helpers/gateway.ts';
import { startEarAndMouth, type EarAndMouth } from './ear-and-mouth.ts';
import { startFarEnd } from './far-end.ts';
import { realGateway } from './real-gateway.ts';
import type { SipServers } from './sip-servers.ts';
import type { ToneVoskServer } from './tone-vosk-server.ts';

export type SpeakingEnd = {
  far: EarAndMouth;
  /** The port of a trunk that leads to the far end. */
  trunkPort: number;
};

/** Starts a far end that ends with the test. */
export const startSpeakingEnd = async (
  t: ExecutionContext,
  servers: SipServers,
  options: { sendsSilence?: boolean } = {},
): Promise<SpeakingEnd> => {
  const far = await startEarAndMouth(options);
  t.teardown(far.close);
  const sipp = await startFarEnd('speaking', servers.folder, { ear: far.port });
  t.teardown(sipp.close);
  return { far, trunkPort: sipp.port };
};

/** A gateway that recognizes tones, with an English number of these settings. */
export const listeningGateway = async (
  t: ExecutionContext,
  { servers, recognizer, trunkPort }: { servers: SipServers; recognizer: ToneVoskServer; trunkPort: number },
  number: Readonly<Record<string, unknown>> = {},
): Promise<TestGateway> => {
  const gateway = await realGateway(t, servers, trunkPort, {
    GW_RECOGNIZERS: 'vosk',
    GW_VOSK_URL: recognizer.url,
  });
  await gateway.admin.patch(gateway.numberPath, { language: 'en', ...number });
  return gateway;
};
