/**
 * Audio above 4000 Hz in a voice: with G.722 and Opus it reaches the recognizer and the far end, with G.711 it does
 * not.
 */
import { setTimeout as delay } from 'node:timers/promises';
import type { LineEvent } from '#machines/line.ts';
import type { Recognizer } from '#sip/audio/speech.ts';
import type { TrunkCodec } from '#src/domain/trunk.ts';
import { joinSamples } from '#src/domain/sample-bytes.ts';
import { sameSpeech } from '#test/helpers/same-speech.ts';
import { lineInput } from '#test/helpers/line-input.ts';
import { amplitudesOf, medianOf, toneOf } from '#test/sip/rtp/tone.ts';
import { startTelephone } from './far-end.ts';
import { isWithout, onRealServers } from './on-real-servers.ts';
import { realLines, until } from './real-lines.ts';
import { realTimeTest } from './real-time-test.ts';

/** Pitches of the far end's voice and of the agent's; a telephone carries neither. */
const theirs = 5_500;
const ours = 6_200;
const amplitude = 6_000;

/** Stores received audio. */
const keepingRecognizer = () => {
  const heard: Int16Array[] = [];
  const rates: number[] = [];
  const recognizer: Recognizer = {
    name: 'keeping',
    open({ sampleRate }) {
      rates.push(sampleRate);
      return {
        write: (samples) => void heard.push(samples.slice()),
        speechBegan() {},
        speechEnded() {},
        close() {},
      };
    },
  };
  return { recognizer, rates, heard };
};

/** `codecRate` is that of the telephone's voice, `rate` that of the call here. */
const calls: readonly { takes: TrunkCodec; codecRate: number; trunk: TrunkCodec[]; rate: number }[] = [
  { takes: 'PCMU', codecRate: 16_000, trunk: ['opus', 'G722', 'PCMU'], rate: 8_000 },
  { takes: 'G722', codecRate: 16_000, trunk: ['G722', 'PCMU'], rate: 16_000 },
  { takes: 'opus', codecRate: 48_000, trunk: ['PCMU', 'opus'], rate: 16_000 },
];

onRealServers('wide sound', (servers) => {
  for (const { takes, codecRate, trunk, rate } of calls)
    realTimeTest(`a call with ${takes} has two-way audio at ${rate} Hz`, async (t) => {
      if (await isWithout(t, servers(), takes)) return;
      const phone = await startTelephone(servers().folder, {
        seconds: 15,
        codecs: [takes],
        plays: { samples: toneOf(theirs, 15, codecRate, amplitude), sampleRate: codecRate },
      });
      t.teardown(phone.close);
      const { recognizer, rates, heard } = keepingRecognizer();
      const voice = {
        name: 'tone',
        synthesize: async () => ({ sampleRate: 16_000, samples: toneOf(ours, 2, 16_000, amplitude) }),
      };
      const lines = await realLines(servers(), phone.port, {
        trunk: { address: `127.0.0.1:${phone.port}`, codecs: trunk },
        speech: sameSpeech(voice, recognizer),
      });
      t.teardown(() => lines.close());
      await lines.start(async () => ({ accepted: false, because: 'unknown_number' }));
      const events: LineEvent[] = [];
      const line = lines.open(lineInput({ from: '07012345678' }), (event) => events.push(event));
      await until(() => events.some(({ type }) => type === 'line.answered'));
      const answeredAt = Date.now();
      line.tell({ type: 'say', utterance: 1, text: 'a tone' });
      await until(() => events.some(({ type }) => type === 'line.played'));
      await delay(1_000);
      const endedAt = Date.now();
      line.tell({ type: 'hangUp' });
      await until(() => events.some(({ type }) => type === 'line.ended'));

      t.deepEqual(rates, [rate]);
      const sound = joinSamples(heard);
      const share = sound.length / rate / ((endedAt - answeredAt) / 1_000);
      t.true(share > 0.8 && share < 1.1, `${share} of the call was heard`);
      const inEar = medianOf(amplitudesOf(theirs, sound, rate));
      const wave = await phone.heard();
      const there = amplitudesOf(ours, wave.channels[0] ?? new Int16Array(), wave.sampleRate);
      const loudestThere = medianOf(there.toSorted((one, other) => other - one).slice(0, 15));
      t.log({ inEar, loudestThere });
      for (const measured of [inEar, loudestThere])
        t.true(rate === 16_000 ? measured > 0.8 * amplitude : measured < 0.02 * amplitude);
      const ended = events.find(({ type }) => type === 'line.ended');
      t.is(ended?.type === 'line.ended' ? ended.sound?.codec : null, takes);
    });
});
