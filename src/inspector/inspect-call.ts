/**
 * Inspects one call by Stately's inspection protocol: its current actors, then its events. Attached only while somebody
 * watches.
 */
import { createInspector, type StatelyInspectionEvent } from '@statelyai/inspect';
import type { AnyActorRef, Snapshot } from 'xstate';
import { masked } from './masked.ts';

/** `rootId`: the actor of the call itself. */
export type InspectionMessage = StatelyInspectionEvent & { rootId: string };

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null;

/** Snapshots contain the state of the charts; inputs, errors and children are omitted. */
const maskSnapshot = (snapshot: unknown): Snapshot<unknown> => {
  const nothing = { output: undefined, error: undefined };
  if (!isObject(snapshot)) return { ...nothing, status: 'active' };
  const status = 'status' in snapshot ? snapshot.status : 'active';
  return {
    ...nothing,
    status: status === 'done' || status === 'error' || status === 'stopped' ? status : 'active',
    ...('value' in snapshot ? { value: snapshot.value } : {}),
    ...('context' in snapshot && isObject(snapshot.context) ? { context: masked(snapshot.context) } : {}),
  };
};

const maskEvent = (event: unknown): { type: string } => {
  const type = isObject(event) && 'type' in event && typeof event.type === 'string' ? event.type : '';
  return isObject(event) ? { ...masked(event), type } : { type };
};

const maskMessage = (message: StatelyInspectionEvent, rootId: string): InspectionMessage => {
  const { sessionId, createdAt, id, _version } = message;
  const head = { rootId, sessionId, createdAt, id, _version };
  switch (message.type) {
    case '@xstate.actor': {
      const { type, name, parentId, definition } = message;
      return { ...head, type, name, parentId, definition, snapshot: maskSnapshot(message.snapshot) };
    }
    case '@xstate.event':
      return { ...head, type: message.type, sourceId: message.sourceId, event: maskEvent(message.event) };
    default:
      return {
        ...head,
        type: message.type,
        event: maskEvent(message.event),
        snapshot: maskSnapshot(message.snapshot),
      };
  }
};

const isActor = (value: unknown): value is AnyActorRef =>
  isObject(value) && 'getSnapshot' in value && 'sessionId' in value;

const hasChart = (actor: AnyActorRef): boolean =>
  'logic' in actor && isObject(actor.logic) && 'definition' in actor.logic;

/** `send` must not throw. The returned function ends the inspection. */
export const inspectCall = (call: AnyActorRef, send: (message: InspectionMessage) => void): (() => void) => {
  /** Actors without a chart, such as the line, that existed before the inspection began. */
  const names = new Map<string, string>();
  const named = (message: StatelyInspectionEvent): StatelyInspectionEvent =>
    message.type === '@xstate.actor'
      ? { ...message, name: names.get(message.sessionId) ?? message.name }
      : message;
  const inspector = createInspector({ send: (message) => send(maskMessage(named(message), call.sessionId)) });
  const introduce = (actor: AnyActorRef): void => {
    if (!hasChart(actor)) names.set(actor.sessionId, actor.id);
    const snapshot: unknown = actor.getSnapshot();
    inspector.actor(actor, maskSnapshot(snapshot));
    if (!isObject(snapshot) || !('children' in snapshot) || !isObject(snapshot.children)) return;
    for (const child of Object.values(snapshot.children)) if (isActor(child)) introduce(child);
  };
  introduce(call);
  const subscription = call.system.inspect(inspector.inspect);
  return () => subscription.unsubscribe();
};
