/**
 * A viewer connected by a websocket. The viewer receives calls as they appear. A viewer that reads too slowly misses
 * messages, in whose place it gets a mark, and then the current states of the actors. A viewer that stops reading is
 * disconnected.
 */
import type { Logger } from 'pino';
import type { WebSocket } from 'ws';
import type { AnyActorRef } from 'xstate';
import { createReaderBacklog } from '#src/domain/reader-backlog.ts';
import { inspectCall } from './inspect-call.ts';

// Makes the names of actors of several gateways unique, because each process numbers its own actors.

/** Type of the mark in place of missed messages, which Stately's protocol does not have; `skipped` is their number. */
const skippedType = '@trunkline.skipped';

/** A message of Stately's inspection protocol. */
type ShownMessage = {
  type: string;
  rootId: string;
  sessionId: string;
  parentId?: unknown;
  sourceId?: unknown;
  /** The chart; large. */
  definition?: unknown;
  /** Number of the chart on this connection, if each definition is sent once. */
  definitionNumber?: number;
  /** The first message of a call has its id; the protocol does not name calls. */
  callId?: string;
};

const isIntroduction = ({ type }: ShownMessage): boolean => type === '@xstate.actor';

/** Whether the message introduces the actor of a call itself. */
const isRoot = (message: ShownMessage): boolean =>
  isIntroduction(message) && message.sessionId === message.rootId;

/** Names actors by their gateway; those of gateway 1 keep their names. */
const namedBy = (gateway: number, message: ShownMessage): ShownMessage => {
  const { rootId, sessionId, parentId, sourceId } = message;
  const nameOf = <T>(id: T): T | string => (typeof id === 'string' && gateway > 1 ? `${gateway}/${id}` : id);
  return {
    ...message,
    rootId: nameOf(rootId),
    sessionId: nameOf(sessionId),
    ...(parentId === undefined ? {} : { parentId: nameOf(parentId) }),
    ...(sourceId === undefined ? {} : { sourceId: nameOf(sourceId) }),
  };
};

/** Names the actors of a call that moves between gateways. */
export const createSessionNames = (): ((message: ShownMessage) => ShownMessage) => {
  let gateways = 0;
  return (message) => {
    // The root actor of the call comes first from each gateway.
    if (isRoot(message)) gateways += 1;
    return namedBy(gateways, message);
  };
};

const hasStopped = (message: object): boolean => {
  const snapshot = 'snapshot' in message ? message.snapshot : undefined;
  const isKnown = typeof snapshot === 'object' && snapshot !== null && 'status' in snapshot;
  return isKnown && snapshot.status !== 'active';
};

/** The actors of one gateway that have not stopped, and the messages that stop them if the gateway is lost. */
const createRunningActors = () => {
  const running = new Map<string, ShownMessage>();
  return {
    note(message: ShownMessage): void {
      if (isIntroduction(message)) running.set(message.sessionId, message);
      if (message.type === '@xstate.snapshot' && hasStopped(message)) running.delete(message.sessionId);
    },
    stopAll: (at: number): ShownMessage[] =>
      [...running.values()].map(({ rootId, sessionId }) => ({
        type: '@xstate.snapshot',
        rootId,
        sessionId,
        createdAt: String(at),
        event: { type: 'gateway.lost' },
        snapshot: { status: 'stopped' },
      })),
  };
};

export type InspectedCalls = {
  find(callId: string): AnyActorRef | undefined;
  /** Returns the calls in progress of all workspaces. */
  all(): Iterable<{ callId: string; workspaceId: string }>;
  /** Calls back with each new call; the returned function unsubscribes. */
  onAdded(callback: (call: { callId: string; workspaceId: string }) => void): () => void;
};

/**
 * Emits the charts of a call that runs on any gateway. Resolves when the call is over or the signal aborts. Does not
 * reject.
 */
export type FollowCharts = (
  callId: string,
  show: (message: ShownMessage) => void,
  stopped: AbortSignal,
) => Promise<void>;

/** Receives the messages of many calls. */
export type ChartReader = {
  /** Must not throw. */
  show(message: ShownMessage): void;
  /** Resolves in a later turn of the event loop, when most of the buffer is read or the reader is gone. */
  hasRoom(): Promise<void>;
};

/** Chart definitions are large; the page of the console needs none. */
export type WantedCharts = { workspaceId: string; hasDefinitions: boolean };

/**
 * Shows the calls of a workspace at all other gateways. `open` is called for each connection with a gateway; the result
 * receives its messages and the end of the connection. The returned function stops it.
 */
