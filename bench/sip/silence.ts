/** How soon the agent falls silent at the far ear, over real SIP and RTP, when the other party speaks into its words. */
import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { platformCallPolicy } from '#config/policy.ts';
import type { BargeInMode } from '#machines/line.ts';
import type { TrunkMedia } from '#src/domain/trunk.ts';
import { startEarAndMouth } from '#test/real-sip/ear-and-mouth.ts';
import { startFarEnd } from '#test/real-sip/far-end.ts';
import { realLines, until } from '#test/real-sip/real-lines.ts';
import type { SipServers } from '#test/real-sip/servers.ts';
import type { Bench } from '../bench.ts';
import { percentile } from '../percentile.ts';

const rounds = 20;
const words =
  'This is a rather long sentence, which takes a few seconds until it was said to its end, and then some more.';
const frameMs = 20;

type Figures = { fromOnset: number[]; fromSpeech: number[]; toSpeech: number[] };

const measure = async (
  servers: SipServers,
  started: AsyncDisposableStack,
  mode: BargeInMode,
  media: TrunkMedia,
): Promise<Figures> => {
  const far = await startEarAndMouth();
  started.defer(far.close);
  const sipp = await startFarEnd('speaking', servers.folder, { ear: far.port });
  started.defer(sipp.close);
  const lines = await realLines(servers, sipp.port, {}, media);
  started.defer(() => lines.close());
  await lines.start(async () => ({ accepted: false, because: 'unknown_number' }));
  let speechAt = 0;
  let heard = 0;
  let answered = false;
  const line = lines.open(
    {
      callId: randomUUID(),
      direction: 'outbound',
      from: '0212345678',
      to: '01099998888',
      language: 'en',
      speech: { recognizer: null, synthesizer: null, voice: null },
      bargeIn: { ...platformCallPolicy.bargeIn, mode },
      turnEnd: platformCallPolicy.turnEnd,
      recording: false,
    },
    (event) => {
      if (event.type === 'line.answered') answered = true;
      if (event.type === 'line.heard') heard += 1;
      if (event.type === 'line.onset') line.tell({ type: 'pauseTalking' });
      if (event.type === 'line.no_speech') line.tell({ type: 'resumeTalking' });
      if (event.type !== 'line.speech') return;
      speechAt = Date.now();
      line.tell({ type: 'stopTalking' });
    },
  );
  started.defer(() => line.close());
  await until(() => answered);
  await pause(500);
  const figures: Figures = { fromOnset: [], fromSpeech: [], toSpeech: [] };
  for (let round = 0; round < rounds; round += 1) {
    line.tell({ type: 'say', utterance: round + 1, text: words });
    await far.untilSpokenTo(300 + 40 * round);
    const { from } = await far.say('Please wait.');
    await until(() => heard === round + 1);
    const silentAt = (far.lastHeardAt() ?? Number.NaN) + frameMs;
    figures.toSpeech.push(speechAt - from);
    figures.fromSpeech.push(Math.max(0, silentAt - speechAt));
    figures.fromOnset.push(silentAt - from);
  }
  return figures;
};

export const benchSilence =
  (servers: SipServers): Bench =>
  async ({ started, print }) => {
    const described = (samples: readonly number[]): string =>
      `p50 ${percentile(samples, 0.5)} ms, p95 ${percentile(samples, 0.95)} ms`;
    for (const media of ['direct', 'freeswitch'] as const) {
      const { fromOnset } = await measure(servers, started, 'pause', media);
      print(
        'voice to silence',
        `${described(fromOnset)} at the far ear from the first sound of a voice, where the agent pauses, ${media} (aim p95 ≤ 200 ms)`,
      );
    }
    const { fromSpeech, toSpeech } = await measure(servers, started, 'stop', 'freeswitch');
    print(
      'speech to silence',
      `${described(fromSpeech)} at the far ear from what was taken for speech, where the agent stops; which it was p50 ${percentile(toSpeech, 0.5)} ms after its first sound`,
    );
  };
