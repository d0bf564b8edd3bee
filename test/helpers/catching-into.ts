import type { Guard } from '#sip/rtp/guard.ts';

/** A guard that collects the errors. */
export const catchingInto =
  (errors: unknown[]): Guard =>
  (run) => {
    try {
      run();
    } catch (error) {
      errors.push(error);
    }
  };