export type FollowOthers = (
  wanted: WantedCharts,
  open: () => ChartReader & {
    /** `tooSlow`: the other gateway ended the connection, because it was read too slowly. */
    over(isTooSlow: boolean): void;
  },
) => () => void;

export type ViewerLimits = {
  /** Maximum number of bytes buffered for a slow reader. Beyond it, the viewer misses messages. */
  waitingBytes: number;
  /**
   * Interval between pings in milliseconds. A viewer that does not answer a ping is disconnected and releases its
   * permit.
   */
  pingMs: number;
};

/** Close codes of RFC 6455, section 7.4.1. */
export const closeCodes = { done: 1000, goingAway: 1001 } as const;

/** Divisor of the buffer limit: no further call is added while more than this fraction is buffered. */
const roomShare = 4;

/** Milliseconds after a call's end in which the last messages of its actors follow. */
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

type Viewer = ChartReader & {
  /** Marks that messages of another gateway are missing. Must not throw. */
  missed(): void;
};

/** Maximum number of actors whose missed state is kept for a slow viewer. */
const mostBehind = 5_000;

/** Messages about an actor that a slow viewer has missed: its introduction, and its newest snapshot. */
type Missed = { actor?: ShownMessage; snapshot?: ShownMessage };

/** Collects what a slow viewer misses. Events are only counted; the states of actors are kept, each in its newest form. */
const createMissed = () => {
  const actors = new Map<string, Missed>();
  let skipped = 0;
  return {
    count: () => skipped,
    skip(message?: ShownMessage): void {
      skipped += 1;
      if (message === undefined || message.type === '@xstate.event') return;
      const { sessionId } = message;
      const known = actors.get(sessionId);
      if (known === undefined && actors.size >= mostBehind) return;
      // An actor that began and ended meanwhile is left out. Otherwise their number would grow with the time.
      if (known?.actor !== undefined && hasStopped(message)) {
        actors.delete(sessionId);
        return;
      }
      actors.set(sessionId, { ...known, [isIntroduction(message) ? 'actor' : 'snapshot']: message });
    },
    /** Returns the mark and the kept messages, in order, and begins again. */
    take(at: number): ShownMessage[] {
      const kept = [...actors.values()].flatMap(({ actor, snapshot }) =>
        [actor, snapshot].filter((message) => message !== undefined),
      );
      const mark = {
        type: skippedType,
        rootId: '',
        sessionId: '',
        createdAt: String(at),
        skipped: skipped - kept.length,
      };
      actors.clear();
      skipped = 0;
      return [mark, ...kept];
    },
  };
};

/** Maximum number of charts that are numbered; further ones are sent each time. */
const mostNumbered = 100;

/** Sends each definition once on a connection: later actors of the chart have its number alone. */
const createNumberedDefinitions = (): ((message: ShownMessage) => ShownMessage) => {
  const numbers = new Map<string, number>();
  return (message) => {
    const { definition } = message;
    if (typeof definition !== 'string') return message;
    const known = numbers.get(definition);
    if (known !== undefined) return { ...message, definition: undefined, definitionNumber: known };
    if (numbers.size >= mostNumbered) return message;
    const definitionNumber = numbers.size + 1;
    numbers.set(definition, definitionNumber);
    return { ...message, definitionNumber };
  };
};

const asItIs = (message: ShownMessage): ShownMessage => message;

