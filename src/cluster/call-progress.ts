/** The progress of the calls that this gateway holds, as news for whoever watches them. */
import type { TellNews, ToldState } from './call-news.ts';

/** The calls that this gateway holds; each function returns what ends it. */
export type HeldCalls = {
  isHeld(callId: string): boolean;
  /** Calls back at once and with each further state; `undefined` for a call that is not held here. */
  watchChart(callId: string, onState: (state: ToldState) => void): (() => void) | undefined;
  watchFacts(callId: string, onFact: () => void): () => void;
  /** Calls back when calls come, go or move. */
  subscribe(onChange: () => void): () => void;
};

export const progressOf =
  (calls: HeldCalls): TellNews =>
  (callId, tell, onOver) => {
    const stopChart = calls.watchChart(callId, (state) => tell({ news: 'state', state }));
    if (stopChart === undefined) return undefined;
    const stopFacts = calls.watchFacts(callId, () => tell({ news: 'fact' }));
    const stopCalls = calls.subscribe(() => {
      if (calls.isHeld(callId)) return;
      // Whatever comes next is told elsewhere, so that who watches looks for it from now on.
      tell({ news: 'fact' });
      onOver();
    });
    return () => {
      stopChart();
      stopFacts();
      stopCalls();
    };
  };
