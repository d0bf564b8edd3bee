/** Charts of lines and legs as actors: their effects, and their names in the actor system of a call. */
import type { AnyActorRef, EventObject } from 'xstate';

/**
 * Performs the effects that a chart emits. Returns the function that sends events to the chart. XState would report an
 * error of an effect as an uncaught exception; this function throws the error to the sender of the event instead.
 * Events that effects send are processed after all preceding effects.
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

/**
 * Returns options that make a chart part of the actor system of a call, where the inspector and the console find it by
 * this name. A leg that is still being cancelled keeps the name, and the next leg then has none.
 */
export const inSystemOf = (
  parent: AnyActorRef | undefined,
  name: string,
): { id: string; parent?: AnyActorRef; systemId?: string } => {
  if (parent === undefined) return { id: name };
  const isTaken = parent.system.get(name) !== undefined;
  return { id: name, parent, ...(isTaken ? {} : { systemId: name }) };
};
