/**
 * Permits that workspaces share, such as requests at once. The rule: a workspace may take a permit only while it holds
 * fewer than are free. So one alone has half of them at most, of two that want all each has a third, and whoever comes
 * next finds room; nobody has to know how many there are, and none is reserved for those who do not come. (Choudhury and
 * Hahne, "Dynamic queue length thresholds for shared-memory packet switches", 1998.)
 */
import { once } from '#src/domain/once.ts';

/** Releases the permit; more than once is once. */
export type ReleasePermit = () => void;

export type Permits = {
  /** Undefined where the workspace has what it may have. */
  acquire(workspaceId: string): ReleasePermit | undefined;
  /** By workspace; those who hold none are missing. */
  held(): ReadonlyMap<string, number>;
};

export const createPermits = (count: number): Permits => {
  const held = new Map<string, number>();
  let free = count;

  const add = (workspaceId: string, change: 1 | -1): void => {
    const now = (held.get(workspaceId) ?? 0) + change;
    free -= change;
    if (now === 0) held.delete(workspaceId);
    else held.set(workspaceId, now);
  };

  return {
    acquire(workspaceId) {
      if ((held.get(workspaceId) ?? 0) >= free) return undefined;
      add(workspaceId, 1);
      return once(() => add(workspaceId, -1));
    },
    held: () => held,
  };
};
