/** The order of a line's events (`machines/line.ts`), and every breach of it. */
import type { BargeIn, LineEvent } from '#machines/line.ts';

export const isLastWord = ({ type }: LineEvent): boolean =>
  type === 'line.ended' || type === 'line.unanswered';

type Before = readonly LineEvent[];

const wasAnswered = (before: Before): boolean =>
  before.some(({ type }) => type === 'line.answered' || type === 'line.adopted');

const breachesOfTimes = (event: LineEvent, before: Before): string[] => {
  const last = before.at(-1);
  return [
    ...(before.some(isLastWord) ? ['was said after the last word'] : []),
    ...(last !== undefined && event.at < last.at ? ['lies before the event that was said before it'] : []),
    ...('startedAt' in event && event.startedAt > event.at ? ['began after it was over'] : []),
  ];
};

/** A hold and its end alternate. */
const breachesOfHold = (type: LineEvent['type'], before: Before): string[] => {
  const last = before.findLast((one) => one.type === 'line.held' || one.type === 'line.resumed');
  return (last?.type ?? 'line.resumed') === type ? ['was said twice'] : [];
};

const outcomesOfOnset: ReadonlySet<string> = new Set(['line.speech', 'line.no_speech', 'line.held']);

/** An onset and its result alternate. */
const breachesOfOnset = (type: LineEvent['type'], before: Before, mode: BargeIn['mode']): string[] => {
  const last = before.findLast((one) => outcomesOfOnset.has(one.type) || one.type === 'line.onset');
  const isOpen = last?.type === 'line.onset';
  return [
    ...(mode === 'pause' ? [] : ['was said by a line that does not pause']),
    ...(isOpen === (type === 'line.onset') ? [isOpen ? 'was said twice' : 'follows no onset'] : []),
  ];
};

const breachesOfPlace = (event: LineEvent, before: Before, mode: BargeIn['mode']): string[] => {
  const unanswered = wasAnswered(before) ? [] : ['was said before the answer'];
  switch (event.type) {
    case 'line.ringing':
    case 'line.answered':
      return wasAnswered(before) ? ['was said after the answer'] : [];
    case 'line.unanswered':
      return wasAnswered(before) ? ['was said of an answered line'] : [];
    case 'line.ended':
      return wasAnswered(before) ? [] : ['was said of a line that was never answered'];
    case 'line.answered_by':
      return [
        ...unanswered,
        ...(before.some(({ type }) => type === 'line.answered_by') ? ['was said twice'] : []),
      ];
    case 'line.takes_message':
      return before.some((one) => one.type === 'line.answered_by' && one.by === 'machine')
        ? []
        : ['was said of no machine'];
    case 'line.heard':
      return event.text === '' ? ['holds no words'] : [];
    case 'line.held':
    case 'line.resumed':
      return [...unanswered, ...breachesOfHold(event.type, before)];
    case 'line.onset':
    case 'line.no_speech':
      return breachesOfOnset(event.type, before, mode);
    case 'line.no_words':
      return before.some(({ type }) => type === 'line.speech') ? [] : ['follows no speech'];
    case 'line.speech':
    case 'line.digit':
    case 'line.failed':
      return unanswered;
    default:
      return [];
  }
};

/** Breaches by an event after the previous ones, as sentences; `mode` is that of its barge-in. */
export const breachesOfOrder = (event: LineEvent, before: Before, mode: BargeIn['mode']): string[] => [
  ...breachesOfTimes(event, before),
  ...breachesOfPlace(event, before, mode),
];
