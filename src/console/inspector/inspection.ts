/**
 * State of the inspector, built from the gateway's messages about the actors of calls (Stately's inspection protocol).
 * The state contains the current actors and a ring buffer of the last messages, so that memory is bounded for any
 * number of calls.
 */

/** `skipped`: messages that the gateway left out, because this page read too slowly. */
export type Kind = 'event' | 'state' | 'actor' | 'skipped';

export type Entry = {
  /** Number of the entry, counted from the first one, including dropped entries. */
  id: number;
  kind: Kind;
  /** Time in milliseconds since the epoch. */
  at: number;
  /** Session id of the actor. */
  actor: string;
  source: string | null;
  /** Type of the event, or of the event that caused the snapshot; empty for a new actor. */
  type: string;
  state: string | null;
  /** The event or the context, as masked by the gateway. */
  payload: unknown;
};

export type Actor = {
  id: string;
  name: string;
  parent: string | null;
  /** Session id of the root actor: the call to which the actor belongs. */
  root: string;
  /** Id of the call; null for other actors than the root. */
  callId: string | null;
  state: string | null;
  isOver: boolean;
};

export type Inspection = {
  actors: ReadonlyMap<string, Actor>;
  /** Entries, the oldest first. */
  entries: readonly Entry[];
};

/**
 * Maximum numbers of entries and actors: as many messages as a person can search, and the actors of hundreds of calls.
 */
export const mostEntries = 2_000;
export const mostActors = 5_000;

type Fields = Readonly<Record<string, unknown>>;

const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const textOf = (value: unknown): string | null => (typeof value === 'string' ? value : null);

/** Formats a state value as dotted paths, such as `active.talking.conversing`. */
export const stateText = (value: unknown): string | null => {
  if (!isFields(value)) return textOf(value);
  return Object.entries(value)
    .map(([outer, inner]) => {
      const deeper = stateText(inner);
      return deeper === null ? outer : `${outer}.${deeper}`;
    })
    .join(' ');
};

const snapshotOf = (snapshot: unknown) => {
  const { value, context, status } = isFields(snapshot) ? snapshot : {};
  return { state: stateText(value), context, isOver: textOf(status) !== null && status !== 'active' };
};

const kinds: Readonly<Record<string, Kind>> = {
  '@xstate.event': 'event',
  '@xstate.snapshot': 'state',
  '@xstate.actor': 'actor',
  '@trunkline.skipped': 'skipped',
};

export type Told = {
  entry: Omit<Entry, 'id'>;
  /** Null for a mark of skipped messages. */
  actor: (Omit<Actor, 'name'> & { name: string | null }) | null;
};

/** Parses a message; returns undefined for data that is not a message of the protocol. */
export const readMessage = (message: unknown): Told | undefined => {
  if (!isFields(message)) return undefined;
  const { type, sessionId, rootId, createdAt, name, parentId, sourceId, event, callId } = message;
  const kind = kinds[textOf(type) ?? ''];
  const id = textOf(sessionId);
  if (kind === undefined || id === null) return undefined;
  if (kind === 'skipped') {
    const payload = Number(message['skipped']);
    const entry = { kind, at: Number(createdAt), actor: '', source: null, type: '', state: null, payload };
    return { entry, actor: null };
  }
  const { state, context, isOver } = snapshotOf(message['snapshot']);
  return {
    entry: {
      kind,
      at: Number(createdAt),
      actor: id,
      source: textOf(sourceId),
      type: isFields(event) ? (textOf(event['type']) ?? '') : '',
      state,
      payload: kind === 'event' ? event : context,
    },
    actor: {
      id,
      name: textOf(name),
      parent: textOf(parentId),
      root: textOf(rootId) ?? id,
      callId: textOf(callId),
      state,
      isOver,
    },
  };
};

/** Drops actors beyond the maximum: stopped actors first, the oldest of them first. */
const withoutOldest = (actors: Map<string, Actor>): void => {
  while (actors.size > mostActors) {
    const [oldest] = actors.values();
    const gone = [...actors.values()].find(({ isOver }) => isOver) ?? oldest;
    if (gone === undefined) return;
    actors.delete(gone.id);
  }
};

/** Applies several messages at once (those of one animation frame), because each application copies the state. */
export const inspectionAfter = ({ actors, entries }: Inspection, told: readonly Told[]): Inspection => {
  const now = new Map(actors);
  let next = (entries.at(-1)?.id ?? 0) + 1;
  const added = told.map(({ entry, actor }) => {
    if (actor === null) return { ...entry, id: next++ };
    const known = now.get(actor.id);
    const moved =
      entry.kind === 'event' ? { state: known?.state ?? null, isOver: known?.isOver ?? false } : {};
    now.set(actor.id, {
      ...actor,
      ...moved,
      name: actor.name ?? known?.name ?? actor.id,
      parent: actor.parent ?? known?.parent ?? null,
      callId: actor.callId ?? known?.callId ?? null,
    });
    return { ...entry, id: next++ };
  });
  withoutOldest(now);
  return { actors: now, entries: [...entries, ...added].slice(-mostEntries) };
};

/**
 * Returns the state of an actor; null if it has none. An actor without a chart of its own, such as the line, may have a
 * chart of its life beside it, as `line-life`.
 */
export const stateOf = (actor: Actor, actors: ReadonlyMap<string, Actor>): string | null => {
  if (actor.state !== null) return actor.state;
  const isItsLife = ({ root, name, isOver }: Actor): boolean =>
    root === actor.root && name === `${actor.name}-life` && !isOver;
  return [...actors.values()].find(isItsLife)?.state ?? null;
};

export const nothingSeen: Inspection = { actors: new Map(), entries: [] };

/** Filters; empty values match everything. */
export type EntryFilter = { actor: string; kind: string; type: string; search: string };

/** Cached text of each payload, because each keystroke searches thousands of entries. */
const payloadTexts = new WeakMap<Entry, string>();

const payloadText = (entry: Entry): string => {
  const text = payloadTexts.get(entry) ?? (JSON.stringify(entry.payload) ?? '').toLowerCase();
  payloadTexts.set(entry, text);
  return text;
};

/** Returns the matching entries, newest first. Marks of skipped messages match every filter. The search matches actor names, types, states and payloads. */
export const filteredEntries = ({ actors, entries }: Inspection, wanted: EntryFilter): Entry[] => {
  const sought = wanted.search.trim().toLowerCase();
  const nameOf = (id: string | null): string => (id === null ? '' : (actors.get(id)?.name ?? id));
  const holdsSearch = (entry: Entry): boolean => {
    const { actor, source, type, state } = entry;
    const words = [nameOf(actor), nameOf(source), type, state ?? ''];
    return words.some((text) => text.toLowerCase().includes(sought)) || payloadText(entry).includes(sought);
  };
  return entries
    .filter(
      (entry) =>
        entry.kind === 'skipped' ||
        ((wanted.actor === '' || entry.actor === wanted.actor || entry.source === wanted.actor) &&
          (wanted.kind === '' || entry.kind === wanted.kind) &&
          (wanted.type === '' || entry.type === wanted.type) &&
          (sought === '' || holdsSearch(entry))),
    )
    .toReversed();
};
