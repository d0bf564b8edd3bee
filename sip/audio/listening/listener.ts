/**
 * Listens to one call on a real line: the input is audio, the output the turns of the other party. The listener owns
 * the call's recognition and voice activity.
 */
import type { Logger } from 'pino';
import type { AnsweredBy, BargeIn, TurnEnd } from '#machines/line.ts';
import { createAlarm, type LineTime } from '../line-time.ts';
import { createRateChange, type Resample } from '../resampler.ts';
import { telephoneRate, type SampleRate } from '../samples.ts';
import type { Recognition, RecognitionEvent, Recognizer } from '../speech.ts';
import { createAnsweringMachine, type AnsweringNumbers } from './answering-machine.ts';
import { createBeepDetector, type BeepNumbers } from './beep.ts';
import type { TurnNumbers } from './endpointing.ts';
import { createOnsets, type OnsetNumbers } from './onsets.ts';
import { createTurnTaking, type Heard } from './turn-taking.ts';
import { chooseJudge } from './turn-end/choose-judge.ts';
import type { TurnModel } from './turn-end/model-ends.ts';
import { createVoiceActivity, type VoiceNumbers } from './voice-activity.ts';
import { frameMs, type OpenVoiceDetector } from './voice-detector.ts';

/** Milliseconds without audio after which a far end counts as silent. */
const noAudioMs = 200;

export type ListeningNumbers = Readonly<{
  voice: VoiceNumbers;
  turns: TurnNumbers;
  answering: AnsweringNumbers;
  beep: BeepNumbers;
  onsets: OnsetNumbers;
}>;

export type Listener = {
  /** Processes the next audio of the other party, at the sample rate of the call. */
  write(samples: Int16Array): void;
  /** Returns the other party's words in its current turn as recognized so far; empty without words. */
  hearing(): string;
  /** Changes the recognition language (BCP 47) from the next sentence on. */
  changeLanguage(language: string): void;
  /** Reports a finished turn and releases all resources. Idempotent. */
  stop(): void;
};

export type ListenerOptions = {
  recognizer: Recognizer;
  openDetector: OpenVoiceDetector;
  numbers: ListeningNumbers;
  /** Sample rate of the audio. */
  sampleRate: SampleRate;
  resample: Resample;
  /** Language of the call (BCP 47). */
  language: string;
  time: LineTime;
  /** Returns the current level of the agent's voice in dB below full scale; `null` while the agent is silent. */
  agentDb: () => number | null;
  /** Whether the call is outbound, which enables answering machine detection. */
  isOutbound: boolean;
  bargeIn: BargeIn;
  turnEnd: TurnEnd;
  /** Model of turn ends; `null` if none is configured. */
  turnModel: TurnModel | null;
  on: {
    onset: () => void;
    noSpeech: () => void;
    speech: () => void;
    noWords: () => void;
    heard: (heard: Heard) => void;
    answeredBy: (by: AnsweredBy) => void;
    /** Called when a machine begins to take a message. */
    takesMessage: () => void;
  };
  logger: Logger;
};

/**
 * Detects that audio stopped arriving during a voice. After a stall of the process, the timer fires before the waiting
 * packets are read, so the check is made twice.
 */
const createAudioWatch = (time: LineTime, onNoAudio: (forMs: number) => void) => {
  const alarm = createAlarm(time);
  let lastAt = 0;
  const hasNone = (): boolean => time.since(lastAt) >= noAudioMs;
  const lookAgain = (): void => {
    if (hasNone()) onNoAudio(time.since(lastAt));
    else start();
  };
  const start = (): void =>
    alarm.set(Math.max(frameMs, noAudioMs - time.since(lastAt)), () => {
      if (hasNone()) alarm.set(frameMs, lookAgain);
      else start();
    });
  return {
    start,
    /** Called when audio arrived. */
    came(): void {
      lastAt = time.now();
    },
    stop: () => alarm.cancel(),
  };
};

/** Recognition of a call, which is replaced when the language changes. */
const createRecognitions = (open: (language: string) => Recognition, first: string) => {
  let language = first;
  let current = open(first);
  return {
    current: () => current,
    language: () => language,
    change(changed: string): void {
      if (changed === language) return;
      current.close();
      language = changed;
      current = open(changed);
    },
  };
};

