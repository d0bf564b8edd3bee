/**
 * One simulated line: a telephone call without audio, in the vocabulary of `machines/line.ts`. One end is the call with
 * its commands, the other end a person with a behaviour (`party.ts`); line time passes between them as on a telephone.
 * Only an answered line has voices.
 */
import type { AnyActorRef } from 'xstate';
import type { Line, LineCommand, LineEvent, LineInput } from '#machines/line.ts';
import type { LineCheckpoint, LineResumeState } from '#src/domain/sip-leg.ts';
import type { LineTime } from '#sip/audio/line-time.ts';
import { runLineLife, type LineEnd, type LineLife } from '#machines/line-life.ts';
import { LinePhone, type AgentSigns } from './line-phone.ts';
import { leaveParty, type CarriedAudio, type CreateParty } from './party.ts';
import type { CarryVoices } from './carried-voices.ts';
import { createTransferring, type Person } from './transferring.ts';
import { createVoices, type Voices, type VoicesOptions } from './voices.ts';

const hangUpMs = 20;

/** Properties of the far end besides its behaviour. */
export type FarEnd = Pick<VoicesOptions, 'answering'> & {
  /** Transfer targets of this call, in addition to the known ones. */
  people: ReadonlyMap<string, Person>;
  /** Whether every process knows the far end; otherwise its party has a state of its own (`Party.resumeState`). */
  outlives: boolean;
};

export type SimulatedLineOptions = Pick<VoicesOptions, 'record'> & {
  input: Pick<LineInput, 'callId' | 'language' | 'bargeIn' | 'turnEnd'>;
  emit: (event: LineEvent) => void;
  time: LineTime;
  createParty: CreateParty;
  /** Final once the far end has answered: a callee may have to be looked up. */
  farEnd: () => FarEnd;
  /** Creates voices with carried audio; `null` if this line cannot carry audio. */
  carry: CarryVoices | null;
  /** The line actor of the call. */
  parent?: AnyActorRef | undefined;
  /** Whether the line takes over an existing call. */
  isAdopted: boolean;
  /** Person of a transfer who is connected with the far end of a taken-over call. */
  connectedWith: LineResumeState['connectedWith'];
  /** Called when the line is answered, here or by an earlier process. */
  onAnswered: () => void;
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
  const { answering } = options.farEnd();
  const on = { report: life.report, onChange, onLost: () => life.send({ type: 'audio.lost' }) };
  return carried === null || options.carry === null
    ? createVoices({ ...options, ...options.input, ...on, answering })
    : options.carry(carried, { ...options, ...on, answering });
};

const say = (
  { utterance, text }: Extract<LineCommand, { type: 'say' }>,
  language: string,
  { life, voices, time }: { life: LineLife; voices: () => Voices; time: LineTime },
): void => {
  if (life.is('answered')) return voices().agent.say(utterance, text, language);
  // Before the answer and after the end, the far end cannot hear the utterance.
  return life.report({ type: 'line.played', startedAt: time.now(), utterance, text: '', whole: false });
};

const hangUp = ({ cause }: LineEnd, life: LineLife, time: LineTime): void => {
  const released = (): void => life.send({ type: 'released' });
  if (cause === null) time.after(hangUpMs, released);
  else released();
};

export type SimulatedLine = Line & {
  checkpoint(): LineCheckpoint;
};

export const createSimulatedLine = (options: SimulatedLineOptions): SimulatedLine => {
  const { input, time, emit, onOver, isAdopted, connectedWith } = options;
  const signs: AgentSigns = { keys: '', isFarewell: false, language: input.language };

  let isSilent = false;
  const onChange = (): void => {
    if (!isSilent) party.notice();
  };

  const expectFarewell = (expected: boolean): void => {
    signs.isFarewell = expected;
    onChange();
  };

  const fallSilent = (end: LineEnd): void => {
    isSilent = true;
    transferring.end();
    heard?.close();
    // After the voices, so that the party knows what was heard of the agent's last words.
    party.stop(end);
  };

  const release = (): void => {
    leaveParty(party);
    transferring.end();
    heard?.leave();
  };

  const life = runLineLife({
    time,
    isAdopted,
    parent: options.parent,
    emit(event) {
      if (transferring.isTheirs(event)) return;
      if (cancelsFarewell(event)) expectFarewell(false);
      // Before the event, because the far end is stored together with the answer.
      if (event.type === 'line.answered' || event.type === 'line.adopted') options.onAnswered();
      emit(event);
    },
    actions: {
      carryAudio() {
        voices().begin();
        if (connectedWith !== null) transferring.adopt(connectedWith.talkedMs);
      },
      fallSilent,
      hangUp: (end) => hangUp(end, life, time),
      release,
    },
    onOver,
  });
  /**
   * Voices of the line. `null` until they are needed, because voices would take most of the memory of a ringing line.
   */
  let heard: Voices | null = null;
  const voices = (): Voices => (heard ??= makeVoices(phone.audio, options, { life, onChange }));
  const phone = new LinePhone({ life, voices, signs, time, language: input.language, isAdopted });
  const party = options.createParty(phone, time);
  party.start();

  const transferring = createTransferring({
    people: () => options.farEnd().people,
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
    // A ringing line has no voices, and a read must not create them.
    hearing: () => (heard === null || transferring.isConnected() ? '' : heard.counterparty.hearing()),
    ...life.finish,
    checkpoint() {
      const farEnd = party.resumeState?.() ?? null;
      const outlives = options.farEnd().outlives || farEnd !== null;
      return {
        legs: [],
        isResumable: outlives && life.is('answered') && transferring.isResumable(),
        farEnd,
      };
    },
  };
};
