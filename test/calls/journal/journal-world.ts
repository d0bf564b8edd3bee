/** A journal whose database the test controls. */
import { setImmediate as allMicrotasks } from 'node:timers/promises';
import pino from 'pino';
import { SimulatedClock } from 'xstate';
import { journalLimits } from '#config/policy.ts';
import { createCallBus } from '#src/calls/call-bus.ts';
import { createJournal, type JournalFact, type JournalOptions } from '#src/calls/journal/journal.ts';
import type { RecordedFact } from '#src/persistence/calls/call-facts.ts';

export const said = (text: string): JournalFact => ({
  type: 'turn.spoken',
  at: 1,
  endedAt: 2,
  role: 'user',
  text,
  whole: true,
});
export const ended: JournalFact = { type: 'call.ended', reason: 'agent_hangup', status: 'completed' };
export const wordsOf = (fact: RecordedFact): string => (fact.type === 'turn.spoken' ? fact.text : fact.type);

export const away = new Error('The database is away');

type Changes = Partial<Omit<JournalOptions, 'write'>> & {
  write?: (...fact: Parameters<JournalOptions['write']>) => Promise<void>;
};

/**
 * Creates a journal that writes to a list instead of a database. A test passes functions in `changes` to replace the
 * journal's own, for example by failing ones.
 */
export const createWorld = ({ write: writing, ...changes }: Changes = {}) => {
  const clock = new SimulatedClock();
  const rows: [string, number, string][] = [];
  const logged: string[] = [];
  const followed: string[] = [];
  const write = async (callId: string, sequence: number, fact: RecordedFact): Promise<void> => {
    rows.push([callId, sequence, wordsOf(fact)]);
  };
  const logger = pino({ base: null }, { write: (line: string) => void logged.push(line) });
  const bus = createCallBus({ logger });
  const journal = createJournal({
    bus,
    retry: journalLimits.retry,
    async write(...fact) {
      await (writing ?? write)(fact[0], fact[1], fact[2], fact[3]);
      return null;
    },
    positionOf: async () => ({ sequence: 0, epoch: 1 }),
    finishesRecording: async () => false,
    isPassing: (error) => error === away,
    clock,
    logger,
    limit: 100,
    ...changes,
  });
  bus.subscribe('stored', ({ callId, fact }) => followed.push(`${callId} ${wordsOf(fact)}`));
  return {
    journal,
    bus,
    clock,
    rows,
    logged,
    followed,
    write,
    errors: () => logged.filter((line) => line.startsWith('{"level":50')),
    /** Advances time and lets everything due happen. */
    async pass(milliseconds: number) {
      await allMicrotasks();
      clock.increment(milliseconds);
      await allMicrotasks();
    },
  };
};

/** A gate that holds callers back until it is opened. */
export const gate = () => {
  const { promise, resolve } = Promise.withResolvers<undefined>();
  return { passed: promise, open: () => resolve(undefined) };
};
