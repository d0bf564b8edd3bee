/** Notifications about calls, exchanged with the other gateways of the database. */
import { cluster as clusterPolicy } from '#config/policy.ts';
import type { ApiServices } from '#src/api/api-services.ts';
import { createChartWatch } from '#src/calls/live/chart-watch.ts';
import type { LiveCalls } from '#src/calls/live/live-calls.ts';
import type { Overheard } from '#src/calls/live/overheard.ts';
import { createCallNewsHandler, type CallNewsHandler } from '#src/cluster/call-news-handler.ts';
import type { HeldNews, TellNews } from '#src/cluster/call-news.ts';
import { progressOf } from '#src/cluster/call-progress.ts';
import { createCallFollowing } from '#src/cluster/follow-calls.ts';
import { createProofJudge } from '#src/cluster/node-proof.ts';
import { createCallWatches } from '#src/cluster/watch-calls.ts';
import type { ListenInSocketOptions } from '#src/listen-in/listen-in-socket.ts';
import type { InspectorSocketOptions } from '#src/inspector/inspector-socket.ts';
import { showHeld } from '#src/inspector/viewer.ts';
import { bytesIn } from '#src/domain/sample-bytes.ts';
import { findHolder } from '#src/persistence/calls/call-holders.ts';
import type { Runtime } from './runtime.ts';
import type { Calls } from './calls.ts';

export type CallWatching = {
  watch: ApiServices['calls']['watchCall'];
  isHeld: ApiServices['calls']['isHeldHere'];
  /** Queries of the inspector. */
  inspected: Pick<InspectorSocketOptions, 'calls' | 'follow' | 'ownerOf'>;
  /** Queries of listeners. */
  listenIn: ListenInSocketOptions['follow'];
  /** Where other gateways query local calls. */
  handler: CallNewsHandler;
};

/** Audio of local calls for listeners. */
const soundOf =
  ({ listen }: Pick<Overheard, 'listen'>, isAnnounced: boolean): TellNews =>
  (callId, tell, onOver) =>
    listen(
      callId,
      {
        isAnnounced,
        onState: (state) => tell({ news: 'listen-in', state }),
        onSound: (samples) => tell({ news: 'sound', samples: bytesIn(samples).toString('base64') }),
      },
      onOver,
    );

const isCallId = (text: string): boolean => /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/.test(text);

export const startCallWatching = (
  { config, database, sealing, clock, steadyClock, bus, logger, started }: Runtime,
  parts: {
    calls: Pick<Calls, 'switchboard'>;
    liveCalls: LiveCalls;
    overheard: Pick<Overheard, 'listen'>;
  },
): CallWatching => {
  const { switchboard } = parts.calls;
  const { all, get, onAdded, onRemoved } = parts.liveCalls;
  const isHeld = (callId: string): boolean => switchboard.find(callId) !== undefined;
  const show = showHeld(switchboard);
  const held: HeldNews = {
    progress: progressOf({
      watchChart: createChartWatch(switchboard),
      watchFacts: (callId, onFact) => bus.subscribe('stored', onFact, callId),
      onRemoved,
    }),
    charts: (callId, tell, onOver) =>
      config.inspect
        ? show(callId, (message) => tell({ news: 'inspection', message: { ...message } }), onOver)
        : undefined,
    sound: soundOf(parts.overheard, false),
    'announced-sound': soundOf(parts.overheard, true),
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
      calls: { find: switchboard.find, all, onAdded },
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
    listenIn: (callId, policy, { onState, onSound }, stopped) =>
      following.follow({
        callId,
        kind: policy === 'silent' ? 'sound' : 'announced-sound',
        onNews(told) {
          if (told.news === 'listen-in') onState(told.state);
          if (told.news === 'sound') onSound(Buffer.from(told.samples, 'base64'));
        },
        stopped,
      }),
    handler: createCallNewsHandler({
      ...clusterPolicy.callNews,
      held,
      judge: createProofJudge({ keys: sealing, now, logger }),
      clock: steadyClock,
    }),
  };
};
