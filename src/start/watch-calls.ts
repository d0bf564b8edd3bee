/** What happens in calls, told to the other gateways of the database, and by them. */
import { cluster as clusterPolicy } from '#config/policy.ts';
import type { ApiServices } from '#src/api/api-services.ts';
import { createChartWatch } from '#src/calls/live/chart-watch.ts';
import type { LiveCalls } from '#src/calls/live/live-calls.ts';
import { createCallNewsHandler, type CallNewsHandler } from '#src/cluster/call-news-handler.ts';
import type { HeldNews } from '#src/cluster/call-news.ts';
import { progressOf } from '#src/cluster/call-progress.ts';
import { createCallFollowing } from '#src/cluster/follow-calls.ts';
import { createProofJudge } from '#src/cluster/node-proof.ts';
import { createCallWatches } from '#src/cluster/watch-calls.ts';
import type { InspectorSocketOptions } from '#src/inspector/inspector-socket.ts';
import { showHeld } from '#src/inspector/onlooker.ts';
import { findHolder } from '#src/persistence/call-holders.ts';
import type { Foundation } from './foundation.ts';
import type { StartedCalls } from './start-calls.ts';
import type { StartedJournal } from './start-journal.ts';

export type CallWatching = {
  watch: ApiServices['watchCall'];
  isHeld: ApiServices['isHeldHere'];
  /** What the inspector asks. */
  inspected: Pick<InspectorSocketOptions, 'calls' | 'follow' | 'ownerOf'>;
  /** Where the others ask for calls that are held here. */
  handler: CallNewsHandler;
};

const isCallId = (text: string): boolean => /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/.test(text);

export const startCallWatching = (
  { config, database, sealing, clock, steadyClock, logger, started }: Foundation,
  parts: {
    calls: Pick<StartedCalls, 'switchboard'>;
    journalling: Pick<StartedJournal, 'factNews'>;
    liveCalls: LiveCalls;
  },
): CallWatching => {
  const { switchboard } = parts.calls;
  const { all, get, subscribe } = parts.liveCalls;
  const isHeld = (callId: string): boolean => switchboard.find(callId) !== undefined;
  const show = showHeld(switchboard);
  const held: HeldNews = {
    progress: progressOf({
      isHeld,
      watchChart: createChartWatch(switchboard),
      watchFacts: parts.journalling.factNews.watch,
      subscribe,
    }),
    charts: (callId, tell, onOver) =>
      config.inspect
        ? show(callId, (message) => tell({ news: 'inspection', message: { ...message } }), onOver)
        : undefined,
  };
  const { now } = clock;
  const following = createCallFollowing({
    database,
    held,
    keys: sealing,
    numbers: clusterPolicy.callFollowing,
    now,
    clock: steadyClock,
    logger,
  });
  started.defer(following.close);
  return {
    watch: createCallWatches(following),
    isHeld,
    inspected: {
      calls: { find: switchboard.find, all, subscribe },
      follow: (callId, showMessage, stopped) =>
        following.follow({
          callId,
          kind: 'charts',
          onNews: (told) => told.news === 'inspection' && showMessage(told.message),
          stopped,
        }),
      ownerOf: async (callId) =>
        get(callId)?.workspaceId ??
        (isCallId(callId) ? (await findHolder(database, callId))?.workspaceId : undefined),
    },
    handler: createCallNewsHandler({
      ...clusterPolicy.callNews,
      held,
      judge: createProofJudge({ keys: sealing, now, logger }),
      clock: steadyClock,
    }),
  };
};
