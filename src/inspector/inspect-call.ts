/**
 * Inspects one call by Stately's inspection protocol: first its current actors, then its events. The inspector is
 * attached only while a viewer watches.
 */
import { type StatelyInspectionEvent, createInspector } from '@statelyai/inspect';
import type { AnyActorRef, InspectionEvent, Snapshot } from 'xstate';
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
  if (ArrayBuffer.isView(value)) return `(${value.byteLength} bytes)`;
  // Actors: without this, all that they refer to would be read.
  if ('toJSON' in value && typeof value.toJSON === 'function')
    return maskValue(field, value.toJSON(), depth + 1);
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

/** Masked copies: most events leave the context of an actor as it is, and several viewers may see it. */
const maskedContexts = new WeakMap<object, Record<string, unknown>>();

const maskContext = (context: object): Record<string, unknown> => {
  const copy = maskedContexts.get(context) ?? masked(context);
  maskedContexts.set(context, copy);
  return copy;
};

/** Masks a snapshot. The states of the charts remain; inputs, errors and children are omitted. */
const maskSnapshot = (snapshot: unknown): Snapshot<unknown> => {
  const nothing = { output: undefined, error: undefined };
  if (!isObject(snapshot)) return { ...nothing, status: 'active' };
  const status = 'status' in snapshot ? snapshot.status : 'active';
  return {
    ...nothing,
    status: status === 'done' || status === 'error' || status === 'stopped' ? status : 'active',
    ...('value' in snapshot ? { value: snapshot.value } : {}),
    ...('context' in snapshot && isObject(snapshot.context)
      ? { context: maskContext(snapshot.context) }
      : {}),
  };
};

const maskEvent = (event: unknown): { type: string } => {
  const type = isObject(event) && 'type' in event && typeof event.type === 'string' ? event.type : '';
  return isObject(event) ? { ...masked(event), type } : { type };
};

const isActor = (value: unknown): value is AnyActorRef =>
  isObject(value) && 'getSnapshot' in value && 'sessionId' in value;

type Introduction = Extract<StatelyInspectionEvent, { type: '@xstate.actor' }>;

/** Returns the message by which the library introduces an actor. */
const introductionByLibrary = (actor: AnyActorRef): Introduction => {
  const introductions: StatelyInspectionEvent[] = [];
  createInspector({ send: (message) => void introductions.push(message) }).actor(actor);
  const [introduction] = introductions;
  if (introduction?.type !== '@xstate.actor') throw new Error('The library has not introduced an actor');
  return introduction;
};

/** Returns the configuration of the actor's chart, which all actors of the chart share; undefined without a chart. */
const chartOf = (actor: AnyActorRef): object | undefined =>
  'logic' in actor && isObject(actor.logic) && 'config' in actor.logic && isObject(actor.logic.config)
    ? actor.logic.config
    : undefined;

/** One introduction for each chart: its definition of some 30 kB takes longer to write than all else. */
const introductions = new WeakMap<object, Introduction>();

const introductionOf = (actor: AnyActorRef): Introduction => {
  const chart = chartOf(actor);
  if (chart === undefined) return introductionByLibrary(actor);
  const introduction = introductions.get(chart) ?? introductionByLibrary(actor);
  introductions.set(chart, introduction);
  return introduction;
};

/**
 * Starts the inspection of a call. `send` must not throw. The returned function ends the inspection. The library writes
 * only the introductions: it would start a timer for each event, and write and parse each snapshot as text.
 */
export const inspectCall = (call: AnyActorRef, send: (message: InspectionMessage) => void): (() => void) => {
  const { id, _version } = introductionOf(call);
  const headOf = ({ sessionId }: { sessionId: string }) => ({
    rootId: call.sessionId,
    sessionId,
    createdAt: String(Date.now()),
    id,
    _version,
  });
  const introduced = new Set<string>();
  const introduce = (actor: AnyActorRef, isNew: boolean): void => {
    if (introduced.has(actor.sessionId)) return;
    introduced.add(actor.sessionId);
    const { name, definition } = introductionOf(actor);
    const hasOwnName = chartOf(actor) === undefined || (isNew && actor.id !== actor.sessionId);
    send({
      ...headOf(actor),
      type: '@xstate.actor',
      name: hasOwnName ? actor.id : name,
      parentId: actor._parent?.sessionId,
      definition,
      snapshot: maskSnapshot(actor.getSnapshot()),
    });
  };
  const introduceWithChildren = (actor: AnyActorRef): void => {
    if (introduced.has(actor.sessionId)) return;
    introduce(actor, false);
    const snapshot: unknown = actor.getSnapshot();
    if (!isObject(snapshot) || !('children' in snapshot) || !isObject(snapshot.children)) return;
    for (const child of Object.values(snapshot.children)) if (isActor(child)) introduceWithChildren(child);
  };
  introduceWithChildren(call);
  // The line is no chart and has no children in its snapshot, so the line's charts are found by their names in the
  // actor system.
  for (const actor of Object.values(call.system.getAll())) if (isActor(actor)) introduceWithChildren(actor);

  /** The last snapshot of each running actor. An event that changes nothing repeats it. */
  const latest = new Map<string, unknown>();
  const isRepeated = ({ sessionId }: { sessionId: string }, snapshot: Snapshot<unknown>): boolean => {
    if (latest.get(sessionId) === snapshot) return true;
    if (snapshot.status === 'active') latest.set(sessionId, snapshot);
    else latest.delete(sessionId);
    return false;
  };

  const tell = (event: InspectionEvent): void => {
    const { actorRef } = event;
    if (event.type === '@xstate.actor' && isActor(actorRef)) introduce(actorRef, true);
    if (event.type === '@xstate.event')
      send({
        ...headOf(actorRef),
        type: event.type,
        sourceId: event.sourceRef?.sessionId,
        event: maskEvent(event.event),
      });
    if (event.type === '@xstate.snapshot' && !isRepeated(actorRef, event.snapshot))
      send({
        ...headOf(actorRef),
        type: event.type,
        event: maskEvent(event.event),
        snapshot: maskSnapshot(event.snapshot),
      });
  };
  /** Events of the current turn of the event loop: an actor has no snapshot yet at the event of its creation. */
  let happened: InspectionEvent[] = [];
  const tellAll = (): void => {
    const events = happened;
    happened = [];
    for (const event of events) tell(event);
  };
  const subscription = call.system.inspect((event) => {
    if (event.type === '@xstate.microstep' || event.type === '@xstate.action') return;
    if (happened.length === 0) setImmediate(tellAll);
    happened.push(event);
  });
  return () => {
    subscription.unsubscribe();
    happened = [];
  };
};
