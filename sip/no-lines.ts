/** No telephone lines at all: for a gateway that only shows what others do. */
import type { Lines } from './lines.ts';

export const createNoLines = (): Lines => ({
  name: 'none',
  start: () => Promise.resolve(),
  open() {
    throw new Error('This gateway has no telephone lines');
  },
  health: () => ({ ready: true }),
  close: () => Promise.resolve(),
});