/** `written` changes each message right before it is sent, so that skipped messages do not count. */
const sendTo = (
  viewer: WebSocket,
  waitingBytes: number,
  written: (message: ShownMessage) => ShownMessage,
): Viewer => {
  const backlog = createReaderBacklog(() => viewer.bufferedAmount);
  const missed = createMissed();
  /** Resolves when the last message of an ended call is sent. */
  let leaving = Promise.resolve();
  const isOpen = (): boolean => viewer.readyState === viewer.OPEN;

  const send = (message: ShownMessage): void => {
    const text = JSON.stringify(written(message));
    leaving = new Promise((resolve) => {
      viewer.send(text, () => {
        resolve();
        catchUp();
      });
    });
    backlog.wrote(Buffer.byteLength(text));
  };

  const show = (message: ShownMessage): void => {
    if (!isOpen()) return;
    // Later messages wait behind the missed ones, so that their order remains.
    if (missed.count() === 0 && backlog.waiting() <= waitingBytes) return send(message);
    missed.skip(message);
    return catchUp();
  };

  /** Sends what the viewer has missed once it has read most of what waits. */
  const catchUp = (): void => {
    if (missed.count() === 0 || !isOpen() || viewer.bufferedAmount > waitingBytes / roomShare) return;
    for (const message of missed.take(Date.now())) show(message);
  };

  return {
    show,
    missed() {
      missed.skip();
      catchUp();
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
 * Shows a call of this gateway, beginning with its current state. Returns `undefined` if the call is not on this
 * gateway. `onOver` is called shortly after the call ends or moves. The returned function stops showing the call.
 */
export const showHeld =
  ({ find }: Pick<InspectedCalls, 'find'>) =>
  (callId: string, show: (message: ShownMessage) => void, onOver: () => void): (() => void) | undefined => {
    const call = find(callId);
    if (call === undefined) return undefined;
    let timer: NodeJS.Timeout | undefined;
    const over = (): void => {
      timer = setTimeout(onOver, lastWordsMs).unref();
    };
    const endInspection = inspectCall(call, (message) =>
      show(isRoot(message) ? { ...message, callId } : message),
    );
    const subscription = call.subscribe({ complete: over, error: over });
    return () => {
      clearTimeout(timer);
      endInspection();
      subscription.unsubscribe();
    };
  };

const withoutDefinition = (message: ShownMessage): ShownMessage =>
  'definition' in message ? { ...message, definition: undefined } : message;

/**
 * Shows all current and future calls of a workspace at this gateway. Calls are added one after the other at the pace of
 * the reader, because each chart with its definition has about 30 kB. The returned function stops it.
 */
export const showAll =
  (calls: InspectedCalls) =>
  ({ workspaceId, hasDefinitions }: WantedCharts, reader: ChartReader): (() => void) => {
    const shown = new Map<string, () => void>();
    const waiting = new Set<string>();
    const show = showHeld(calls);
    let state: 'idle' | 'introducing' | 'ended' = 'idle';

    const send = (message: ShownMessage): void =>
      reader.show(hasDefinitions ? message : withoutDefinition(message));
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
        await reader.hasRoom();
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

/** Shows all calls of a workspace at the other gateways. The returned function stops it. */
const showOthers = (wanted: WantedCharts, followOthers: FollowOthers, viewer: Viewer): (() => void) => {
  let connections = 1;
  return followOthers(wanted, () => {
    const connection = (connections += 1);
    const actors = createRunningActors();
    const show = (message: ShownMessage): void => viewer.show(namedBy(connection, message));
    return {
      show(message) {
        actors.note(message);
        show(message);
      },
      hasRoom: viewer.hasRoom,
      over(isTooSlow) {
        // The connection is opened again, and begins with the current states.
        if (isTooSlow) viewer.missed();
        for (const message of actors.stopAll(Date.now())) show(message);
      },
    };
  });
};

export type ShownCharts = {
  workspaceId: string;
  /** `null`: all calls of the workspace. */
  callId: string | null;
  /** Actors that come with the definition of their chart. `once`: the first of each chart. */
  definitions: 'all' | 'once' | 'none';
};

/** Shows one call, or all calls of the workspace, at any gateway. */
export const showCalls = (
  viewer: WebSocket,
  { callId, workspaceId, definitions }: ShownCharts,
  options: {
    calls: InspectedCalls;
    follow: FollowCharts;
    followOthers: FollowOthers;
    limits: ViewerLimits;
    logger: Logger;
  },
): void => {
  const { calls, limits, logger } = options;
  const wanted = { workspaceId, hasDefinitions: definitions !== 'none' };
  const written = definitions === 'once' ? createNumberedDefinitions() : asItIs;
  const reader = sendTo(viewer, limits.waitingBytes, written);
  const leaving = new AbortController();
  cutOffWhenSilent(viewer, limits.pingMs);
  viewer.on('error', (error) => logger.debug({ err: error }, 'the WebSocket of an inspector viewer failed'));
  viewer.on('close', () => leaving.abort());
  if (callId === null) {
    leaving.signal.addEventListener('abort', showAll(calls)(wanted, reader));
    leaving.signal.addEventListener('abort', showOthers(wanted, options.followOthers, reader));
    return;
  }
  const nameSessions = createSessionNames();
  const show = (message: ShownMessage): void =>
    reader.show(nameSessions(wanted.hasDefinitions ? message : withoutDefinition(message)));
  void options
    .follow(callId, show, leaving.signal)
    .then(() => viewer.close(closeCodes.done, 'the call is over'));
};
