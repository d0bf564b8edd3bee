/**
 * What a process is told of its machine, in a simulation: that there is room, and nothing else. The machine that simulates
 * is another at each run, and watching it costs more with every gateway that has begun with it: an observer of collections
 * of garbage, and a timer that measures how late the event loop is, live as long as their process.
 */
import { createRequire, syncBuiltinESMExports } from 'node:module';
import { createHistogram, PerformanceObserver } from 'node:perf_hooks';
import type perfHooks from 'node:perf_hooks';
import v8 from 'node:v8';

const requireHere = createRequire(import.meta.url);

const roomy = { used_heap_size: 1, heap_size_limit: 100 };

/** `isWanted` tells whether a simulation runs. */
export const leaveMachineUnwatched = (isWanted: () => boolean): void => {
  const hooks = requireHere('node:perf_hooks') as typeof perfHooks;
  const { monitorEventLoopDelay } = hooks;
  const { constrainedMemory } = process;
  const { getHeapStatistics } = v8;
  const { observe } = PerformanceObserver.prototype;
  Object.assign(PerformanceObserver.prototype, {
    observe(this: PerformanceObserver, ...values: unknown[]): void {
      if (!isWanted()) Reflect.apply(observe, this, values);
    },
  });
  Object.assign(hooks, {
    monitorEventLoopDelay: (...values: Parameters<typeof monitorEventLoopDelay>) =>
      isWanted()
        ? Object.assign(createHistogram(), { enable: () => false, disable: () => false })
        : monitorEventLoopDelay(...values),
  });
  Object.assign(process, { constrainedMemory: () => (isWanted() ? 0 : constrainedMemory.call(process)) });
  Object.assign(v8, {
    getHeapStatistics: () => (isWanted() ? roomy : getHeapStatistics()),
  });
  syncBuiltinESMExports();
};
