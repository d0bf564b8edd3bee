/** States of the pages outside the console's frame: the API reference and the Stately inspector. */
import { first, openMenu, submit, type State } from './state.ts';

export const referenceStates: readonly State[] = [
  { name: 'reference', path: '/docs' },
  { name: 'reference-operation', path: '/docs#/createCall' },
  {
    name: 'reference-tried',
    path: '/docs#/listGateways',
    act: async (page) => {
      await submit(page);
      await first(page, '.received .pill').waitFor();
    },
  },
  {
    name: 'reference-found',
    path: '/docs',
    act: async (page) => {
      await openMenu(page);
      await first(page, '[type=search]').fill('transfer');
    },
  },
  { name: 'reference-signed-out', path: '/docs#/listNumbers', as: 'nobody' },
  { name: 'reference-missing', path: '/docs#/nothing' },
  // Without the internet: what the page shows must not depend on another server.
  { name: 'stately', path: '/inspect', lastPart: '[role=alert]', isRefused: true },
  { name: 'stately-signed-out', path: '/inspect', as: 'nobody', lastPart: '[role=alert]' },
];
