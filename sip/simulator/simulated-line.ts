/**
 * One simulated line: a telephone call without sound, in the vocabulary of `machines/line.ts`. At one end is the call
 * with its commands, at the other a person who behaves as told (`party.ts`), and between them time passes as it does
 * on a telephone. Only an answered line carries voices.
 */
import type { Line, LineCommand, LineEvent, LineInput } from '#machines/line.ts';
import type { LineEnd } from '#machines/line-life.ts';
import type { LeftLine } from '#src/domain/sip-leg.ts';
import type { LineTime } from '../line-time.ts';
import { runLineLife, type LineLife } from '../run-line-life.ts';
import { LinePhone, type AgentSigns } from './line-phone.ts';
import type { CarriedSound, CreateParty } from './party.ts';
import type { CarryVoices } from './carried-voices.ts';
import { createTransferring, type Person } from './transferring.ts';
import { createVoices, type Voices, type VoicesOptions } from './voices.ts';

const hangUpMs = 20;

export type SimulatedLineOptions = Pick<VoicesOptions, 'answering' | 'record'> & {
  input: Pick<LineInput, 'callId' | 'language' | 'bargeIn' | 'turnEnd'>;
  emit: (event: LineEvent) => void;
  time: LineTime;
  createParty: CreateParty;
  /** To whom this call can be transferred, beside those whom everybody knows. */
  people: ReadonlyMap<string, Person>;
  /** Makes voices of sound that is carried; `null` where this line can carry none. */
  carry: CarryVoices | null;
  /** Goes on with a call that stands. */
  isAdopted: boolean;
  /** The person of a transfer who talks with the far end of such a call. */
  connectedWith: LeftLine['connectedWith'];
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
  { life, onChange }: { life: LineLife; onChange: VoicesOptions['onChange'] },
): Voices => {
  const on = { report: life.report, onChange, onLost: () => life.send({ type: 'sound.lost' }) };
  return carried === null || options.carry === null
    ? createVoices({ ...options, ...options.input, ...on })
    : options.carry(carried, { ...options, ...on });
};

const say = (
  { utterance, text }: Extract<LineCommand, { type: 'say' }>,
  language: string,
  { life, voices, time }: { life: LineLife; voices: () => Voices; time: LineTime },
): void => {
  if (life.is('answered')) return voices().agent.say(utterance, text, language);
  // Nobody is there to hear it, not yet or no longer.
  return life.report({ type: 'line.played', startedAt: time.now(), utterance, text: '', whole: false });
};

const release = ({ cause }: LineEnd, life: LineLife, time: LineTime): void => {
  const released = (): void => life.send({ type: 'released' });
  if (cause === null) time.after(hangUpMs, released);
  else released();
};

export const createSimulatedLine = (options: SimulatedLineOptions): Line => {
  const { input, time, emit, onOver, isAdopted, connectedWith } = options;
  const signs: AgentSigns = { keys: '', isFarewell: false, language: input.language };

  const onChange = (): void => party.notice();

  const expectFarewell = (expected: boolean): void => {
    signs.isFarewell = expected;
    onChange();
  };

  const fallSilent = (end: LineEnd, how: 'close' | 'leave'): void => {
    party.stop(end);
    transferring.end();
    heard?.[how]();
  };

  const life = runLineLife({
    time,
    isAdopted,
    emit(event) {
      if (transferring.isTheirs(event)) return;
      if (cancelsFarewell(event)) expectFarewell(false);
      emit(event);
    },
    actions: {
      carrySound() {
        voices().begin();
        if (connectedWith !== null) transferring.adopt(connectedWith.talkedMs);
      },
      fallSilent: (end) => fallSilent(end, 'close'),
      release: (end) => release(end, life, time),
      leave: () => fallSilent({ by: 'gateway', cause: null }, 'leave'),
    },
    onOver,
  });
  /** `null` while nobody could have been heard: most of the weight of a line that rings. */
  let heard: Voices | null = null;
  const voices = (): Voices => (heard ??= makeVoices(phone.sound, options, { life, onChange }));
  const phone = new LinePhone({ life, voices, signs, time, language: input.language, isAdopted });
  const party = options.createParty(phone, time);
  party.start();

  const transferring = createTransferring({
    people: options.people,
    time,
    life,
    onRinging: () => voices().holdTone.begin(),
    onDecided: () => voices().holdTone.end(),
    onConnected: () => voices().handOver(),
  });

  return {
    tell(command) {
      if (life.is('over')) return undefined;
      switch (command.type) {
        case 'say':
          return say(command, command.language ?? signs.language, { life, voices, time });
        case 'changeLanguage':
          phone.changeLanguage(command.language);
          return onChange();
        case 'press':
          if (!phone.hearKeys(command.keys)) return undefined;
          life.report({ type: 'line.pressed', keys: command.keys });
          return onChange();
        case 'stopTalking':
          return voices().agent.stopTalking();
        case 'pauseTalking':
          return voices().agent.pause();
        case 'resumeTalking':
          return voices().agent.resume();
        case 'pauseRecording':
        case 'resumeRecording':
        case 'hideTones':
        case 'showTones':
          return voices()[command.type]();
        case 'transfer':
        case 'brief':
        case 'connect':
        case 'cancelTransfer':
          return transferring.tell(command);
        case 'expectHangup':
          return expectFarewell(true);
        case 'refuseRefer':
          return undefined;
        case 'hangUp':
          return life.send({ type: 'hangup.requested' });
      }
    },
    ...life.letGo,
    canBeLeft: () => options.outlives && life.is('answered') && transferring.canBeLeft(),
  };
};
