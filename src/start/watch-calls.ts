/** What happens in calls, told to the other gateways of the database, and by them. */
import { cluster as clusterPolicy } from '#config/policy.ts';
import { createChartWatch, type WatchChart } from '#src/calls/live/chart-watch.ts';
import type { LiveCalls } from '#src/calls/live/live-calls.ts';
import type { ApiServices } from '#src/api/api-services.ts';
import {
  createCallNewsHandler,
  type CallNewsHandler,
  type HeldCalls,
} from '#src/cluster/call-news-handler.ts';
import { createCallWatches } from '#src/cluster/watch-calls.ts';
import type { Foundation } from './foundation.ts';
import type { StartedCalls } from './start-calls.ts';
import type { StartedJournal } from './start-journal.ts';

export type CallWatching = {
  held: { watchChart: WatchChart };
  elsewhere: ApiServices['watchElsewhere'];
  /** Where the others ask for calls that are held here. */
  handler: CallNewsHandler;
};

export const startCallWatching = (
  { database, sealing, clock, steadyClock, logger, started }: Foundation,
  parts: {
    calls: Pick<StartedCalls, 'switchboard'>;
    journalling: Pick<StartedJournal, 'factNews'>;
    liveCalls: LiveCalls;
  },
): CallWatching => {
  const { switchboard } = parts.calls;
  const held = {
    isHeld: (callId) => switchboard.find(callId) !== undefined,
    watchChart: createChartWatch(switchboard),
    watchFacts: parts.journalling.factNews.watch,
    subscribe: parts.liveCalls.subscribe,
  } satisfies HeldCalls;
  const own = { keys: sealing, now: clock.now, clock: steadyClock };
  const watches = createCallWatches({
    ...own,
    database,
    here: held,
    numbers: clusterPolicy.callWatch,
    logger,
  });
  started.defer(watches.close);
  return {
    held,
    elsewhere: watches.watch,
    handler: createCallNewsHandler({ ...own, calls: held, limits: clusterPolicy.callNews }),
  };
};
