import { createSealing } from '#src/persistence/sealing.ts';

/** With a master key of its own, for tests in which it matters to nobody. */
export const sealing = createSealing(Buffer.alloc(32, 7));
