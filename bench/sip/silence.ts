/** Time until the agent is silent at the far end, over real SIP and RTP, after the other party interrupts it. */
import type { BargeInMode } from '#machines/line.ts';
import type { TrunkMedia } from '#src/domain/trunk.ts';
import { startEarAndMouth } from '#test/real-sip/ear-and-mouth.ts';
import { until } from '#test/real-sip/real-lines.ts';
import type { SipServers } from '#test/real-sip/sip-servers.ts';
import type { Bench } from '../bench.ts';
import { percentile } from '../percentile.ts';
import { standingCall } from './standing-call.ts';

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
  let speechAt = 0;
  let heard = 0;
  const line = await standingCall({ servers, media, bargeIn: mode, ear: far, started }, ({ type }, call) => {
    if (type === 'line.heard') heard += 1;
    if (type === 'line.onset') call.tell({ type: 'pauseTalking' });
    if (type === 'line.no_speech') call.tell({ type: 'resumeTalking' });
    if (type !== 'line.speech') return;
    speechAt = Date.now();
    call.tell({ type: 'stopTalking' });
  });
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
