/**
 * One simulated line: a telephone call without sound, in the vocabulary of `machines/line.ts`. At one end is the call
 * with its commands, at the other a person who behaves as told (`party.ts`), and between them time passes as it does
 * on a telephone. Only an answered line carries voices.
 */
import type { Line, LineEvent, LineInput } from '#machines/line.ts';
import type { LineEnd } from '#machines/line-life.ts';
import type { LineTime } from '../line-time.ts';
import { runLineLife } from '../run-line-life.ts';
import { LinePhone, type AgentSigns } from './line-phone.ts';
import type { CarriedSound, CreateParty } from './party.ts';
import type { CarryVoices } from './carried-voices.ts';
import { createVoices, type Voices, type VoicesOptions } from './voices.ts';

const hangUpMs = 20;

export type SimulatedLineOptions = Pick<VoicesOptions, 'answering' | 'record'> & {
  input: Pick<LineInput, 'callId' | 'language' | 'bargeIn' | 'turnEnd'>;
  emit: (event: LineEvent) => void;
  time: LineTime;
  createParty: CreateParty;
  /** Makes voices of sound that is carried; `null` where this line can carry none. */
  carry: CarryVoices | null;
  /** Goes on with a call that stands. */
  isAdopted: boolean;
  /** Whether the far end would be there for another process. */
  outlives: boolean;
  /** The line is over and holds nothing any more. */
  onOver: () => void;
};

/** Real words cancel a pending hangup: the call takes what follows for no farewell any more. */
const cancelsFarewell = (event: LineEvent): boolean =>
  event.type === 'line.speech' || (event.type === 'line.heard' && !event.backchannel);

/** Voices of sound where that is carried, or of words. */
const makeVoices = (
  carried: CarriedSound | null,
  options: SimulatedLineOptions,
  on: Pick<VoicesOptions, 'report' | 'onChange'> & { onLost: () => void },
): Voices =>
  carried === null || options.carry === null
    ? createVoices({ ...options, ...options.input, ...on })
    : options.carry(carried, { ...options, ...on });

export const createSimulatedLine = (options: SimulatedLineOptions): Line => {
  const { time, emit, onOver, isAdopted } = options;
  const { language } = options.input;
  const signs: AgentSigns = { keys: '', isFarewell: false };

  const onChange = (): void => party.notice();

  const expectFarewell = (expected: boolean): void => {
    signs.isFarewell = expected;
    onChange();
  };

  const fallSilent = (end: LineEnd, how: 'close' | 'leave'): void => {
    party.stop(end);
    heard?.[how]();
  };

  const life = runLineLife({
    time,
    isAdopted,
    emit(event) {
      if (cancelsFarewell(event)) expectFarewell(false);
      emit(event);
    },
    actions: {
      carrySound: () => voices().begin(),
      fallSilent: (end) => fallSilent(end, 'close'),
      release({ cause }) {
        const released = (): void => life.send({ type: 'released' });
        if (cause === null) time.after(hangUpMs, released);
        else released();
      },
      leave: () => fallSilent({ by: 'gateway', cause: null }, 'leave'),
    },
    onOver,
  });
  const { report } = life;
  /** `null` while nobody could have been heard: most of the weight of a line that rings. */
  let heard: Voices | null = null;
  const onLost = (): void => life.send({ type: 'sound.lost' });
  const voices = (): Voices => (heard ??= makeVoices(phone.sound, options, { report, onChange, onLost }));
  const phone = new LinePhone({ life, voices, signs, time, language, isAdopted });
  const party = options.createParty(phone, time);
  party.start();

  const say = (utterance: number, text: string): void => {
    if (life.is('answered')) return voices().agent.say(utterance, text);
    // Nobody is there to hear it, not yet or no longer.
    return report({ type: 'line.played', startedAt: time.now(), utterance, text: '', whole: false });
  };

  return {
    tell(command) {
      if (life.is('over')) return undefined;
      switch (command.type) {
        case 'say':
          return say(command.utterance, command.text);
        case 'press':
          phone.hearKeys(command.keys);
          return onChange();
        case 'stopTalking':
          return voices().agent.stopTalking();
        case 'pauseTalking':
          return voices().agent.pause();
        case 'resumeTalking':
          return voices().agent.resume();
        case 'pauseRecording':
          return voices().pauseRecording();
        case 'resumeRecording':
          return voices().resumeRecording();
        case 'expectHangup':
          return expectFarewell(true);
        case 'hangUp':
          return life.send({ type: 'hangup.requested' });
      }
    },
    ...life.letGo,
    canBeLeft: () => options.outlives && life.is('answered'),
  };
};
