import { setImmediate } from 'node:timers/promises';

/**
 * Prepares the routes before the port opens, each in a turn of the event loop of its own. A route takes up to some tenths
 * of a second, which calls in progress would wait for: while there are any, the first request of the route prepares it.
 */
export const prepareRoutes = async <Services>(
  routes: readonly { prepare?: (services: Services) => Promise<void> }[],
  services: Services,
  callsInProgress: () => number,
): Promise<void> => {
  for (const { prepare } of routes) {
    if (prepare === undefined || callsInProgress() > 0) continue;
    await prepare(services);
    await setImmediate();
  }
};
