/**
 * A call in simulated time, with all components of a real one: the agent speaks, a sound occurs over its voice, and the
 * resulting audio is read where it leaves for the far end.
 */
import { pino } from 'pino';
import { listening } from '#config/policy.ts';
import type { BargeIn, LineReport } from '#machines/line.ts';
import { createCallMedia } from '#sip/audio/call-media.ts';
import { createLineTime } from '#sip/audio/line-time.ts';
import type { OpenVoiceDetector } from '#sip/audio/listening/voice-detector.ts';
import type { AudioEvents } from '#sip/audio/media-endpoint.ts';
import { ringMemory, SampleRing } from '#sip/audio/sample-ring.ts';
import { telephoneRate } from '#sip/audio/samples.ts';
import { pathInto } from '#test/helpers/path-into.ts';
import { soundEndpoint } from '#test/helpers/sound-endpoint.ts';
import { byPauses } from '#test/helpers/usual-turn-end.ts';
import { createOrderedClock } from '#test/contract/ordered-clock.ts';
import { lineNoise, type BargeInSound } from './sounds.ts';
import { scriptedRecognizer, type Gives } from './scripted-recognizer.ts';

export type Verdict = {
  /** From the first sound over the agent's voice to its silence; `null`: it was never silent. */
  silentAfterMs: number | null;
  /** True if the agent was silent, then resumed. */
  wentOn: boolean;
  /** True if the rest of the utterance was dropped. */
  wasStopped: boolean;
};

const frameLength = 160;
const frameMs = 20;
/** Duration of the agent's speech before the sound, and of the observation after it. */
const beforeMs = 1_500;
const behindMs = 4_000;
/** Earlier words are over before the agent's words begin. */
const shownMs = 2_000;
/** Echo of the agent's voice, and its delay: 36 dB quieter. */
const echo = { factor: 0.016, frames: 4 };

/** The sound has telephone quality. */
const neverResampled = (samples: Int16Array): Int16Array => samples;

const settled = (): Promise<unknown> => new Promise((resolve) => setImmediate(resolve));

/** The sound begins at this sample of the line's noise. */
const heardOnLine = (samples: BargeInSound['samples'], from: number, totalMs: number) => {
  const heard = lineNoise(totalMs * 8);
  samples.forEach((sample, index) => (heard[from + index] = (heard[from + index] ?? 0) + sample));
  return heard;
};

const addEcho = (frame: Int16Array, back: Int16Array): void =>
  frame.forEach((sample, at) => (frame[at] = sample + (back[at] ?? 0) * echo.factor));

type SpeakOverOptions = {
  gives: Gives;
  bargeIn: BargeIn;
  /** The agent's words, at 8000 Hz. */
  voice: Int16Array;
  openDetector: OpenVoiceDetector;
};

export const speakOver = async (
  sound: BargeInSound,
  { gives, bargeIn, voice, openDetector }: SpeakOverOptions,
): Promise<Verdict> => {
  const clock = createOrderedClock();
  const time = createLineTime(clock, 1);
  const ring = new SampleRing(ringMemory(65_536));
  const recognizer = scriptedRecognizer(gives, (milliseconds, act) => time.after(milliseconds, act));
  let events: AudioEvents | undefined;
  const verdict: Verdict = { silentAfterMs: null, wentOn: false, wasStopped: false };

  const asCallsDo = (report: LineReport): void => {
    if (report.type === 'line.onset') media.pauseTalking();
    if (report.type === 'line.no_speech') media.resumeTalking();
    const isSpeech = report.type === 'line.speech' || (report.type === 'line.heard' && !report.backchannel);
    if (!isSpeech || clock.now() < begunAt) return;
    verdict.wasStopped = true;
    media.stopTalking();
  };
  const media = createCallMedia({
    speak: async function* () {
      yield voice;
    },
    hearing: { recognizer, openDetector, numbers: listening, turnModel: null, resample: neverResampled },
    openRecording: null,
    input: { callId: '', language: sound.language, direction: 'inbound', bargeIn, turnEnd: byPauses },
    time,
    report: (report) => time.after(0, () => asCallsDo(report)),
    onLost() {},
    logger: pino({ level: 'silent' }),
  });
  let begunAt = Infinity;
  await media.begin(
    soundEndpoint(async (to) => {
      events = to;
      return pathInto(ring, telephoneRate, time);
    }),
  );

  const totalMs = beforeMs + sound.samples.length / 8 + behindMs;
  const from = beforeMs * 8 + sound.offset;
  const heard = heardOnLine(sound.samples, from, totalMs);
  const said: Int16Array[] = [];

  /** The next 20 ms: audio of the far end arrives, and the agent's audio leaves. */
  const beat = (index: number): void => {
    const begin = index * frameLength;
    const back = said.at(-echo.frames);
    const frame = heard.slice(begin, begin + frameLength);
    if (back !== undefined) addEcho(frame, back);
    clock.advance(frameMs);
    events?.onAudio(frame);
    clock.advance(0);
    const voiced = new Int16Array(frameLength);
    const isVoiced = ring.read(voiced) > 0;
    said.push(voiced);
    const sinceMs = (begin + frameLength - from) / 8;
    if (sinceMs <= 0) return;
    if (!isVoiced) verdict.silentAfterMs ??= sinceMs;
    else if (verdict.silentAfterMs !== null) verdict.wentOn = true;
  };

  recognizer.show();
  for (let index = 0; index * frameMs < shownMs; index += 1) {
    clock.advance(frameMs);
    events?.onAudio(lineNoise(frameLength));
  }
  media.say(1, 'words '.repeat(60));
  await settled();
  begunAt = clock.now();
  for (let index = 0; index * frameMs < totalMs; index += 1) {
    if (index * frameMs === beforeMs - frameMs) recognizer.hear(sound.text, sound.samples.length / 8);
    beat(index);
  }
  media.close();
  return verdict;
};
