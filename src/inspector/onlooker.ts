/** One who looks on by a websocket: is shown calls as they come, and is sent away when nothing is read. */
import type { Logger } from 'pino';
import type { WebSocket } from 'ws';
import type { AnyActorRef } from 'xstate';
import { inspectCall } from './inspect-call.ts';

export type InspectedCalls = {
  find(callId: string): AnyActorRef | undefined;
  /** The calls in progress of everybody. */
  all(): Iterable<{ callId: string; workspaceId: string }>;
  /** Calls back when calls come, go or move; the returned function ends it. */
  subscribe(onChange: () => void): () => void;
};

export type OnlookerLimits = {
  /** Bytes that may wait for a slow reader; one with more is sent away. */
  waitingBytes: number;
  /** One that has not answered for this long reads nothing, and gives its permit back. */
  pingMs: number;
};

/** RFC 6455 section 7.4.1 and the registry of close codes. */
export const closeCodes = { done: 1000, goingAway: 1001, tooSlow: 1013 } as const;

/** The library sends its last words about a call a moment after its end, in milliseconds. */
const lastWordsMs = 50;

/** Cuts off one that has not answered a ping when the next one is due. */
const cutOffWhenSilent = (viewer: WebSocket, pingMs: number): void => {
  let lastPing: 'waits' | 'answered' = 'answered';
  const timer = setInterval(() => {
    if (lastPing === 'waits') return viewer.terminate();
    lastPing = 'waits';
    viewer.ping();
  }, pingMs);
  viewer.on('pong', () => {
    lastPing = 'answered';
  });
  viewer.on('close', () => clearInterval(timer));
};

const sendTo =
  (viewer: WebSocket, waitingBytes: number, logger: Logger) =>
  (message: object): void => {
    if (viewer.readyState !== viewer.OPEN) return;
    if (viewer.bufferedAmount > waitingBytes) {
      logger.info('an onlooker of the inspector was too slow and was sent away');
      viewer.close(closeCodes.tooSlow, 'too slow');
    } else viewer.send(JSON.stringify(message));
  };

/** The calls that one onlooker is shown, until a moment after their end. */
const createShownCalls = (send: (message: object) => void, onOver: () => void) => {
  const shown = new Map<string, () => void>();

  const forget = (callId: string): void => {
    shown.get(callId)?.();
    shown.delete(callId);
  };

  return {
    has: (callId: string): boolean => shown.has(callId),
    add(callId: string, call: AnyActorRef): void {
      const endInspection = inspectCall(call, send);
      const over = (): void => {
        setTimeout(() => {
          forget(callId);
          onOver();
        }, lastWordsMs).unref();
      };
      const subscription = call.subscribe({ complete: over, error: over });
      shown.set(callId, () => {
        endInspection();
        subscription.unsubscribe();
      });
    },
    close(): void {
      for (const callId of shown.keys()) forget(callId);
    },
  };
};

/** Shows one call, or without its id every call of the workspace, those that are still to come too. */
export const showCalls = (
  viewer: WebSocket,
  { workspaceId, callId }: { workspaceId: string; callId: string | null },
  { calls, limits, logger }: { calls: InspectedCalls; limits: OnlookerLimits; logger: Logger },
): void => {
  const shown = createShownCalls(sendTo(viewer, limits.waitingBytes, logger), () => {
    if (callId !== null) viewer.close(closeCodes.done, 'the call is over');
  });

  const look = (): void => {
    for (const call of calls.all()) {
      if (call.workspaceId !== workspaceId || shown.has(call.callId)) continue;
      if (callId !== null && call.callId !== callId) continue;
      const actor = calls.find(call.callId);
      if (actor !== undefined) shown.add(call.callId, actor);
    }
  };

  const unsubscribe = calls.subscribe(look);
  cutOffWhenSilent(viewer, limits.pingMs);
  viewer.on('close', () => {
    unsubscribe();
    shown.close();
  });
  viewer.on('error', (error) => logger.debug({ err: error }, 'an onlooker of the inspector was lost'));
  look();
};
