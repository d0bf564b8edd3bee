/**
 * Plays an announcement into an outbound call in simulated time, with all components of a real call, and returns the
 * gateway's classification. The recognizer knows the words and emits them as late as real ones do.
 */
import { pino } from 'pino';
import { listening, platformCallPolicy } from '#config/policy.ts';
import type { AnsweredBy, LineReport } from '#machines/line.ts';
import { createCallMedia } from '#sip/audio/call-media.ts';
import { createLineTime } from '#sip/audio/line-time.ts';
import { loadVoiceDetector, type OpenVoiceDetector } from '#sip/audio/listening/voice-detector.ts';
import type { AudioEvents } from '#sip/audio/media-endpoint.ts';
import { ringMemory, SampleRing } from '#sip/audio/sample-ring.ts';
import { telephoneRate } from '#sip/audio/samples.ts';
import { pathInto } from '#test/helpers/path-into.ts';
import { createOrderedClock } from '#test/contract/ordered-clock.ts';
import { soundEndpoint } from '#test/helpers/sound-endpoint.ts';
import { byPauses } from '#test/helpers/usual-turn-end.ts';
import { scriptedRecognizer, type Gives } from '../barge-in-sounds/scripted-recognizer.ts';
import { tones } from '../barge-in-sounds/sound-making.ts';
import { lineNoise } from '../barge-in-sounds/sounds.ts';
import { announcements, type Announcement } from './announcements.ts';
import { readVoices } from './voices.ts';

export type Verdict = {
  /** `null`: no classification. */
  by: AnsweredBy | null;
  /** Milliseconds from the first audio of the announcement to the verdict. */
  afterMs: number;
  /** Start of the message after the last audio of the announcement, in milliseconds; negative: before its end. */
  messageMs: number | null;
};

export type Judged = { announcement: Announcement; lengthMs: number; verdict: Verdict };

/** True if the agent says its opening during the announcement. */
export type Agent = 'speaks' | 'waits';

const frameLength = 160;
const frameMs = 20;
/** Time from the answer to the first audio. */
const beforeMs = 800;
/** The longest wait for a verdict after the last audio. */
const behindMs = 12_000;
const beep = Int16Array.from(tones(500, [1_000]), (sample) => Math.round(sample * 9_000));
/** The echo of the agent's voice is 36 dB quieter and four frames late. */
const echo = { factor: 0.016, frames: 4 };
/** Length of a shortened announcement in samples: five seconds. */
const openingLength = 40_000;

type Cue = { atMs: number; text: string; lengthMs: number };

/** The samples of an announcement, and the start times of its words. */
const compose = (parts: Announcement['parts'], voice: (text: string) => Int16Array) => {
  const sounds: Int16Array[] = [];
  const cues: Cue[] = [];
  let length = 0;
  const append = (samples: Int16Array): void => {
    sounds.push(samples);
    length += samples.length;
  };
  for (const part of parts)
    if (part === 'beep') append(beep);
    else if (typeof part === 'number') append(new Int16Array(part * 8));
    else {
      const samples = voice(part.say);
      cues.push({ atMs: length / 8, text: part.say, lengthMs: samples.length / 8 });
      append(samples);
    }
  return { samples: Int16Array.from(sounds.flatMap((sound) => [...sound])), cues, lengthMs: length / 8 };
};

const settled = (): Promise<unknown> => new Promise((resolve) => setImmediate(resolve));

type JudgeOptions = {
  gives: Gives;
  agent: Agent;
  /** Samples at 8000 Hz. */
  opening: Int16Array;
  voice: (text: string) => Int16Array;
  openDetector: OpenVoiceDetector;
};

