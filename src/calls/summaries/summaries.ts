/**
 * Writes the summary of a call in the background, after its end is stored (guides/design/calls.md, "Summary"), unless
 * it was stored with the end (`summary-with-end.ts`).
 */
import type { Logger } from 'pino';
import type { CallToSummarize, SummarizeByModel } from '#src/domain/call-summary.ts';
import type { Clock } from '#src/domain/clock.ts';
import { withTimeout } from '#src/domain/with-timeout.ts';
import type { Database } from '#src/persistence/database/database.ts';
import { findEndedCall } from '#src/persistence/calls/ended-calls.ts';
import type { Journal } from '../journal/journal.ts';
import { summarize } from './summarize.ts';

/**
 * Summarizes the call so far with the model, as at the end of a call. Resolves to undefined if the model does not
 * respond in time, or if `signal` is aborted. Never rejects.
 */
export type SummarizeSoFar = (
  callId: string,
  call: Pick<CallToSummarize, 'language' | 'turns'>,
  signal: AbortSignal,
) => Promise<string | undefined>;

export type Summaries = {
  /** Called when the end of a call is stored. `ended` is the row of the call, if the caller has it. Never throws. */
  write(callId: string, ended?: CallToSummarize | null): void;
  /** Summarizes a call so far; null without a language model. */
  soFar: SummarizeSoFar | null;
  /** Called at shutdown. From then on the model has a few seconds for all summaries together. */
  hurry(): void;
  /** Resolves when every pending summary is published. */
  settled(): Promise<void>;
};

const hurryMs = 2_000;

/**
 * Describes an error for the log. Only messages of known failures are logged, because other messages may quote the
 * conversation.
 */
const describe = (error: unknown): object =>
  error instanceof Error && 'failure' in error
    ? { failure: error.failure, detail: error.message }
    : { failure: error instanceof Error ? error.name : typeof error };

export const createSummaries = (options: {
  database: Database;
  journal: Pick<Journal, 'append'>;
  /** Summarizes by the language model; `null` without one. */
  summarizeByModel: SummarizeByModel | null;
  /** Time limit of one summary by the model, in milliseconds. */
  modelMs: number;
  clock: Clock;
  logger: Logger;
}): Summaries => {
  const { database, journal, summarizeByModel, modelMs, clock, logger } = options;
  const underWay = new Set<Promise<void>>();
  const givenUp = new AbortController();
  let hurrying: unknown;

  const byModel = async (
    callId: string,
    { language, turns }: Pick<CallToSummarize, 'language' | 'turns'>,
    unwanted?: AbortSignal,
  ): Promise<string | undefined> => {
    const spoken = turns.filter(({ text }) => text !== '');
    if (summarizeByModel === null || spoken.length === 0 || givenUp.signal.aborted) return undefined;
    try {
      return await withTimeout(clock, modelMs, (limit) =>
        summarizeByModel(
          { language, turns: spoken },
          AbortSignal.any([limit, givenUp.signal, ...(unwanted === undefined ? [] : [unwanted])]),
        ),
      );
    } catch (error) {
      if (unwanted?.aborted === true) return undefined;
      logger.warn(
        { call_id: callId, ...describe(error) },
        'the language model returned no summary; it is made from the facts of the call',
      );
      return undefined;
    }
  };

  const write = async (callId: string, ended: CallToSummarize | null): Promise<void> => {
    try {
      const call = ended ?? (await findEndedCall(database, callId));
      if (call === null) return;
      const summary = (await byModel(callId, call)) ?? summarize(call);
      journal.append(callId, { type: 'call.summarized', summary });
    } catch (error) {
      logger.error({ call_id: callId, err: error }, 'the summary of a call could not be written');
    }
  };

  const track = (work: Promise<void>): void => {
    const tracked = work.finally(() => underWay.delete(tracked));
    underWay.add(tracked);
  };

  return {
    write: (callId, ended = null) => track(write(callId, ended)),
    soFar:
      summarizeByModel &&
      ((callId, call, signal) => {
        const summary = byModel(callId, call, signal);
        track(summary.then(() => undefined));
        return summary;
      }),
    hurry() {
      hurrying ??= clock.setTimeout(() => givenUp.abort(), hurryMs);
    },
    async settled() {
      while (underWay.size > 0) await Promise.all(underWay);
      clock.clearTimeout(hurrying);
    },
  };
};
