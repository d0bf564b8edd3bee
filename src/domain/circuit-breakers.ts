import { createCircuitBreaker, type CircuitBreaker, type CoolDown } from './circuit-breaker.ts';
import type { Clock } from './clock.ts';

/** One for each server of many, by a name. Only those that let somebody down are remembered. */
export type CircuitBreakers = {
  of(name: string): CircuitBreaker;
  /** Those that do not let everybody ask. */
  notClosed(): ReadonlyMap<string, CircuitBreaker>;
};

export type BreakerNumbers = Readonly<{
  coolDown: CoolDown;
  /** How many different ones are let down in a row until it opens. */
  opensAfter: number;
}>;

/** More servers than this that fail at once and are never asked again are not remembered. */
const longest = 10_000;

export const createCircuitBreakers = (
  clock: Pick<Clock, 'now'>,
  { coolDown, opensAfter }: BreakerNumbers,
): CircuitBreakers => {
  const failing = new Map<string, CircuitBreaker>();

  const remembered = (name: string): CircuitBreaker => {
    const breaker = failing.get(name) ?? createCircuitBreaker(clock, coolDown, opensAfter);
    failing.delete(name);
    failing.set(name, breaker);
    const [oldest] = failing.keys();
    if (failing.size > longest && oldest !== undefined) failing.delete(oldest);
    return breaker;
  };

  return {
    of: (name) => ({
      state: () => failing.get(name)?.state() ?? 'closed',
      mayTry: () => failing.get(name)?.mayTry() ?? true,
      worked: () => void failing.delete(name),
      failed: (by) => remembered(name).failed(by),
      remainingMs: () => failing.get(name)?.remainingMs() ?? 0,
    }),
    notClosed: () => new Map([...failing].filter(([, breaker]) => breaker.state() !== 'closed')),
  };
};
