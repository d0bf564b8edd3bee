/**
 * Information about the machine in a simulation: there is always enough room. The simulating machine differs between
 * runs, and watching it becomes more expensive with every gateway started: an observer of garbage collections and a
 * timer that measures event-loop delay live as long as their process.
 */
import { createRequire, syncBuiltinESMExports } from 'node:module';
import { createHistogram, PerformanceObserver } from 'node:perf_hooks';
import type perfHooks from 'node:perf_hooks';
import v8 from 'node:v8';

const requireHere = createRequire(import.meta.url);

const roomy = { used_heap_size: 1, heap_size_limit: 100 };

/** `isWanted` returns whether a simulation is running. */
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
