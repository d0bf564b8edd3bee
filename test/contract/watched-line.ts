/** A line under observation: what it was told, what it said, and every breach of the contract of `machines/line.ts`. */
import type { Line, LineCommand, LineEvent, LineInput, OpenLine } from '#machines/line.ts';

export type WatchedLine = {
  readonly events: readonly LineEvent[];
  /** Breaches of the contract so far, as sentences. */
  readonly breaches: readonly string[];
  say(text: string): number;
  tell(command: Exclude<LineCommand, { type: 'say' }>): void;
  close(): void;
  leave(): void;
  canBeLeft(): boolean;
  /** The events of one kind. */
  all<Type extends LineEvent['type']>(type: Type): Extract<LineEvent, { type: Type }>[];
  saw(type: LineEvent['type']): boolean;
  /** The types of all events, in order. */
  story(): string[];
  /** The last word was said. */
  isOver(): boolean;
  /** To be called when the line is over or closed and time has gone by: what is missing is a breach, too. */
  finish(): readonly string[];
};

const isLastWord = ({ type }: LineEvent): boolean => type === 'line.ended' || type === 'line.unanswered';

/** Of a text without letters or digits nothing sounds, though all of it was played. */
const canBeSaid = (text: string): boolean => /[\p{L}\p{N}]/u.test(text);

const outcomesOfOnset: ReadonlySet<string> = new Set(['line.speech', 'line.no_speech', 'line.held']);

/** Opens a line and watches it. `onEvent` is called with each event, as the call would be. */
export const openWatched = (
  open: OpenLine,
  input: LineInput,
  onEvent: (event: LineEvent, line: WatchedLine) => void = () => {},
): WatchedLine => {
  const events: LineEvent[] = [];
  const breaches: string[] = [];
  const said: { utterance: number; text: string }[] = [];
  /** Utterances that a `stopTalking` stopped and that were not reported yet. */
  const stopped = new Set<number>();
  let reported = 0;
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
    const breach = (sentence: string): void => void breaches.push(`${event.type}: ${sentence}`);
    const last = events.at(-1);
    if (busyWith !== null) breach(`was said inside ${busyWith}`);
    if (isClosed) breach('was said after close');
    if (events.some(isLastWord)) breach('was said after the last word');
    if (last !== undefined && event.at < last.at) breach('lies before the event that was said before it');
    if ('startedAt' in event && event.startedAt > event.at) breach('began after it was over');
    const wasAnswered = events.some(({ type }) => type === 'line.answered' || type === 'line.adopted');
    switch (event.type) {
      case 'line.ringing':
      case 'line.answered':
        if (wasAnswered) breach('was said after the answer');
        break;
      case 'line.unanswered':
        if (wasAnswered) breach('was said of an answered line');
        break;
      case 'line.ended':
        if (!wasAnswered) breach('was said of a line that was never answered');
        if (reported < said.length) breach(`left ${said.length - reported} utterances unreported`);
        break;
      case 'line.answered_by':
        if (!wasAnswered) breach('was said before the answer');
        if (events.some(({ type }) => type === 'line.answered_by')) breach('was said twice');
        break;
      case 'line.takes_message':
        if (stopped.size > 0) breach('came before the reports of what was stopped');
        if (!events.some((it) => it.type === 'line.answered_by' && it.by === 'machine'))
          breach('was said of no machine');
        break;
      case 'line.heard':
        if (stopped.size > 0) breach('came before the reports of what was stopped');
        if (event.text === '') breach('holds no words');
        break;
      case 'line.played': {
        const expected = said[reported];
        reported += 1;
        stopped.delete(event.utterance);
        if (expected === undefined) breach(`reports utterance ${event.utterance}, which was never said`);
        else if (expected.utterance !== event.utterance)
          breach(`reports utterance ${event.utterance} where ${expected.utterance} was next`);
        else if (!expected.text.startsWith(event.text)) breach('reports words that were not said');
        else if (event.whole && event.text !== expected.text && canBeSaid(expected.text))
          breach('reports a part as the whole');
        break;
      }
      case 'line.held':
      case 'line.resumed': {
        if (!wasAnswered) breach('was said before the answer');
        const last = events.findLast(({ type }) => type === 'line.held' || type === 'line.resumed');
        if ((last?.type ?? 'line.resumed') === event.type) breach('was said twice');
        break;
      }
      case 'line.onset':
      case 'line.no_speech': {
        if (input.bargeIn.mode !== 'pause') breach('was said by a line that does not pause');
        const last = events.findLast(({ type }) => outcomesOfOnset.has(type) || type === 'line.onset');
        const isOpen = last?.type === 'line.onset';
        if (isOpen === (event.type === 'line.onset')) breach(isOpen ? 'was said twice' : 'follows no onset');
        break;
      }
      case 'line.speech':
      case 'line.digit':
      case 'line.failed':
        if (!wasAnswered) breach('was said before the answer');
    }
  };

  const line: Line = during('open', () =>
    open(input, (event) => {
      check(event);
      events.push(event);
      // The call reacts inside the event; the line must not answer in the same breath.
      during('an event', () => onEvent(event, watched));
    }),
  );

  const watched: WatchedLine = {
    events,
    breaches,
    say(text) {
      utterance += 1;
      const command = { type: 'say' as const, utterance, text };
      if (!watched.isOver() && !isClosed) said.push(command);
      during('say', () => line.tell(command));
      return utterance;
    },
    tell(command) {
      if (command.type === 'stopTalking')
        for (const { utterance } of said.slice(reported)) stopped.add(utterance);
      during(command.type, () => line.tell(command));
    },
    close() {
      isClosed = true;
      during('close', () => line.close());
    },
    leave() {
      isClosed = true;
      during('leave', () => line.leave());
    },
    canBeLeft: () => line.canBeLeft(),
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
