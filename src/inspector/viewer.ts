/** A viewer on a websocket: receives calls as they appear, and is disconnected if it stops reading. */
import type { Logger } from 'pino';
import type { WebSocket } from 'ws';
import type { AnyActorRef } from 'xstate';
import { createReaderBacklog } from '#src/domain/reader-backlog.ts';
import { type InspectionMessage, inspectCall } from './inspect-call.ts';

// Names the actors of a call that moves between gateways: each process numbers its own actors, so names are made
// unique.

/** A message of Stately's inspection protocol. */
type ShownMessage = {
  type: string;
  rootId: string;
  sessionId: string;
  parentId?: unknown;
  sourceId?: unknown;
};

export const createSessionNames = (): ((message: ShownMessage) => ShownMessage) => {
  let gateways = 0;
  const nameOf = <T>(id: T): T | string =>
    typeof id === 'string' && gateways > 1 ? `${gateways}/${id}` : id;
  return (message) => {
    const { type, rootId, sessionId, parentId, sourceId } = message;
    // Each gateway begins with the call's root actor.
    if (type === '@xstate.actor' && sessionId === rootId) gateways += 1;
    return {
      ...message,
      rootId: nameOf(rootId),
      sessionId: nameOf(sessionId),
      ...(parentId === undefined ? {} : { parentId: nameOf(parentId) }),
      ...(sourceId === undefined ? {} : { sourceId: nameOf(sourceId) }),
    };
  };
};

export type InspectedCalls = {
  find(callId: string): AnyActorRef | undefined;
  /** Calls in progress of all workspaces. */
  all(): Iterable<{ callId: string; workspaceId: string }>;
  /** Calls back with each new call; the returned function unsubscribes. */
  onAdded(callback: (call: { callId: string; workspaceId: string }) => void): () => void;
};

/** Emits the charts of a call that runs on this or another gateway. Resolves when it is over or the signal aborts. Does not reject. */
export type FollowCharts = (
  callId: string,
  show: (message: ShownMessage) => void,
  stopped: AbortSignal,
) => Promise<void>;

export type ViewerLimits = {
  /** Bytes that may be buffered for a slow reader; beyond it the viewer is disconnected. */
  waitingBytes: number;
  /** A viewer that does not answer for this long is disconnected and releases its permit. */
  pingMs: number;
};

/** RFC 6455 section 7.4.1 and the registry of close codes. */
export const closeCodes = { done: 1000, goingAway: 1001, tooSlow: 1013 } as const;

/** Fraction of the buffer limit beyond which no further call is added. */
const roomShare = 4;

/** Milliseconds after a call's end in which the library sends its last messages. */
const lastWordsMs = 50;

/** Disconnects a viewer that has not answered a ping by the time of the next one. */
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

type Sending = {
  send(message: object): void;
  /** Resolves in a later turn, when most of the buffer is sent or the viewer is gone. */
  hasRoom(): Promise<void>;
};

const sendTo = (viewer: WebSocket, waitingBytes: number, logger: Logger): Sending => {
  const backlog = createReaderBacklog(() => viewer.bufferedAmount);
  /** Resolves when the last message is sent. */
  let leaving = Promise.resolve();
  return {
    send(message) {
      if (viewer.readyState !== viewer.OPEN) return;
      if (backlog.waiting() > waitingBytes) {
        logger.info('disconnected a viewer of the inspector that read too slowly');
        viewer.close(closeCodes.tooSlow, 'too slow');
        return;
      }
      const text = JSON.stringify(message);
      leaving = new Promise((resolve) => {
        viewer.send(text, () => resolve());
      });
      backlog.wrote(Buffer.byteLength(text));
    },
    async hasRoom() {
      if (viewer.bufferedAmount > waitingBytes / roomShare) await leaving;
      await new Promise((resolve) => {
        setImmediate(resolve);
      });
    },
  };
};

/**
 * Shows a call of this gateway from its current state on; `undefined` if it is not here. `onOver` is called shortly
 * after it ends or moves. The returned function stops showing it.
 */
export const showHeld =
  ({ find }: Pick<InspectedCalls, 'find'>) =>
  (
    callId: string,
    show: (message: InspectionMessage) => void,
    onOver: () => void,
  ): (() => void) | undefined => {
    const call = find(callId);
    if (call === undefined) return undefined;
    let timer: NodeJS.Timeout | undefined;
    const over = (): void => {
      timer = setTimeout(onOver, lastWordsMs).unref();
    };
    const endInspection = inspectCall(call, show);
    const subscription = call.subscribe({ complete: over, error: over });
    return () => {
      clearTimeout(timer);
      endInspection();
      subscription.unsubscribe();
    };
  };

/**
 * Shows all current and future calls of a workspace at this gateway. Calls are added one after the other as the viewer
 * reads: each chart is about 30 kB.
 */
const showAll = (workspaceId: string, calls: InspectedCalls, { send, hasRoom }: Sending): (() => void) => {
  const shown = new Map<string, () => void>();
  const waiting = new Set<string>();
  const show = showHeld(calls);
  let state: 'idle' | 'introducing' | 'ended' = 'idle';

  const forget = (callId: string): void => {
    shown.get(callId)?.();
    shown.delete(callId);
  };
  const isEnded = (): boolean => state === 'ended';
  const introduce = async (): Promise<void> => {
    state = 'introducing';
    for (const callId of waiting) {
      waiting.delete(callId);
      const stop = show(callId, send, () => forget(callId));
      if (stop !== undefined) shown.set(callId, stop);
      await hasRoom();
      if (isEnded()) return;
    }
    state = 'idle';
  };
  const add = (call: { callId: string; workspaceId: string }): void => {
    if (call.workspaceId !== workspaceId) return;
    waiting.add(call.callId);
    if (state === 'idle') void introduce();
  };

  const unsubscribe = calls.onAdded(add);
  for (const call of calls.all()) add(call);
  return () => {
    state = 'ended';
    unsubscribe();
    for (const callId of shown.keys()) forget(callId);
  };
};

/** Shows one call at any gateway, or without an id all calls of this gateway. */
export const showCalls = (
  viewer: WebSocket,
  { workspaceId, callId }: { workspaceId: string; callId: string | null },
  options: { calls: InspectedCalls; follow: FollowCharts; limits: ViewerLimits; logger: Logger },
): void => {
  const { calls, limits, logger } = options;
  const sending = sendTo(viewer, limits.waitingBytes, logger);
  const leaving = new AbortController();
  cutOffWhenSilent(viewer, limits.pingMs);
  viewer.on('error', (error) => logger.debug({ err: error }, 'the WebSocket of an inspector viewer failed'));
  viewer.on('close', () => leaving.abort());
  if (callId === null) {
    leaving.signal.addEventListener('abort', showAll(workspaceId, calls, sending));
    return;
  }
  const nameSessions = createSessionNames();
  void options
    .follow(callId, (message) => sending.send(nameSessions(message)), leaving.signal)
    .then(() => viewer.close(closeCodes.done, 'the call is over'));
};
