/**
 * Permits shared by workspaces, for example for concurrent requests. A workspace may take a permit only while it holds
 * fewer permits than are free. One workspace alone therefore gets at most half of all permits, two workspaces get a
 * third each, and a further one always finds free permits, without configuration or reservations. (Choudhury and Hahne,
 * "Dynamic queue length thresholds for shared-memory packet switches", 1998.)
 */
import { once } from '#src/domain/once.ts';

/** Releases the permit. Idempotent. */
export type ReleasePermit = () => void;

export type Permits = {
  /** Takes a permit. Returns undefined if the workspace has its share. */
  acquire(workspaceId: string): ReleasePermit | undefined;
  /** Numbers of held permits by workspace. Workspaces without permits are missing. */
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
