/**
 * One simulated line: a telephone call without audio, in the vocabulary of `machines/line.ts`. At one end is the call
 * with its commands, at the other a person with a behaviour (`party.ts`), and time passes between them as on a
 * telephone. Only an answered line carries voices.
 */
import type { AnyActorRef } from 'xstate';
import type { Line, LineCommand, LineEvent, LineInput } from '#machines/line.ts';
import type { LineCheckpoint } from '#src/domain/sip-leg.ts';
import type { LineTime } from '#sip/audio/line-time.ts';
import { runLineLife, type LineEnd, type LineLife } from '#machines/line-life.ts';
import { LinePhone, type AgentSigns } from './line-phone.ts';
import type { CarriedAudio, CreateParty } from './party.ts';
import type { CarryVoices } from './carried-voices.ts';
import { createTransferring, type Person } from './transferring.ts';
import { createVoices, type Voices, type VoicesOptions } from './voices.ts';

const hangUpMs = 20;

export type SimulatedLineOptions = Pick<VoicesOptions, 'answering' | 'record'> & {
  input: Pick<LineInput, 'callId' | 'language' | 'bargeIn' | 'turnEnd'>;
  emit: (event: LineEvent) => void;
  time: LineTime;
  createParty: CreateParty;
  /** Transfer targets of this call, in addition to the known ones. */
  people: ReadonlyMap<string, Person>;
  /** Creates voices with carried audio; `null` if this line cannot carry audio. */
  carry: CarryVoices | null;
  /** The line actor of the call. */
  parent?: AnyActorRef | undefined;
  /** Takes over an existing call. */
  isAdopted: boolean;
  /** Person of a transfer who is connected with the far end of an adopted call. */
  connectedWith: LineCheckpoint['connectedWith'];
  /** Whether the far end would be available in another process. */
  outlives: boolean;
  /** Called when the line is over and has released everything. */
  onOver: () => void;
};

/** Speech cancels a pending hang-up: the call no longer treats later words as a farewell. */
const cancelsFarewell = (event: LineEvent): boolean =>
  event.type === 'line.speech' || (event.type === 'line.heard' && !event.backchannel);

/** Creates voices with carried audio, or with words only. */
const makeVoices = (
  carried: CarriedAudio | null,
  options: SimulatedLineOptions,
  { life, onChange }: { life: LineLife; onChange: VoicesOptions['onChange'] },
): Voices => {
  const on = { report: life.report, onChange, onLost: () => life.send({ type: 'audio.lost' }) };
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
  // The far end cannot hear it, before the answer or after the end.
  return life.report({ type: 'line.played', startedAt: time.now(), utterance, text: '', whole: false });
};

const hangUp = ({ cause }: LineEnd, life: LineLife, time: LineTime): void => {
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
    parent: options.parent,
    emit(event) {
      if (transferring.isTheirs(event)) return;
      if (cancelsFarewell(event)) expectFarewell(false);
      emit(event);
    },
    actions: {
      carryAudio() {
        voices().begin();
        if (connectedWith !== null) transferring.adopt(connectedWith.talkedMs);
      },
      fallSilent: (end) => fallSilent(end, 'close'),
      hangUp: (end) => hangUp(end, life, time),
      release: () => fallSilent({ by: 'gateway', cause: null }, 'leave'),
    },
    onOver,
  });
  /** `null` before the far end can be heard, because voices would take most of the memory of a ringing line. */
  let heard: Voices | null = null;
  const voices = (): Voices => (heard ??= makeVoices(phone.audio, options, { life, onChange }));
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
    ...life.finish,
    canBeResumed: () => options.outlives && life.is('answered') && transferring.canBeResumed(),
  };
};
