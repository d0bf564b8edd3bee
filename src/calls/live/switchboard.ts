/**
 * The switchboard owns the actors of the calls in progress. Each actor is a separate root: an error in one call ends
 * only that call, and ending thousands of calls is cheap (guides/design/architecture.md, "One actor per call").
 *
 * If `find(id)` is undefined on the gateway that should run a call, requests are refused with `room_unknown`
 * (guides/design/wire.md, "Hang-up").
 */
import type { Logger } from 'pino';
import { createActor, waitFor, type ActorRefFrom, type InspectionEvent } from 'xstate';
import type { callMachine } from '#machines/call.ts';
import type { CallInput } from '#machines/call-context.ts';
import type { CallFact } from '#machines/facts.ts';
import type { AudioUntil } from '#machines/line.ts';
import { outcomeOf, type CallOutcome } from '#machines/outcome.ts';
import type { Clock } from '#src/domain/clock.ts';
import type { CallBus } from '../call-bus.ts';
import type { LiveCalls } from './live-calls.ts';

export type CallActor = ActorRefFrom<typeof callMachine>;

export type Switchboard = {
  /** Starts the actor of a call. The line of the call begins to dial, or answers its arrival. */
  connect(call: { numberId: string; workspaceId: string; input: CallInput }): void;
  find(callId: string): CallActor | undefined;
  /** Returns all calls of this gateway by id. */
  calls(): Iterable<[string, CallActor]>;
  /**
   * Requests a hang-up of every answered call after its agent's current speech. The other party is still answered, but
   * cannot cancel the hang-up.
   */
  hangUpAll(): void;
  /** Releases a call that another gateway holds or will take. The far end notices no change. */
  leave(callId: string, audioUntil: AudioUntil): void;
  /** Releases all calls, which other gateways hold, like `leave`; returns their ids. */
  leaveAll(): string[];
  /** Requests the end of every call, including calls that begin later (see `gateway.closing` in the chart). */
  closeAll(): void;
  /** Resolves when the lines of all resumed calls, or of these, are taken over or ended, or after `withinMs`. */
  linesTaken(withinMs: number, callIds?: readonly string[]): Promise<void>;
  /** Resolves when no call is left, or after `withinMs`. */
  empty(withinMs: number): Promise<void>;
};

export type SwitchboardOptions = {
  /** The call's chart with all implementations provided. */
  machine: typeof callMachine;
  clock: Clock;
  liveCalls: LiveCalls;
  bus: CallBus;
  /** Publishes the end of a call that crashed. */
  publish: (callId: string, fact: CallFact) => void;
  /** Inspects the actor of a call and its children. Must not throw. */
  inspectorOf?: (callId: string) => (event: InspectionEvent) => void;
  /** Releases the line of a call and leaves its remote leg unchanged. */
  releaseLine: (callId: string, audioUntil: AudioUntil) => void;
  logger: Logger;
};

/** Promises that wait until no call is left. */
const createWaiting = () => {
  const waiting = new Set<() => void>();
  return {
    end(): void {
      for (const resolve of waiting) resolve();
    },
    wait: (withinMs: number): Promise<void> =>
      new Promise((resolve) => {
        const done = (): void => {
          clearTimeout(timer);
          waiting.delete(done);
          resolve();
        };
        const timer = setTimeout(done, withinMs);
        waiting.add(done);
      }),
  };
};

export const createSwitchboard = (options: SwitchboardOptions): Switchboard => {
  const { bus, clock, liveCalls, logger } = options;
  const actors = new Map<string, CallActor>();
  const whenEmpty = createWaiting();
  let isClosing = false;

  const remove = (callId: string): void => {
    if (!actors.delete(callId)) return;
    liveCalls.remove(callId);
    bus.publish('released', { callId });
    if (actors.size === 0) whenEmpty.end();
  };

  const leave = (callId: string, audioUntil: AudioUntil): void => {
    const actor = actors.get(callId);
    if (actor === undefined) return;
    options.releaseLine(callId, audioUntil);
    actor.stop();
  };

  return {
    connect(call) {
      const { numberId, workspaceId, input } = call;
      const { callId, direction } = input;
      const inspect = options.inspectorOf?.(callId);
      const actor = createActor(options.machine, { input, clock, id: callId, ...(inspect && { inspect }) });
      actors.set(callId, actor);
      liveCalls.add({ callId, numberId, workspaceId, direction, status: 'ringing' });
      bus.publish('connecting', { ...call, callId });
      const publishEnd = ({ reason, status }: CallOutcome): void =>
        bus.publish('ended', { callId, direction, reason, status });
      actor.subscribe({
        next: (snapshot) => {
          liveCalls.setStatus(callId, snapshot.hasTag('ringing') ? 'ringing' : 'active');
          bus.publish('changed', { callId, snapshot });
        },
        complete: () => {
          const { output } = actor.getSnapshot();
          if (output !== undefined) publishEnd(output);
          remove(callId);
        },
        error: (error) => {
          logger.error({ call_id: callId, err: error }, 'a call crashed and was ended');
          // The children of a crashed actor are stopped here, because XState leaves them running.
          const { children, context } = actor.getSnapshot();
          children.conversation?.send({ type: 'call.over' });
          const outcome = outcomeOf('system_error', context.wasAnswered);
          publishEnd(outcome);
          options.publish(callId, { type: 'call.ended', ...outcome });
          remove(callId);
        },
      });
      actor.start();
      if (isClosing) actor.send({ type: 'gateway.closing' });
    },
    find: (callId) => actors.get(callId),
    calls: () => actors.entries(),
    hangUpAll() {
      for (const actor of actors.values())
        actor.send({ type: 'hangup.requested', immediate: false, isFinal: true });
    },
    leave,
    leaveAll() {
      const callIds = [...actors.keys()];
      for (const callId of callIds) leave(callId, 'now');
      return callIds;
    },
    closeAll() {
      isClosing = true;
      for (const actor of actors.values()) actor.send({ type: 'gateway.closing' });
    },
    async linesTaken(withinMs, callIds = [...actors.keys()]) {
      const resumed = callIds.flatMap((callId) => actors.get(callId) ?? []);
      const waits = resumed.map((actor) =>
        waitFor(actor, (call) => !call.matches({ active: 'taking-over' }), { timeout: withinMs }),
      );
      await Promise.allSettled(waits);
    },
    empty: (withinMs) => (actors.size === 0 ? Promise.resolve() : whenEmpty.wait(withinMs)),
  };
};