const judgeOne = async (announcement: Announcement, options: JudgeOptions): Promise<Judged> => {
  const { gives, agent, opening, voice, openDetector } = options;
  const { samples, cues, lengthMs } = compose(announcement.parts, voice);
  const clock = createOrderedClock();
  const time = createLineTime(clock, 1);
  const ring = new SampleRing(ringMemory(65_536));
  const recognizer = scriptedRecognizer(gives, (milliseconds, act) => time.after(milliseconds, act));
  const beginsAt = clock.now() + beforeMs;
  const verdict: Verdict = { by: null, afterMs: 0, messageMs: null };
  let events: AudioEvents | undefined;

  const onReport = (report: LineReport): void => {
    if (report.type === 'line.onset') media.pauseTalking();
    if (report.type === 'line.no_speech') media.resumeTalking();
    if (report.type === 'line.speech' || (report.type === 'line.heard' && !report.backchannel))
      media.stopTalking();
    if (report.type === 'line.answered_by' && verdict.by === null) {
      verdict.by = report.by;
      verdict.afterMs = clock.now() - beginsAt;
    }
    if (report.type === 'line.takes_message') verdict.messageMs = clock.now() - beginsAt - lengthMs;
  };
  const media = createCallMedia({
    speak: async function* () {
      yield opening;
    },
    hearing: { recognizer, openDetector, numbers: listening, turnModel: null, resample: (sound) => sound },
    openRecording: null,
    input: {
      callId: '',
      language: announcement.language,
      direction: 'outbound',
      bargeIn: platformCallPolicy.bargeIn,
      turnEnd: byPauses,
    },
    time,
    report: (report) => time.after(0, () => onReport(report)),
    onLost() {},
    logger: pino({ level: 'silent' }),
  });
  await media.begin(
    soundEndpoint(async (to) => {
      events = to;
      return pathInto(ring, telephoneRate, time);
    }),
  );
  if (agent === 'speaks') media.say(1, 'words '.repeat(15));
  await settled();

  for (const { atMs, text, lengthMs: wordsMs } of cues)
    time.after(beforeMs + atMs, () => recognizer.hear(text, wordsMs));
  const totalMs = beforeMs + lengthMs + behindMs;
  const heard = lineNoise(totalMs * 8);
  samples.forEach(
    (sample, index) => (heard[beforeMs * 8 + index] = (heard[beforeMs * 8 + index] ?? 0) + sample),
  );
  const said: Int16Array[] = [];
  for (let begin = 0; begin < totalMs * 8; begin += frameLength) {
    const frame = heard.slice(begin, begin + frameLength);
    said.at(-echo.frames)?.forEach((sample, at) => (frame[at] = (frame[at] ?? 0) + sample * echo.factor));
    clock.advance(frameMs);
    events?.onAudio(frame);
    clock.advance(0);
    const voiced = new Int16Array(frameLength);
    ring.read(voiced);
    said.push(voiced);
  }
  media.close();
  return { announcement, lengthMs, verdict };
};

/** Evaluates one announcement after the other. */
export const judgeAll = async ({
  gives,
  agent,
}: Pick<JudgeOptions, 'gives' | 'agent'>): Promise<Judged[]> => {
  const openDetector = await loadVoiceDetector();
  const voice = readVoices();
  const opening = voice('おかけになった電話番号は、現在使われておりません。').slice(0, openingLength);
  const judged: Judged[] = [];
  for (const announcement of announcements)
    judged.push(await judgeOne(announcement, { gives, agent, opening, voice, openDetector }));
  return judged;
};

/** A person may be recognized by the silence after the first words, everything else by its words. */
const lateMs = { human: 4_000, machine: 2_000, screening: 2_000, menu: 2_000 } as const;

/** `late`: the verdict is right and came this long after the last audio. */
export const rate = ({ announcement, lengthMs, verdict }: Judged): 'right' | 'late' | 'wrong' | 'unclear' => {
  if (verdict.by === null) return 'unclear';
  const leavesMessage = verdict.messageMs !== null && announcement.by !== 'machine';
  if (verdict.by !== announcement.by || leavesMessage) return 'wrong';
  return verdict.afterMs > lengthMs + lateMs[announcement.by] ? 'late' : 'right';
};
