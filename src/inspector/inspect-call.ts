/**
 * Inspects one call by Stately's inspection protocol: first its current actors, then its events. The inspector is
 * attached only while a viewer watches.
 */
import { type StatelyInspectionEvent, createInspector } from '@statelyai/inspect';
import type { AnyActorRef, Snapshot } from 'xstate';
import { maskPhoneNumber } from '#src/domain/phone-number.ts';

// Masks an event or a chart's context for viewers. Structure, numbers and states remain; words, secrets and whole
// telephone numbers are replaced. Texts are shown only for listed fields, so a new field is masked by default.

/** Fields with texts that come from the charts. */
const shown: ReadonlySet<string> = new Set([
  'type',
  'role',
  'cause',
  'by',
  'reason',
  'endReason',
  'direction',
  'language',
  'failure',
  'callId',
  'recognizer',
  'synthesizer',
]);

const telephoneNumbers: ReadonlySet<string> = new Set(['from', 'to']);

const maxDepth = 6;

const maskText = (field: string, text: string): string => {
  if (shown.has(field)) return text;
  return telephoneNumbers.has(field) ? maskPhoneNumber(text) : `(${text.length} characters)`;
};

const maskValue = (field: string, value: unknown, depth: number): unknown => {
  if (typeof value === 'string') return maskText(field, value);
  if (typeof value === 'number' || typeof value === 'boolean' || value === null) return value;
  if (typeof value !== 'object' || depth === maxDepth) return undefined;
  if (value instanceof Error) return { name: value.name };
  if (Array.isArray(value)) return value.map((each) => maskValue(field, each, depth + 1));
  return maskFields(value, depth + 1);
};

const maskFields = (value: object, depth: number): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(value).map(([field, inner]) => [field, maskValue(field, inner, depth)] as const),
  );

/** Returns a masked copy of the object. */
export const masked = (value: object): Record<string, unknown> => maskFields(value, 0);

/** An inspection message with `rootId`, the actor of the call itself. */
export type InspectionMessage = StatelyInspectionEvent & { rootId: string };

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null;

/** Masks a snapshot. The states of the charts remain; inputs, errors and children are omitted. */
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

/** Starts the inspection of a call. `send` must not throw. The returned function ends the inspection. */
export const inspectCall = (call: AnyActorRef, send: (message: InspectionMessage) => void): (() => void) => {
  /** Names of actors without a chart, such as the line, that existed before the inspection began. */
  const names = new Map<string, string>();
  const named = (message: StatelyInspectionEvent): StatelyInspectionEvent =>
    message.type === '@xstate.actor'
      ? { ...message, name: names.get(message.sessionId) ?? message.name }
      : message;
  const inspector = createInspector({ send: (message) => send(maskMessage(named(message), call.sessionId)) });
  const introduced = new Set<AnyActorRef>();
  const introduce = (actor: AnyActorRef): void => {
    if (introduced.has(actor)) return;
    introduced.add(actor);
    if (!hasChart(actor)) names.set(actor.sessionId, actor.id);
    const snapshot: unknown = actor.getSnapshot();
    inspector.actor(actor, maskSnapshot(snapshot));
    if (!isObject(snapshot) || !('children' in snapshot) || !isObject(snapshot.children)) return;
    for (const child of Object.values(snapshot.children)) if (isActor(child)) introduce(child);
  };
  introduce(call);
  // The line is no chart and has no children in its snapshot, so the line's charts are found by their names in the
  // actor system.
  for (const actor of Object.values(call.system.getAll())) if (isActor(actor)) introduce(actor);
  const subscription = call.system.inspect(inspector.inspect);
  return () => subscription.unsubscribe();
};
