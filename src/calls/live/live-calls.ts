/**
 * Calls in progress on this gateway, for health, limits, metrics and the console. The map is mutated and `revision`
 * incremented: copying thousands of calls for each change would cost more than the calls themselves.
 */
import { createStore } from '@xstate/store';
import type { Direction } from '#machines/line.ts';

type LiveStatus = 'ringing' | 'active';

export type LiveCall = {
  callId: string;
  numberId: string;
  workspaceId: string;
  direction: Direction;
  status: LiveStatus;
};

export type LiveCalls = {
  add(call: LiveCall): void;
  setStatus(callId: string, status: LiveStatus): void;
  remove(callId: string): void;
  get(callId: string): LiveCall | undefined;
  count(): number;
  countOfNumber(numberId: string): number;
  countOfWorkspace(workspaceId: string): number;
  all(): IterableIterator<LiveCall>;
  /** Calls back after each change; the returned function unsubscribes. */
  subscribe(onChange: () => void): () => void;
};

export const createLiveCalls = (): LiveCalls => {
  const calls = new Map<string, LiveCall>();
  const perOwner = new Map<string, number>();
  const store = createStore({
    context: { calls, revision: 0 },
    on: { changed: (context) => ({ ...context, revision: context.revision + 1 }) },
  });
  const countOf = (owner: string): number => perOwner.get(owner) ?? 0;
  const add = (owner: string, change: 1 | -1): void => {
    const count = countOf(owner) + change;
    if (count === 0) perOwner.delete(owner);
    else perOwner.set(owner, count);
  };
  return {
    add(call) {
      calls.set(call.callId, call);
      add(call.numberId, 1);
      add(call.workspaceId, 1);
      store.trigger.changed();
    },
    setStatus(callId, status) {
      const call = calls.get(callId);
      if (call === undefined || call.status === status) return;
      call.status = status;
      store.trigger.changed();
    },
    remove(callId) {
      const call = calls.get(callId);
      if (call === undefined) return;
      calls.delete(callId);
      add(call.numberId, -1);
      add(call.workspaceId, -1);
      store.trigger.changed();
    },
    get: (callId) => calls.get(callId),
    count: () => calls.size,
    countOfNumber: countOf,
    countOfWorkspace: countOf,
    all: () => calls.values(),
    subscribe(onChange) {
      const subscription = store.subscribe(onChange);
      return () => subscription.unsubscribe();
    },
  };
};
