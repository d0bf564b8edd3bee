/**
 * The switchboard holds the actors of the calls in progress, each a root of its own: an error in one call ends that
 * call and no other, and ending thousands stays cheap (guides/design/architecture.md, "One actor per call").
 *
 * `find(id) === undefined` on the gateway that should hold a call is `room_unknown` (guides/design/wire.md, "Hang-up").
 */
import type { Logger } from 'pino';
import { createActor, type ActorRefFrom, type InspectionEvent, type SnapshotFrom } from 'xstate';
import type { callMachine } from '#machines/call.ts';
import type { CallInput } from '#machines/call-context.ts';
import type { CallFact } from '#machines/facts.ts';
import { outcomeOf, type CallOutcome } from '#machines/outcome.ts';
import type { Clock } from '#src/domain/clock.ts';
import type { CallObserver } from '../observer.ts';
import type { LiveCalls } from './live-calls.ts';

export type CallActor = ActorRefFrom<typeof callMachine>;

export type Switchboard = {
  /** Brings a call to life: its line begins to dial, or answers its arrival. */
  connect(call: { numberId: string; workspaceId: string; input: CallInput }): void;
  find(callId: string): CallActor | undefined;
  /** All calls that are held here, by their ids. */
  calls(): Iterable<[string, CallActor]>;
  /**
   * Asks to hang up every call that was answered, when its agent has been heard out: speech of the other party is still
   * answered, and does not cancel it.
   */
  hangUpAll(): void;
  /** Lets go of a call that another gateway holds; its far end notices nothing. */
  leave(callId: string): void;
  /** The same, of all calls. */
  leaveAll(): void;
  /** Asks every call to end, also those that are still to come; see `gateway.closing` in the chart. */
  closeAll(): void;
  /** Resolves when no call is left, or after the given time. */
  empty(withinMs: number): Promise<void>;
};

export type SwitchboardOptions = {
  /** The call's chart with everything provided. */
  machine: typeof callMachine;
  clock: Clock;
  liveCalls: LiveCalls;
  publish: (callId: string, fact: CallFact) => void;
  /** Is told where a call is whenever something has happened in it. Must not throw. */
  onProgress?: (callId: string, snapshot: SnapshotFrom<typeof callMachine>) => void;
  /** Looks at what the actor of a call and its children do. Must not throw. */
  inspectorOf?: (callId: string) => (event: InspectionEvent) => void;
  observer: Pick<CallObserver, 'ended'>;
  /** Lets go of the line of a call and leaves its far end alone. */
  leaveLine: (callId: string) => void;
  /** Lets go of what the call holds outside its chart. Also called after a crash. */
  release: (callId: string) => void;
  logger: Logger;
};

/** Those who wait until no call is left. */
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
  const { clock, liveCalls, logger } = options;
  const actors = new Map<string, CallActor>();
  const whenEmpty = createWaiting();
  let isClosing = false;

  const release = (callId: string): void => {
    try {
      options.release(callId);
    } catch (error) {
      // XState would throw it at the whole process, and with it at every other call.
      logger.error({ call_id: callId, err: error }, 'what a call held could not be let go of');
    }
  };

  const remove = (callId: string): void => {
    if (!actors.delete(callId)) return;
    liveCalls.remove(callId);
    release(callId);
    if (actors.size === 0) whenEmpty.end();
  };

  const leave = (callId: string): void => {
    const actor = actors.get(callId);
    if (actor === undefined) return;
    options.leaveLine(callId);
    actor.stop();
  };

  return {
    connect({ numberId, workspaceId, input }) {
      const { callId, direction } = input;
      const inspect = options.inspectorOf?.(callId);
      const actor = createActor(options.machine, { input, clock, id: callId, ...(inspect && { inspect }) });
      actors.set(callId, actor);
      liveCalls.add({ callId, numberId, workspaceId, direction, status: 'ringing' });
      const tellEnd = ({ reason, status }: CallOutcome): void =>
        options.observer.ended({ callId, direction, reason, status });
      actor.subscribe({
        next: (snapshot) => {
          liveCalls.setStatus(callId, snapshot.hasTag('ringing') ? 'ringing' : 'active');
          options.onProgress?.(callId, snapshot);
        },
        complete: () => {
          const { output } = actor.getSnapshot();
          if (output !== undefined) tellEnd(output);
          remove(callId);
        },
        error: (error) => {
          logger.error({ call_id: callId, err: error }, 'a call crashed and was ended');
          // XState leaves the children of a crashed actor running.
          const { children, context } = actor.getSnapshot();
          children.conversation?.send({ type: 'call.over' });
          const outcome = outcomeOf('system_error', context.wasAnswered);
          tellEnd(outcome);
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
      for (const callId of actors.keys()) leave(callId);
    },
    closeAll() {
      isClosing = true;
      for (const actor of actors.values()) actor.send({ type: 'gateway.closing' });
    },
    empty: (withinMs) => (actors.size === 0 ? Promise.resolve() : whenEmpty.wait(withinMs)),
  };
};
