/**
 * Runs code of one call's session, such as the handling of a packet. An error ends this session, and not the thread with
 * the sessions of all calls.
 */
export type Guard = (run: () => void) => void;

/** Leaves errors to the caller. */
export const unguarded: Guard = (run) => run();
