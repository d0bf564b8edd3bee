/** The second leg of a simulated line: the person of a transfer. */
import type { LineCommand, LineEvent, TransferMode, UnansweredCause } from '#machines/line.ts';
import { createAlarm, type LineTime } from '#sip/audio/line-time.ts';
import type { LineLife } from '#machines/line-life.ts';
import { sayingTime } from '#sip/audio/speaking-time.ts';

/**
 * Reaction of a person to a transfer: accepts; declines, at once or after the briefing; hears the briefing to its end
 * without pressing a digit; is not reached; or lets the telephone ring.
 */
export type Person = 'accepting' | 'declining' | 'undecided' | { isNotReached: UnansweredCause } | 'absent';

/** Transfer targets (guides/transfer.md); every other number is unassigned. */
const people: ReadonlyMap<string, Person> = new Map<string, Person>([
  ['01000000011', 'accepting'],
  ['01000000012', { isNotReached: 'busy' }],
  ['01000000013', 'absent'],
  ['01000000014', 'declining'],
  ['01000000015', 'undecided'],
]);
const nobody: Person = { isNotReached: 'invalid_number' };

/** Whether the connected person with this number is known to every gateway and therefore available after take-over. */
export const outlivesGateway = (to: string): boolean => people.get(to) === 'accepting';

/** Time until the network reports that the person is not reached. */
const refusedAfterMs = 500;
const answersAfterMs = 1_000;
/** Time from the end of a briefing to the digit that accepts the call. */
const pressesKeyAfterMs = 500;
/** Time from the connection to the hangup by the person. */
const hangsUpAfterMs = 10_000;

const heardOfOtherParty: ReadonlySet<LineEvent['type']> = new Set([
  'line.speech',
  'line.onset',
  'line.no_speech',
  'line.no_words',
  'line.heard',
  'line.digit',
  'line.answered_by',
  'line.takes_message',
]);

export type Transferring = {
  tell(command: Extract<LineCommand, { type: 'transfer' | 'brief' | 'connect' | 'cancelTransfer' }>): void;
  /** Takes over a person who has been connected with the other party for `talkedMs` milliseconds in another process. */
  adopt(talkedMs: number): void;
  /** Releases the person in any state. */
  end(): void;
  /** Whether another gateway could take over the person. True if there is no person. */
  isResumable(): boolean;
  /** Whether two persons are connected, whose conversation the gateway does not hear. */
  isConnected(): boolean;
  /** Whether the event belongs to the conversation of two connected persons. */
  isTheirs(event: LineEvent): boolean;
};

export const createTransferring = (options: {
  /** Transfer targets of this call, which take precedence over the known ones. */
  people: () => ReadonlyMap<string, Person>;
  time: LineTime;
  life: Pick<LineLife, 'is' | 'report' | 'send'>;
  /** Called when the person is rung. The other party hears a hold tone until the transfer is decided. */
  onRinging: () => void;
  onDecided: () => void;
  /** Called when both persons are connected. */
  onConnected: () => void;
}): Transferring => {
  const { life, time } = options;
  let leg: 'none' | 'ringing' | 'answered' | 'connected' = 'none';
  let person: Person = nobody;
  /** Whether the next gateway would know the person of this transfer. */
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
          person = options.people().get(command.to) ?? people.get(command.to) ?? nobody;
          // The next gateway knows the persons of this call, too.
          outlives = person === 'accepting';
          return ring(command.mode);
        case 'brief':
          return leg === 'answered' ? brief(command.text, command.acceptKey) : undefined;
        case 'connect':
          // The connection follows in a later task, like all events of a line.
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
    isResumable: () => leg === 'none' || (leg === 'connected' && outlives),
    isConnected: () => leg === 'connected',
    isTheirs: ({ type }) => leg === 'connected' && heardOfOtherParty.has(type),
  };
};
