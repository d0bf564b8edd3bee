/**
 * The other party's speech on a line and its recognition. Words are recognized shortly after they begin, and the end of
 * a sentence shortly after it. A voice over the agent's is detected earlier than its words.
 */
import type { BargeIn } from '#machines/line.ts';
import { isBackchannel } from '#src/domain/backchannels.ts';
import { createAlarm, type LineTime } from '#sip/audio/line-time.ts';
import { createBargeInWatch } from '#sip/audio/listening/barge-in-watch.ts';
import type { Heard } from '#sip/audio/listening/turn-taking.ts';
import { heardAfter, sayingTime } from '#sip/audio/speaking-time.ts';

/** Time from the first sound to the first recognized word. */
const recognitionMs = 200;
/** Silence after which a sentence counts as over. */
const endpointingMs = 300;
/** Maximum time for which noise is taken for a voice. */
const longestOnsetMs = 2_000;

/** A heard sentence whose end is known, as it always is for a simulated person. */
type HeardWhole = Required<Heard>;

export type Speech = {
  /** Called when the person begins to speak; `say` provides the words later. May be repeated. */
  begin(): void;
  /** Ends speech that has no words. */
  cancel(): void;
  /** Begins to say the text; the previous words are complete. */
  say(text: string): void;
  isSpeaking(): boolean;
  /** Returns the words recognized so far of the current sentence; empty without words. */
  hearing(): string;
  /** Changes the language of recognition from the next words on (BCP 47). */
  changeLanguage(language: string): void;
  /** Starts or stops a sound without words. */
  noise(isOn: boolean): void;
  /** Stops hearing. Complete earlier words are still recognized, while an incomplete word is lost. */
  stop(): void;
};

type Saying = Omit<HeardWhole, 'endedAt'> & { durationMs: number };

export type SpeechEvents = {
  /** Called when words are recognized, except for a backchannel over the agent's voice. */
  begun: () => void;
  heard: (heard: HeardWhole) => void;
  /** Called when a sound begins over the agent's voice, or turns out to be noise. */
  onset: () => void;
  noSpeech: () => void;
  /** Called for the recording when a stretch of speech is over; `text` is its audible part. */
  sounded: (sounded: { text: string; startedAt: number; durationMs: number }) => void;
  change: () => void;
  isAgentAudible: () => boolean;
  /** Called for answer detection when a voice or its words begin or end. */
  voiced: (isVoiced: boolean) => void;
  recognized: (text: string) => void;
};

/** Reports sounds over the agent's voice if the barge-in mode requires it. */
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
  /** Language of recognition (BCP 47). */
  language: string;
  bargeIn: BargeIn;
  on: SpeechEvents;
};

export const createSpeech = (options: SpeechOptions): Speech => {
  const { time, on } = options;
  let { language } = options;
  let saying: Saying | null = null;
  /** Time at which the current speech began while its words are unknown. */
  let begunAt: number | null = null;
  /** Complete words whose end of sentence is not yet certain. */
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
    hearing() {
      if (saying === null) return unconfirmed?.text ?? '';
      return heardAfter(saying.text, time.since(saying.startedAt) - recognitionMs);
    },
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
