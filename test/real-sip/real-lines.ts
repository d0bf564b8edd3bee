import { setTimeout as delay } from 'node:timers/promises';
import { pino } from 'pino';
import { controlProbe, inboundAccess, listening, mediaServers, trunkTimes } from '#config/policy.ts';
import {
  createDrachtioLines,
  type DrachtioLines,
  type DrachtioLinesOptions,
} from '#sip/drachtio/drachtio-lines.ts';
import { loadVoiceDetector } from '#sip/audio/listening/voice-detector.ts';
import { loadResampler } from '#sip/audio/resampler.ts';
import { emptyDirectory } from '#sip/trunks/directory.ts';
import { loadOfOtherNodes } from '#sip/trunks/shared-limits.ts';
import { systemClock } from '#src/clocks.ts';
import type { TrunkMedia } from '#src/domain/trunk.ts';
import { espeakNg } from '#src/speech/espeak-ng.ts';
import { sameSpeech } from '#test/helpers/same-speech.ts';
import { ownLinePorts } from './ports.ts';
import { toneRecognizer } from './tone-recognizer.ts';
import type { SipServers } from './sip-servers.ts';

/** Number of endpoints that each of these lines pools on each media server. */
export const pooled = 2;

/** Lines on the real servers whose outbound calls go to this port of loopback. */
export const realLines = async (
  { drachtio, freeSwitch }: Pick<SipServers, 'drachtio' | 'freeSwitch'>,
  trunkPort: number,
  options: Partial<DrachtioLinesOptions> = {},
  media: TrunkMedia = 'freeswitch',
): Promise<DrachtioLines> =>
  createDrachtioLines({
    drachtio,
    freeSwitches: [freeSwitch],
    controlProbe,
    mediaServers: { ...mediaServers, rtpTimeoutMs: 0, pool: { ...mediaServers.pool, size: pooled } },
    trunk: { address: `127.0.0.1:${trunkPort}`, media },
    trunks: emptyDirectory,
    onCheckpoint() {},
    onCutOff: async () => {},
    onTaken() {},
    readOrphans: async () => [],
    trunkLoad: loadOfOtherNodes,
    trunkTimes,
    inboundAccess,
    mediaHost: '127.0.0.1',
    rtp: options.rtp ?? { host: '127.0.0.1', ports: await ownLinePorts() },
    country: 'KR',
    speech: sameSpeech(espeakNg(), toneRecognizer()),
    listening,
    openDetector: await loadVoiceDetector(),
    turnModel: null,
    resample: await loadResampler(),
    openRecording: null,
    overhear: () => ({ write() {}, isWanted: () => false, skip() {} }),
    sipMessages: null,
    clock: systemClock,
    logger: pino({ level: process.env['TEST_LOG'] ?? 'silent' }),
    ...options,
  });

/** Waits until the condition holds. Only a hang reaches the limit: a busy machine may be late by many seconds. */
export const until = async (
  condition: () => boolean | Promise<boolean>,
  atMostMs = 30_000,
): Promise<void> => {
  const end = Date.now() + atMostMs;
  while (!(await condition())) {
    if (Date.now() > end) throw new Error(`It did not happen in ${atMostMs / 1_000} s: ${String(condition)}`);
    await delay(10);
  }
};
