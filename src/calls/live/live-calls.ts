/**
 * Store of the calls in progress on this gateway, for health, admission, metrics, the console and the inspector. Events
 * change the store, and selectors read it. The maps of its context are changed in place, because copying thousands of
 * calls for each change would cost more than the calls themselves. Each change creates a new context object, so that
 * selections and subscribers notice it.
 */
import { createStore, type Selection } from '@xstate/store';
import type { Direction } from '#machines/line.ts';

type LiveStatus = 'ringing' | 'active';

export type LiveCall = Readonly<{
  callId: string;
  numberId: string;
  workspaceId: string;
  direction: Direction;
  status: LiveStatus;
}>;

export type CountsByStatus = Readonly<Record<Direction, Readonly<Record<LiveStatus, number>>>>;

type Context = Readonly<{
  calls: Map<string, LiveCall>;
  /** Numbers of calls by number and by workspace. */
  countsByOwner: Map<string, number>;
  countsByStatus: CountsByStatus;
}>;

type Events = { added: { call: LiveCall }; statusChanged: LiveCallStatus; removed: { callId: string } };
type Emitted = { added: { call: LiveCall }; removed: { callId: string } };
type LiveCallStatus = { callId: string; status: LiveStatus };

export type LiveCalls = {
  add(call: LiveCall): void;
  setStatus(callId: string, status: LiveStatus): void;
  remove(callId: string): void;
  get(callId: string): LiveCall | undefined;
  all(): IterableIterator<LiveCall>;
  countOfNumber(numberId: string): number;
  countOfWorkspace(workspaceId: string): number;
  /** Number of calls. */
  count: Selection<number>;
  /** Numbers of calls by direction and status. */
  countsByStatus: Selection<CountsByStatus>;
  /** Calls back with each new call; the returned function unsubscribes. */
  onAdded(callback: (call: LiveCall) => void): () => void;
  /** Calls back with the id of each call that ended or moved; the returned function unsubscribes. */
  onRemoved(callback: (callId: string) => void): () => void;
};

const addToOwner = (counts: Map<string, number>, owner: string, change: 1 | -1): void => {
  const count = (counts.get(owner) ?? 0) + change;
  if (count === 0) counts.delete(owner);
  else counts.set(owner, count);
};

const addToStatus = (
  counts: CountsByStatus,
  { direction, status }: LiveCall,
  change: 1 | -1,
): CountsByStatus => ({
  ...counts,
  [direction]: { ...counts[direction], [status]: counts[direction][status] + change },
});

const createLiveCallStore = () =>
  createStore<Context, Events, Emitted>({
    context: {
      calls: new Map(),
      countsByOwner: new Map(),
      countsByStatus: { inbound: { ringing: 0, active: 0 }, outbound: { ringing: 0, active: 0 } },
    },
    on: {
      added(context, { call }, enqueue) {
        context.calls.set(call.callId, call);
        addToOwner(context.countsByOwner, call.numberId, 1);
        addToOwner(context.countsByOwner, call.workspaceId, 1);
        enqueue.emit.added({ call });
        return { ...context, countsByStatus: addToStatus(context.countsByStatus, call, 1) };
      },
      statusChanged(context, { callId, status }) {
        const before = context.calls.get(callId);
        if (before === undefined || before.status === status) return context;
        const call = { ...before, status };
        context.calls.set(callId, call);
        const others = addToStatus(context.countsByStatus, before, -1);
        return { ...context, countsByStatus: addToStatus(others, call, 1) };
      },
      removed(context, { callId }, enqueue) {
        const call = context.calls.get(callId);
        if (call === undefined) return context;
        context.calls.delete(callId);
        addToOwner(context.countsByOwner, call.numberId, -1);
        addToOwner(context.countsByOwner, call.workspaceId, -1);
        enqueue.emit.removed({ callId });
        return { ...context, countsByStatus: addToStatus(context.countsByStatus, call, -1) };
      },
    },
  });

export const createLiveCalls = (): LiveCalls => {
  const store = createLiveCallStore();
  const { calls, countsByOwner } = store.getInitialSnapshot().context;
  const countOf = (owner: string): number => countsByOwner.get(owner) ?? 0;
  return {
    add: (call) => store.trigger.added({ call }),
    setStatus(callId, status) {
      // Called after every event of a call, few of which change its status.
      if (calls.get(callId)?.status !== status) store.trigger.statusChanged({ callId, status });
    },
    remove: (callId) => store.trigger.removed({ callId }),
    get: (callId) => calls.get(callId),
    all: () => calls.values(),
    countOfNumber: countOf,
    countOfWorkspace: countOf,
    count: store.select(({ calls: { size } }) => size),
    countsByStatus: store.select((context) => context.countsByStatus),
    onAdded(callback) {
      const subscription = store.on('added', ({ call }) => callback(call));
      return () => subscription.unsubscribe();
    },
    onRemoved(callback) {
      const subscription = store.on('removed', ({ callId }) => callback(callId));
      return () => subscription.unsubscribe();
    },
  };
};
