/** Progress of the calls that this gateway owns, as news for watchers. */
import type { TellNews, ToldState } from './call-news.ts';

/** The calls that this gateway owns. Each function returns its unsubscribe function. */
export type HeldCalls = {
  /**
   * Calls back immediately and with each later state; returns `undefined` for a call that this gateway does not own.
   */
  watchChart(callId: string, onState: (state: ToldState) => void): (() => void) | undefined;
  watchFacts(callId: string, onFact: () => void): () => void;
  /** Calls back with the id of each call that ended or moved to another gateway. */
  onRemoved(callback: (callId: string) => void): () => void;
};

export const progressOf =
  (calls: HeldCalls): TellNews =>
  (callId, tell, onOver) => {
    const stopChart = calls.watchChart(callId, (state) => tell({ news: 'state', state }));
    if (stopChart === undefined) return undefined;
    const stopFacts = calls.watchFacts(callId, () => tell({ news: 'fact' }));
    const stopCalls = calls.onRemoved((removed) => {
      if (removed !== callId) return;
      // Another gateway reports later facts, so watchers must check for new ones now.
      tell({ news: 'fact' });
      onOver();
    });
    return () => {
      stopChart();
      stopFacts();
      stopCalls();
    };
  };
