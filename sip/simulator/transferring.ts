/** The second leg of a simulated line: the person to whom the other party is transferred. */
import type { LineCommand, LineEvent, TransferMode, UnansweredCause } from '#machines/line.ts';
import { createAlarm, type LineTime } from '../line-time.ts';
import type { LineLife } from '../run-line-life.ts';
import { sayingTime } from '../speaking-time.ts';

/**
 * What a person does who is rung: takes the call; or declines it, at once or when it was heard what it is about; or
 * hears that to its end and presses no key; or is not reached; or lets it ring.
 */
export type Person = 'accepting' | 'declining' | 'undecided' | { isNotReached: UnansweredCause } | 'absent';

/** Those to whom calls can be transferred (guides/transfer.md); whatever else is dialled is nobody's number. */
const people: ReadonlyMap<string, Person> = new Map<string, Person>([
  ['01000000011', 'accepting'],
  ['01000000012', { isNotReached: 'busy' }],
  ['01000000013', 'absent'],
  ['01000000014', 'declining'],
  ['01000000015', 'undecided'],
]);
const nobody: Person = { isNotReached: 'invalid_number' };

/** Whether the person with this number, who talks with somebody, is known to every gateway, and so is there for the next one. */
export const outlivesGateway = (to: string): boolean => people.get(to) === 'accepting';

/** It takes so long until the network says that somebody is not reached. */
const refusedAfterMs = 500;
const answersAfterMs = 1_000;
/** Behind the end of a briefing. */
const pressesKeyAfterMs = 500;
/** Behind the beginning of the talk. */
const hangsUpAfterMs = 10_000;

const heardOfOtherParty: ReadonlySet<LineEvent['type']> = new Set([
  'line.speech',
  'line.onset',
  'line.no_speech',
  'line.heard',
  'line.digit',
  'line.answered_by',
  'line.takes_message',
]);

export type Transferring = {
  tell(command: Extract<LineCommand, { type: 'transfer' | 'brief' | 'connect' | 'cancelTransfer' }>): void;
  /** Goes on with a person who has talked with the other party for `talkedMs` milliseconds, in another process. */
  adopt(talkedMs: number): void;
  /** Lets go of the person, whatever it is doing. */
  end(): void;
  /** Whether another gateway could go on with the person, or there is none. */
  canBeLeft(): boolean;
  /** Whether it is of what two persons who are connected say to each other: nobody else hears that. */
  isTheirs(event: LineEvent): boolean;
};

export const createTransferring = (options: {
  /** Those of this call, before those whom everybody knows. */
  people: ReadonlyMap<string, Person>;
  time: LineTime;
  life: Pick<LineLife, 'is' | 'report' | 'send'>;
  /** The person is rung; until that is decided, the other party hears a hold tone. */
  onRinging: () => void;
  onDecided: () => void;
  /** Both persons are connected. */
  onConnected: () => void;
}): Transferring => {
  const { life, time } = options;
  let leg: 'none' | 'ringing' | 'answered' | 'connected' = 'none';
  let person: Person = nobody;
  /** Whether the next gateway would know that person, too. */
  let outlives = false;
  const next = createAlarm(time);

  const end = (): void => {
    if (leg === 'ringing' || leg === 'answered') options.onDecided();
    next.cancel();
    leg = 'none';
  };

  const fail = (cause: UnansweredCause): void => {
    end();
    life.report({ type: 'line.transfer_failed', cause });
  };

  const talk = (talkedMs: number): void => {
    leg = 'connected';
    options.onConnected();
    next.set(Math.max(0, hangsUpAfterMs - talkedMs), () => life.send({ type: 'left' }));
  };

  const connect = (): void => {
    options.onDecided();
    talk(0);
    life.report({ type: 'line.transferred' });
  };

  const answer = (): void => {
    leg = 'answered';
    life.report({ type: 'line.transfer_answered' });
  };

  const ring = (mode: TransferMode): void => {
    leg = 'ringing';
    options.onRinging();
    if (person === 'absent') return;
    if (typeof person === 'object') {
      const { isNotReached } = person;
      next.set(refusedAfterMs, () => fail(isNotReached));
    } else if (mode === 'warm') next.set(answersAfterMs, answer);
    else if (person === 'declining') next.set(refusedAfterMs, () => fail('declined'));
    else next.set(answersAfterMs, connect);
  };

  const brief = (text: string, acceptKey: string | null): void =>
    next.set(sayingTime(text), () => {
      if (person === 'declining') return fail('declined');
      life.report({ type: 'line.briefed' });
      if (acceptKey !== null && person === 'accepting')
        next.set(pressesKeyAfterMs, () => life.report({ type: 'line.accepted' }));
    });

  return {
    tell(command) {
      switch (command.type) {
        case 'transfer':
          if (!life.is('answered')) return undefined;
          person = options.people.get(command.to) ?? people.get(command.to) ?? nobody;
          outlives = !options.people.has(command.to) && outlivesGateway(command.to);
          return ring(command.mode);
        case 'brief':
          return leg === 'answered' ? brief(command.text, command.acceptKey) : undefined;
        case 'connect':
          // In a later task, as everything that a line says.
          return leg === 'answered' ? next.set(0, connect) : undefined;
        case 'cancelTransfer':
          return leg === 'ringing' || leg === 'answered' ? fail('cancelled') : undefined;
      }
    },
    adopt(talkedMs) {
      outlives = true;
      talk(time.since(time.now() - talkedMs));
    },
    end,
    canBeLeft: () => leg === 'none' || (leg === 'connected' && outlives),
    isTheirs: ({ type }) => leg === 'connected' && heardOfOtherParty.has(type),
  };
};
