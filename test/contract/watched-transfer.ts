/**
 * The events that a line must emit for a transfer (`machines/line.ts`, clauses 11, 12 and 15), and every breach of it.
 */
import type { LineCommand, LineEvent } from '#machines/line.ts';

/**
 * The next required event: the result of a cold transfer; the answer, the briefing's end and the connection of a warm
 * one.
 */
type Owed = 'nothing' | 'cold' | 'referring' | 'warm' | 'answered' | 'briefing' | 'connection';

export type WatchedTransfer = {
  /** Records a command that the line receives while it exists. */
  told(command: LineCommand): void;
  /** Breaches by the current event of the line, as sentences. */
  breachesOf(event: LineEvent): string[];
};

export const watchTransfer = (): WatchedTransfer => {
  let owed: Owed = 'nothing';
  const ofBriefing = new Set<string>();

  const isOwed = (...wanted: Owed[]): boolean => wanted.includes(owed);

  return {
    told(command) {
      if (command.type === 'transfer') owed = command.mode;
      if (command.type === 'connect' && isOwed('answered', 'briefing')) owed = 'connection';
      if (command.type !== 'brief' || !isOwed('answered')) return;
      owed = 'briefing';
      ofBriefing.clear();
    },
    breachesOf({ type }) {
      switch (type) {
        case 'line.transfer_answered': {
          const breaches = isOwed('warm') ? [] : ['answers no warm transfer'];
          owed = 'answered';
          return breaches;
        }
        case 'line.briefed':
        case 'line.accepted': {
          const isAgain = ofBriefing.has(type);
          ofBriefing.add(type);
          return [
            ...(isAgain ? ['was said twice'] : []),
            ...(isOwed('briefing', 'connection') ? [] : ['follows no briefing']),
          ];
        }
        case 'line.referring': {
          const breaches = isOwed('cold') ? [] : ['makes no cold transfer'];
          owed = 'referring';
          return breaches;
        }
        case 'line.referred':
        case 'line.refer_refused': {
          const breaches = isOwed('referring') ? [] : ['follows no line.referring'];
          owed = 'nothing';
          return breaches;
        }
        case 'line.transferred': {
          const breaches = isOwed('cold', 'connection') ? [] : ['connects who was not to be connected'];
          owed = 'nothing';
          return breaches;
        }
        case 'line.transfer_failed': {
          const breaches = isOwed('nothing') ? ['answers no transfer'] : [];
          owed = 'nothing';
          return breaches;
        }
        default:
          return [];
      }
    },
  };
};
