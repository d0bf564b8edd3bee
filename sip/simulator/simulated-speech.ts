/**
 * The other party's speech on a line, and how it is understood: words are recognised a moment after they begin, and
 * a sentence is known to be over a moment after it is. A voice over the agent's is noticed before that.
 */
import type { BargeIn } from '#machines/line.ts';
import { isBackchannel } from '#src/domain/backchannels.ts';
import { createAlarm, type LineTime } from '../line-time.ts';
import { createBargeInWatch } from '../listening/barge-in-watch.ts';
import type { Heard } from '../listening/turn-taking.ts';
import { heardAfter, sayingTime } from '../speaking-time.ts';

/** From the first sound to the first recognised word. */
const recognitionMs = 200;
/** The silence after which a sentence counts as over. */
const endpointingMs = 300;
/** A sound that is no speech is taken for a voice for so long. */
const longestOnsetMs = 2_000;

/** Of a simulated person it is always known when the words were over. */
type HeardWhole = Required<Heard>;

export type Speech = {
  /** The person speaks, and what the words are is known only later, when they are `say`ed. May be repeated. */
  begin(): void;
  /** No words will come of what was begun. */
  cancel(): void;
  /** Begins to say this; the words before have been said. */
  say(text: string): void;
  isSpeaking(): boolean;
  /** From its next words on it is heard in this language (BCP 47). */
  changeLanguage(language: string): void;
  /** Makes a sound without words, or ceases to. */
  noise(isOn: boolean): void;
  /** No more sound is heard. What was said whole before is still understood; a word in the mouth is lost. */
  stop(): void;
};

type Saying = Omit<HeardWhole, 'endedAt'> & { durationMs: number };

export type SpeechEvents = {
  /** Words are recognised. A backchannel over the agent's voice never gets here. */
  begun: () => void;
  heard: (heard: HeardWhole) => void;
  /** Something begins to sound over the agent's voice, and it was nothing. */
  onset: () => void;
  noSpeech: () => void;
  /** A stretch of speech is over, for the recording; `text` is what of it sounded. */
  sounded: (sounded: { text: string; startedAt: number; durationMs: number }) => void;
  change: () => void;
  isAgentAudible: () => boolean;
  /** A voice begins or ends, and the words in it, for who only wants to know what kind of voice it is. */
  voiced: (isVoiced: boolean) => void;
  recognized: (text: string) => void;
};

/** What begins to sound over the agent's voice, where that is to be told. */
const createOnsets = ({ bargeIn, time, on }: SpeechOptions) => {
  const watch = createBargeInWatch({
    numbers: { longestMs: longestOnsetMs, lateWordsMs: 0 },
    bargeIn,
    time,
    on,
  });
  const onset = createAlarm(time);
  return {
    ...watch,
    voiceBegan(): void {
      watch.voiceBegan();
      if (bargeIn.mode === 'pause' && on.isAgentAudible()) onset.set(bargeIn.onsetMs, watch.onset);
    },
    voiceEnded(): void {
      onset.cancel();
      watch.voiceEnded(false);
    },
    stop(): void {
      onset.cancel();
      watch.stop();
    },
  };
};

export type SpeechOptions = {
  time: LineTime;
  /** In which it is heard (BCP 47). */
  language: string;
  bargeIn: BargeIn;
  on: SpeechEvents;
};

export const createSpeech = (options: SpeechOptions): Speech => {
  const { time, on } = options;
  let { language } = options;
  let saying: Saying | null = null;
  /** When the person began to speak whose words are not known yet. */
  let begunAt: number | null = null;
  /** Said whole, but it is not clear yet that no more will come. */
  let unconfirmed: HeardWhole | null = null;
  const onsets = createOnsets(options);
  const recognition = createAlarm(time);
  const next = createAlarm(time);

  const speechBegan = (): void => {
    onsets.speech();
    on.begun();
  };

  const confirm = (): void => {
    next.cancel();
    const heard = unconfirmed;
    unconfirmed = null;
    if (heard === null) return;
    on.heard(heard);
    if (heard.backchannel) onsets.backchannel();
  };

  const finish = (said: Saying): void => {
    const { durationMs, ...heard } = said;
    saying = null;
    unconfirmed = { ...heard, endedAt: time.now() };
    on.recognized(heard.text);
    on.voiced(false);
    onsets.voiceEnded();
    on.sounded({ text: heard.text, startedAt: heard.startedAt, durationMs });
    next.set(endpointingMs, confirm);
    on.change();
  };

  return {
    begin() {
      if (saying !== null) return;
      if (begunAt === null) confirm();
      begunAt ??= time.now();
      speechBegan();
    },
    cancel() {
      begunAt = null;
    },
    say(text) {
      const durationMs = sayingTime(text);
      const wasBegun = begunAt !== null;
      const startedAt = begunAt ?? time.now();
      begunAt = null;
      if (durationMs === 0) return;
      confirm();
      const backchannel = !wasBegun && on.isAgentAudible() && isBackchannel(text, language);
      const said = { text, startedAt, backchannel, durationMs };
      const remainingMs = Math.max(0, durationMs - time.since(startedAt));
      saying = said;
      on.voiced(true);
      if (!wasBegun) onsets.voiceBegan();
      if (!backchannel && !wasBegun) recognition.set(Math.min(recognitionMs, durationMs), speechBegan);
      next.set(remainingMs, () => finish(said));
    },
    isSpeaking: () => saying !== null,
    changeLanguage: (changed) => void (language = changed),
    noise: (isOn) => (isOn ? onsets.voiceBegan() : onsets.voiceEnded()),
    stop() {
      confirm();
      onsets.stop();
      next.cancel();
      recognition.cancel();
      if (saying === null) return;
      const { text, startedAt } = saying;
      const durationMs = Math.min(saying.durationMs, time.since(startedAt));
      saying = null;
      on.sounded({ text: heardAfter(text, durationMs), startedAt, durationMs });
    },
  };
};