/** Connects turn-taking and onsets, which receive the same voice events. */
const takeTurns = (
  { numbers, sampleRate, bargeIn, turnEnd, turnModel, time, on, logger }: ListenerOptions,
  isAgentAudible: () => boolean,
  { current: recognition, language }: Pick<ReturnType<typeof createRecognitions>, 'current' | 'language'>,
  /** Called when a turn has ended, before the turn is reported. */
  onTurn: (text: string) => void,
) => {
  const turns = createTurnTaking({
    numbers: numbers.turns,
    language,
    time,
    openJudge: chooseJudge(
      { numbers: numbers.turns, turnEnd, language },
      {
        reportsTurnEnds: () => recognition().reportsTurnEnds?.() ?? false,
        model: turnModel,
        sampleRate,
        time,
        logger,
      },
    ),
    isAgentAudible,
    hearsSpeech: bargeIn.mode === 'pause',
    on: {
      speech() {
        onsets.speech();
        on.speech();
      },
      heard(heard) {
        onTurn(heard.text);
        on.heard(heard);
        if (heard.backchannel) onsets.backchannel();
      },
      noWords: on.noWords,
      pause: () => recognition().speechEnded(),
      over: () => changeNow(),
    },
  });
  /** Pending change of the language; null if there is none. The change waits for the end of the turn. */
  let change: (() => void) | null = null;
  const changeNow = (): void => {
    change?.();
    if (change !== null) turns.words.forget();
    change = null;
  };
  const onsets = createOnsets({
    numbers: numbers.onsets,
    bargeIn,
    begunMs: numbers.voice.onsetMs,
    time,
    isAgentAudible,
    givesWordsEarly: turns.words.comeEarly,
    on: { ...on, speechLasts: turns.speechLasts },
  });
  return {
    write: turns.write,
    recognized: turns.recognized,
    hearing: turns.hearing,
    /** Runs `wanted` at once, or when the current turn has ended. */
    changeRecognizer(wanted: () => void): void {
      change = wanted;
      if (!turns.isTurnOpen()) changeNow();
    },
    sounds: onsets.sounds,
    voiceBegan(at: number): void {
      turns.voiceBegan(at);
      onsets.voiceBegan();
    },
    voiceEnded(at: number): void {
      turns.voiceEnded(at);
      onsets.voiceEnded();
    },
    stop(): void {
      change = null;
      turns.stop();
      onsets.stop();
    },
  };
};

export const createListener = (options: ListenerOptions): Listener => {
  const { recognizer, numbers, sampleRate, language, time, agentDb, on, logger } = options;
  let isOver = false;
  const isAgentAudible = (): boolean => agentDb() !== null;

  const answerer = options.isOutbound
    ? createAnsweringMachine({ numbers: numbers.answering, language, time, isAgentAudible, on })
    : null;
  const beeps = createBeepDetector(numbers.beep, () => answerer?.beep());

  const turns = takeTurns(
    options,
    isAgentAudible,
    { current: () => recognitions.current(), language: () => recognitions.language() },
    (text) => answerer?.heard(text),
  );

  const onRecognized = (event: RecognitionEvent): void => {
    if (isOver) return;
    if (event.type === 'partial' || event.type === 'final')
      answerer?.recognized(event.text, event.type === 'final');
    if (event.type !== 'failed') return turns.recognized(event);
    logger.error(
      { err: event.error, engine: recognizer.name },
      'the recognizer of a call failed; the call continues without speech recognition',
    );
    stop();
  };
  const turnEnds = options.turnEnd.mode === 'recognizer';
  const recognitions = createRecognitions(
    (heardIn) => recognizer.open({ language: heardIn, sampleRate, turnEnds }, onRecognized),
    language,
  );

  const detector = options.openDetector(numbers.voice.mode);
  const activity = createVoiceActivity({
    detector,
    numbers: numbers.voice,
    on: {
      began(agoMs) {
        recognitions.current().speechBegan();
        turns.voiceBegan(time.now() - agoMs);
        answerer?.voiceBegan();
        audioWatch.start();
      },
      ended(agoMs) {
        audioWatch.stop();
        turns.voiceEnded(time.now() - agoMs);
        answerer?.voiceEnded();
      },
      sounds: turns.sounds,
    },
  });

  const audioWatch = createAudioWatch(time, activity.silence);

  // Converts to 8,000 Hz, the rate at which the voice thresholds were measured.
  const telephone = createRateChange(options.resample, sampleRate, telephoneRate);

  const stop = (): void => {
    if (isOver) return;
    isOver = true;
    audioWatch.stop();
    answerer?.stop();
    turns.stop();
    recognitions.current().close();
    detector.close();
  };

  return {
    write(samples) {
      if (isOver) return;
      audioWatch.came();
      recognitions.current().write(samples);
      turns.write(samples);
      const narrow = telephone.take(samples);
      activity.write(narrow, agentDb() ?? -Infinity);
      if (answerer?.isCurious() === true) beeps.write(narrow);
    },
    hearing: turns.hearing,
    changeLanguage(changed) {
      if (!isOver) turns.changeRecognizer(() => recognitions.change(changed));
    },
    stop,
  };
};
