/** A line under observation: its commands, its events, and every breach of the contract of `machines/line.ts`. */
import type { Line, LineCommand, LineEvent, LineInput, OpenLine } from '#machines/line.ts';
import { breachesOfOrder, isLastWord } from './watched-order.ts';
import { watchTransfer } from './watched-transfer.ts';
import { watchUtterances } from './watched-utterances.ts';

export type WatchedLine = {
  readonly callId: string;
  readonly events: readonly LineEvent[];
  /** Breaches of the contract so far, as sentences. */
  readonly breaches: readonly string[];
  say(text: string, language?: string): number;
  tell(command: Exclude<LineCommand, { type: 'say' }>): void;
  /** Returns the preliminary words of the other party. */
  hearing(): string;
  close(): void;
  release(): void;
  /** The events of one kind. */
  all<Type extends LineEvent['type']>(type: Type): Extract<LineEvent, { type: Type }>[];
  saw(type: LineEvent['type']): boolean;
  /** The types of all events, in order. */
  story(): string[];
  /** True once the last event was emitted. */
  isOver(): boolean;
  /** Called when the line is over or closed and time has passed: a missing event is a breach, too. */
  finish(): readonly string[];
};

/** Opens a line and observes it. `onEvent` is called with each event, as the call would be. */
export const openWatched = (
  open: OpenLine,
  input: LineInput,
  onEvent: (event: LineEvent, line: WatchedLine) => void = () => {},
): WatchedLine => {
  const events: LineEvent[] = [];
  const breaches: string[] = [];
  const utterances = watchUtterances();
  const transfer = watchTransfer();
  let utterance = 0;
  let busyWith: string | null = null;
  let isClosed = false;

  const during = <Result>(what: string, act: () => Result): Result => {
    const before = busyWith;
    busyWith = what;
    try {
      return act();
    } finally {
      busyWith = before;
    }
  };

  const check = (event: LineEvent): void => {
    const found = [
      ...(busyWith === null ? [] : [`was said inside ${busyWith}`]),
      ...(isClosed ? ['was said after close'] : []),
      ...breachesOfOrder(event, events, input.bargeIn.mode),
      ...transfer.breachesOf(event),
      ...utterances.breachesOf(event),
    ];
    breaches.push(...found.map((sentence) => `${event.type}: ${sentence}`));
  };

  const line: Line = during('open', () =>
    open(input, (event) => {
      check(event);
      events.push(event);
      // The call reacts within the event; the line must not respond synchronously.
      during('an event', () => onEvent(event, watched));
    }),
  );

  const watched: WatchedLine = {
    callId: input.callId,
    events,
    breaches,
    say(text, language) {
      utterance += 1;
      const command = { type: 'say', utterance, text, ...(language && { language }) } as const;
      if (!watched.isOver() && !isClosed) utterances.said(command);
      during('say', () => line.tell(command));
      return utterance;
    },
    tell(command) {
      if (!watched.isOver() && !isClosed) transfer.told(command);
      if (command.type === 'stopTalking') utterances.stopped();
      during(command.type, () => line.tell(command));
    },
    hearing: () => line.hearing?.() ?? '',
    close() {
      isClosed = true;
      during('close', () => line.close());
    },
    release() {
      isClosed = true;
      during('release', () => line.release('now'));
    },
    all: <Type extends LineEvent['type']>(type: Type) =>
      events.filter((event): event is Extract<LineEvent, { type: Type }> => event.type === type),
    saw: (type) => events.some((event) => event.type === type),
    story: () => events.map(({ type }) => type),
    isOver: () => events.some(isLastWord),
    finish() {
      if (!isClosed && !watched.isOver()) breaches.push('the line never said its last word');
      return breaches;
    },
  };
  return watched;
};
