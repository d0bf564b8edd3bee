import type { EventObject } from 'xstate';

/**
 * Performs the effects that a chart emits and returns its `send`. XState would report an error of an effect as an
 * uncaught exception; it is thrown to the sender of the event instead. Events sent by effects are processed after all
 * preceding effects.
 */
export const performEffects = <Event extends EventObject, Effect extends EventObject>(
  actor: { on(type: '*', handler: (effect: Effect) => void): unknown; send(event: Event): void },
  perform: (effect: Effect) => void,
): ((event: Event) => void) => {
  let failed: { error: unknown } | null = null;
  actor.on('*', (effect) => {
    try {
      perform(effect);
    } catch (error) {
      failed ??= { error };
    }
  });
  return (event) => {
    actor.send(event);
    if (failed === null) return;
    const { error } = failed;
    failed = null;
    throw error;
  };
};
