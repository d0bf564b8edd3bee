/**
 * One simulated line: a telephone call without sound, in the vocabulary of `machines/line.ts`. At one end is the call
 * with its commands, at the other a person who behaves as told (`party.ts`), and between them time passes as it does
 * on a telephone. Only an answered line carries voices.
 */
import type { Line, LineEvent, LineInput } from '#machines/line.ts';
import type { LineTime } from '../line-time.ts';
import { runLineLife, type LineLife } from '../run-line-life.ts';
import type { CreateParty, Phone } from './party.ts';
import { createVoices, type Voices, type VoicesOptions } from './voices.ts';

const hangUpMs = 20;

export type SimulatedLineOptions = Pick<VoicesOptions, 'answering' | 'record'> & {
  input: Pick<LineInput, 'callId' | 'language' | 'bargeIn'>;
  emit: (event: LineEvent) => void;
  time: LineTime;
  createParty: CreateParty;
  /** Goes on with a call that stands. */
  isAdopted: boolean;
  /** The line is over and holds nothing any more. */
  onOver: () => void;
};

/** What the far end can tell of the agent, beside its voice. */
type AgentSigns = { keys: string; isFarewell: boolean };

/** The far end's telephone on this line. */
const phoneOn = (line: {
  life: LineLife;
  voices: Voices;
  signs: AgentSigns;
  time: LineTime;
  language: string;
  isAdopted: boolean;
}): Phone => {
  const { life, voices, signs, time, language, isAdopted } = line;
  const whenAnswered = (act: () => void): void => {
    if (life.is('answered')) act();
  };
  return {
    language,
    ring: () => life.send({ type: 'rang' }),
    answer: () => life.send({ type: isAdopted ? 'adopted' : 'answered' }),
    refuse: (cause) => life.send({ type: 'unanswered', cause }),
    hangUp: () => life.send({ type: 'left' }),
    say: (text) => whenAnswered(() => voices.counterparty.say(text)),
    speak: (isSpeaking) =>
      whenAnswered(() => (isSpeaking ? voices.counterparty.begin() : voices.counterparty.cancel())),
    isSpeaking: () => voices.counterparty.isSpeaking(),
    noise: (isOn) => whenAnswered(() => voices.counterparty.noise(isOn)),
    press: (digit) => whenAnswered(() => life.report({ type: 'line.digit', digit })),
    hold: (isHeld) => life.send({ type: isHeld ? 'held' : 'resumed' }),
    beep: () => whenAnswered(voices.beep),
    keysHeard: () => signs.keys,
    voice: () => voices.agent.voice(),
    isVoicePaused: () => voices.agent.isPaused(),
    sinceBeginOf: ({ startedAt }) => time.since(startedAt),
    voicesBegun: () => voices.agent.begun(),
    voicesCut: () => voices.agent.cut(),
    setReporting: (isReporting) => voices.agent.setReported(isReporting),
    reportHeard: (utterance, characters) => voices.agent.report(utterance, characters),
    isFarewell: () => signs.isFarewell,
  };
};

/** Real words cancel a pending hangup: the call takes what follows for no farewell any more. */
const cancelsFarewell = (event: LineEvent): boolean =>
  event.type === 'line.speech' || (event.type === 'line.heard' && !event.backchannel);

export const createSimulatedLine = (options: SimulatedLineOptions): Line => {
  const { time, emit, onOver, isAdopted } = options;
  const { language, bargeIn } = options.input;
  const signs: AgentSigns = { keys: '', isFarewell: false };

  const expectFarewell = (expected: boolean): void => {
    signs.isFarewell = expected;
    party.notice();
  };

  const life = runLineLife({
    time,
    isAdopted,
    emit(event) {
      if (cancelsFarewell(event)) expectFarewell(false);
      emit(event);
    },
    actions: {
      carrySound: () => voices.begin(),
      fallSilent(end) {
        party.stop(end);
        voices.close();
      },
      release({ cause }) {
        const released = (): void => life.send({ type: 'released' });
        if (cause === null) time.after(hangUpMs, released);
        else released();
      },
      leave() {
        party.stop({ by: 'gateway', cause: null });
        voices.close();
      },
    },
    onOver,
  });
  const { report } = life;
  const voices = createVoices({ ...options, language, bargeIn, report, onChange: () => party.notice() });
  const party = options.createParty(phoneOn({ life, voices, signs, time, language, isAdopted }), time);
  party.start();

  const say = (utterance: number, text: string): void => {
    if (life.is('answered')) return voices.agent.say(utterance, text);
    // Nobody is there to hear it, not yet or no longer.
    return report({ type: 'line.played', startedAt: time.now(), utterance, text: '', whole: false });
  };

  const press = (keys: string): void => {
    if (!life.is('answered')) return;
    signs.keys += keys.replaceAll('w', '');
    party.notice();
  };

  return {
    tell(command) {
      if (life.is('over')) return undefined;
      switch (command.type) {
        case 'say':
          return say(command.utterance, command.text);
        case 'press':
          return press(command.keys);
        case 'stopTalking':
          return voices.agent.stopTalking();
        case 'pauseTalking':
          return voices.agent.pause();
        case 'resumeTalking':
          return voices.agent.resume();
        case 'pauseRecording':
          return voices.pauseRecording();
        case 'resumeRecording':
          return voices.resumeRecording();
        case 'expectHangup':
          return expectFarewell(true);
        case 'hangUp':
          return life.send({ type: 'hangup.requested' });
      }
    },
    ...life.letGo,
  };
};
