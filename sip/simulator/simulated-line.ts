/**
 * One simulated line: a telephone call without sound, in the vocabulary of `machines/line.ts`. At one end is the call
 * with its commands, at the other a person who behaves as told (`party.ts`), and between them time passes as it does
 * on a telephone.
 *
 * It is `ringing`, then `answered`; `leaving` while the last word is on its way; `over` when it was said or the line
 * was disposed. Only an answered line carries voices.
 */
import type { AnsweredBy, Line, LineEvent, LineInput, UnansweredCause } from '#machines/line.ts';
import {
  createAnsweringMachine,
  type AnsweringMachine,
  type AnsweringNumbers,
} from '../listening/answering-machine.ts';
import { createLineReports } from '../line-reports.ts';
import type { LineTime } from '../line-time.ts';
import type { FarEnd, Phone } from './party.ts';
import { createPlayback } from './playback.ts';
import type { CallRecording } from './call-recording.ts';
import { createSpeech } from './speech.ts';

const hangUpMs = 20;
/** Who has said something and then waits is a person: it is told after this. */
const waitsMs = 500;

export type SimulatedLineOptions = {
  input: Pick<LineInput, 'callId' | 'language'>;
  emit: (event: LineEvent) => void;
  time: LineTime;
  farEnd: FarEnd;
  /** How it is found out who has picked up; `null` where nobody asks, `human` where it is known. */
  answering: AnsweringNumbers | 'human' | null;
  /** Begins the recording of a call that was just answered; `null` when it is not recorded. */
  record: () => CallRecording | null;
  /** The line is over and holds nothing any more. */
  onOver: () => void;
};

export const createSimulatedLine = (options: SimulatedLineOptions): Line => {
  const { time } = options;
  const { language } = options.input;
  let phase: 'ringing' | 'answered' | 'leaving' | 'over' = 'ringing';
  let isFarewell = false;
  let keysHeard = '';
  let hasBeenHeard = false;
  let recording: CallRecording | null = null;
  let answerer: AnsweringMachine | null = null;

  const expectFarewell = (expected: boolean): void => {
    isFarewell = expected;
    party.notice();
  };

  const reports = createLineReports(time, (event) => {
    if (event.type === 'line.unanswered' || event.type === 'line.ended') finish();
    // Real words cancel a pending hangup: the call takes what follows for no farewell any more.
    if (event.type === 'line.speech' || (event.type === 'line.heard' && !event.backchannel))
      expectFarewell(false);
    options.emit(event);
  });

  const playback = createPlayback(time, {
    played({ utterance, text, startedAt, durationMs, whole }) {
      if (text !== '') recording?.add({ party: 'agent', text, startedAt, durationMs });
      reports.reportPlayed((at) => ({ type: 'line.played', at, startedAt, utterance, text, whole }));
    },
    change: () => party.notice(),
  });

  const answeredBy = (by: AnsweredBy): void => reports.report((at) => ({ type: 'line.answered_by', at, by }));

  const isAgentAudible = (): boolean => playback.voice() !== null;

  const reportUnheard = (utterance: number): void => {
    const startedAt = time.now();
    reports.reportPlayed((at) => ({ type: 'line.played', at, startedAt, utterance, text: '', whole: false }));
  };

  const speech = createSpeech(time, language, {
    begun: () => reports.report((at) => ({ type: 'line.speech', at })),
    heard(heard) {
      reports.report((at) => ({ type: 'line.heard', at, ...heard }));
      if (options.answering === 'human' && !hasBeenHeard)
        time.after(waitsMs, () => {
          if (phase === 'answered') answeredBy('human');
        });
      hasBeenHeard = true;
    },
    sounded(sounded) {
      if (sounded.text !== '') recording?.add({ party: 'counterparty', ...sounded });
    },
    change: () => party.notice(),
    isAgentAudible,
    voiced: (isVoiced) => (isVoiced ? answerer?.voiceBegan() : answerer?.voiceEnded()),
    recognized: (text) => answerer?.recognized(text, true),
  });

  /** No voice is carried any more. */
  const fallSilent = (): void => {
    party.stop();
    answerer?.end();
    playback.stop();
    speech.end();
    recording?.end();
    recording = null;
  };

  const listenForMachine = (): AnsweringMachine | null =>
    options.answering === null || options.answering === 'human'
      ? null
      : createAnsweringMachine({
          numbers: options.answering,
          language,
          time,
          isAgentAudible,
          on: {
            answeredBy,
            takesMessage: () => reports.report((at) => ({ type: 'line.takes_message', at })),
          },
        });

  const leave = (by: 'counterparty' | 'gateway'): void => {
    if (phase !== 'answered') return;
    phase = 'leaving';
    fallSilent();
    time.after(hangUpMs, () => reports.report((at) => ({ type: 'line.ended', at, by })));
  };

  const giveUp = (cause: UnansweredCause): void => {
    if (phase !== 'ringing') return;
    phase = 'leaving';
    party.stop();
    reports.report((at) => ({ type: 'line.unanswered', at, cause }));
  };

  const finish = (): void => {
    if (phase === 'over') return;
    if (phase === 'answered') fallSilent();
    phase = 'over';
    party.stop();
    time.stop();
    options.onOver();
  };

  const phone: Phone = {
    language,
    ring() {
      if (phase === 'ringing') reports.report((at) => ({ type: 'line.ringing', at }));
    },
    answer() {
      if (phase !== 'ringing') return;
      phase = 'answered';
      recording = options.record();
      answerer = listenForMachine();
      reports.report((at) => ({ type: 'line.answered', at }));
    },
    refuse: giveUp,
    hangUp: () => leave('counterparty'),
    say(text) {
      if (phase === 'answered') speech.say(text);
    },
    speak(isSpeaking) {
      if (phase !== 'answered') return;
      if (isSpeaking) speech.begin();
      else speech.abandon();
    },
    isSpeaking: () => speech.isSpeaking(),
    press(digit) {
      if (phase === 'answered') reports.report((at) => ({ type: 'line.digit', at, digit }));
    },
    hold(isHeld) {
      if (phase !== 'answered') return;
      reports.report((at) => ({ type: isHeld ? 'line.held' : 'line.resumed', at }));
    },
    beep() {
      if (phase === 'answered') answerer?.beep();
    },
    keysHeard: () => keysHeard,
    voice: () => playback.voice(),
    sinceBeginOf: ({ startedAt }) => time.since(startedAt),
    voicesBegun: () => playback.begun(),
    voicesCut: () => playback.cut(),
    setReporting: (isReporting) => playback.setReported(isReporting),
    reportHeard: (utterance, characters) => playback.report(utterance, characters),
    isFarewell: () => isFarewell,
  };

  const party = options.farEnd(phone, time);
  party.start();

  return {
    tell(command) {
      if (phase === 'over') return;
      switch (command.type) {
        case 'say':
          if (phase === 'answered') playback.say(command.utterance, command.text);
          // Nobody is there to hear it, not yet or no longer.
          else reportUnheard(command.utterance);
          break;
        case 'press':
          if (phase !== 'answered') break;
          keysHeard += command.keys.replaceAll('w', '');
          party.notice();
          break;
        case 'stopTalking':
          playback.stop();
          break;
        case 'pauseRecording':
          recording?.pause();
          break;
        case 'resumeRecording':
          recording?.resume();
          break;
        case 'expectHangup':
          expectFarewell(true);
          break;
        case 'hangUp':
          giveUp('cancelled');
          leave('gateway');
          break;
      }
    },
    dispose: finish,
  };
};
