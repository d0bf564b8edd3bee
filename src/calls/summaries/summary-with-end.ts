/**
 * Adds the summary to the end of a call, so that both are stored in one statement. Knows the words of calls that began on
 * this gateway; the summary of another call, which was taken over, is written after its end (`summaries.ts`).
 */
import type { CallFact } from '#machines/facts.ts';
import type { CallToSummarize } from '#src/domain/call-summary.ts';
import type { EndWithSummary } from '#src/persistence/calls/call-facts.ts';
import { summarize } from './summarize.ts';

type Stamped = CallFact & { at: number };

export type SummaryWithEnd = {
  /** A call begins on this gateway. */
  begin(callId: string, language: string): void;
  /** Notes the words of a fact. Returns the fact, an end with the summary. Must be called with every fact in order. */
  complete(callId: string, fact: Stamped): Stamped | EndWithSummary;
  release(callId: string): void;
};

type KnownCall = Pick<CallToSummarize, 'language'> & {
  answeredAt: number | null;
  turns: CallToSummarize['turns'][number][];
};

const durationOf = (
  { answeredAt }: KnownCall,
  end: Extract<Stamped, { type: 'call.ended' }>,
): number | null => {
  if (answeredAt === null) return 0;
  return end.durationIsKnown === false ? null : Math.max(0, (end.at - answeredAt) / 1_000);
};

export const createSummaryWithEnd = (): SummaryWithEnd => {
  const calls = new Map<string, KnownCall>();
  return {
    begin: (callId, language) => void calls.set(callId, { language, answeredAt: null, turns: [] }),
    complete(callId, fact) {
      const call = calls.get(callId);
      if (call === undefined) return fact;
      if (fact.type === 'call.answered') call.answeredAt = fact.at;
      if (fact.type === 'turn.spoken') call.turns.push({ role: fact.role, text: fact.text });
      if (fact.type !== 'call.ended') return fact;
      const { language, turns } = call;
      const durationSec = durationOf(call, fact);
      return { ...fact, summary: summarize({ language, durationSec, endReason: fact.reason, turns }) };
    },
    release: (callId) => void calls.delete(callId),
  };
};
