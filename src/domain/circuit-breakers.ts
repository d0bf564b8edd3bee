import { createCircuitBreaker, type CircuitBreaker, type CoolDown } from './circuit-breaker.ts';
import type { Clock } from './clock.ts';

/** Circuit breakers by server name. Only servers with failures are stored. */
export type CircuitBreakers = {
  of(name: string): CircuitBreaker;
  /** Returns the breakers that are not closed, by server name. */
  notClosed(): ReadonlyMap<string, CircuitBreaker>;
};

export type BreakerNumbers = Readonly<{
  coolDown: CoolDown;
  /** Number of different users whose requests must fail in a row before a breaker opens. */
  opensAfter: number;
}>;

/** Maximum number of failing servers that are stored. */
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
