import { createSealing } from '#src/persistence/database/sealing.ts';

/** Uses a fixed master key, for tests that do not depend on it. */
export const sealing = createSealing(Buffer.alloc(32, 7));
