/**
 * Plays an announcement into an outbound call in simulated time, through all that listens and plays in a real call, and
 * returns who the gateway takes the answerer for. The recognizer knows the words and emits them as late as real ones do.
 */
import { pino } from 'pino';
import { listening, platformCallPolicy } from '#config/policy.ts';
import type { AnsweredBy, LineReport } from '#machines/line.ts';
import { createCallMedia } from '#sip/call-media.ts';
import { createLineTime } from '#sip/line-time.ts';
import { loadVoiceDetector, type OpenVoiceDetector } from '#sip/listening/voice-detector.ts';
import type { SoundEvents } from '#sip/media/media-endpoint.ts';
import { ringMemory, SampleRing } from '#sip/media/sample-ring.ts';
import { createSoundPath } from '#sip/media/sound-path.ts';
import { telephoneRate } from '#sip/samples.ts';
import { createOrderedClock } from '#test/contract/ordered-clock.ts';
import { soundEndpoint } from '#test/helpers/sound-endpoint.ts';
import { byPauses } from '#test/helpers/usual-turn-end.ts';
import { scriptedRecognizer, type Gives } from '../barge-in-sounds/scripted-recognizer.ts';
import { tones } from '../barge-in-sounds/sound-making.ts';
import { lineNoise } from '../barge-in-sounds/sounds.ts';
import { announcements, type Announcement } from './announcements.ts';
import { readVoices } from './voices.ts';

export type Verdict = {
  /** `null`: it stayed unclear. */
  by: AnsweredBy | null;
  /** Milliseconds from the first sound of the announcement to the verdict. */
  afterMs: number;
  /** The message would begin so long behind the last sound of the announcement, in milliseconds; negative: into it. */
  messageMs: number | null;
};

export type Judged = { announcement: Announcement; lengthMs: number; verdict: Verdict };

/** Whether the agent says its opening meanwhile. */
export type Agent = 'speaks' | 'waits';

const frameLength = 160;
const frameMs = 20;
/** From the answer to the first sound. */
const beforeMs = 800;
/** The longest wait for a verdict behind the last sound. */
const behindMs = 12_000;
const beep = Int16Array.from(tones(500, [1_000]), (sample) => Math.round(sample * 9_000));
/** The loss of the agent's voice on its way back is 36 dB, four frames late. */
const echo = { factor: 0.016, frames: 4 };
/** Five seconds of an opening. */
const openingLength = 40_000;

type Cue = { atMs: number; text: string; lengthMs: number };

/** The samples of an announcement, and when which words begin. */
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
  /** At 8000 Hz. */
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
  let events: SoundEvents | undefined;

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
      return createSoundPath(ring, telephoneRate, time);
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

/** One announcement after the other. */
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

/** A person may be judged by the silence behind the first words, everybody else by what was said. */
const lateMs = { human: 4_000, machine: 2_000, screening: 2_000, menu: 2_000 } as const;

/** `late`: the verdict is right and came this long after the last sound. */
export const rate = ({ announcement, lengthMs, verdict }: Judged): 'right' | 'late' | 'wrong' | 'unclear' => {
  if (verdict.by === null) return 'unclear';
  const leavesMessage = verdict.messageMs !== null && announcement.by !== 'machine';
  if (verdict.by !== announcement.by || leavesMessage) return 'wrong';
  return verdict.afterMs > lengthMs + lateMs[announcement.by] ? 'late' : 'right';
};
