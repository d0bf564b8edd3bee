/**
 * State of the inspector, built from the gateway's messages about the actors of calls (Stately's inspection protocol).
 * Contains the current actors and a ring buffer of the last messages, so that memory is bounded for any number of
 * calls.
 */

export type Kind = 'event' | 'state' | 'actor';

export type Entry = {
  /** Increments forever, including dropped entries. */
  id: number;
  kind: Kind;
  /** Milliseconds since the epoch. */
  at: number;
  /** Session ids. */
  actor: string;
  source: string | null;
  /** Type of the event, or of the event that caused the snapshot. Empty for a new actor. */
  type: string;
  state: string | null;
  /** The event or the context, masked by the gateway. */
  payload: unknown;
};

export type Actor = {
  id: string;
  name: string;
  parent: string | null;
  /** Root actor: the call that the actor belongs to. */
  root: string;
  state: string | null;
  isOver: boolean;
};

export type Inspection = {
  actors: ReadonlyMap<string, Actor>;
  /** Entries, oldest first. */
  entries: readonly Entry[];
};

/** Limits: as many messages as a person can search, and the actors of hundreds of calls. */
export const mostEntries = 2_000;
export const mostActors = 1_500;

type Fields = Readonly<Record<string, unknown>>;

const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const textOf = (value: unknown): string | null => (typeof value === 'string' ? value : null);

/** Flattens a state value: `active.talking.conversing`. */
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
};

export type Told = { entry: Omit<Entry, 'id'>; actor: Omit<Actor, 'name'> & { name: string | null } };

/** Undefined for data that is not a message of the protocol. */
export const readMessage = (message: unknown): Told | undefined => {
  if (!isFields(message)) return undefined;
  const { type, sessionId, rootId, createdAt, name, parentId, sourceId, event } = message;
  const kind = kinds[textOf(type) ?? ''];
  const id = textOf(sessionId);
  if (kind === undefined || id === null) return undefined;
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
    actor: { id, name: textOf(name), parent: textOf(parentId), root: textOf(rootId) ?? id, state, isOver },
  };
};

/** Drops stopped actors first, the oldest first. */
const withoutOldest = (actors: Map<string, Actor>): void => {
  while (actors.size > mostActors) {
    const [oldest] = actors.values();
    const gone = [...actors.values()].find(({ isOver }) => isOver) ?? oldest;
    if (gone === undefined) return;
    actors.delete(gone.id);
  }
};

/** Applies several messages at once (those of one frame), because each application copies the state. */
export const inspectionAfter = ({ actors, entries }: Inspection, told: readonly Told[]): Inspection => {
  const now = new Map(actors);
  let next = (entries.at(-1)?.id ?? 0) + 1;
  const added = told.map(({ entry, actor }) => {
    const known = now.get(actor.id);
    const moved =
      entry.kind === 'event' ? { state: known?.state ?? null, isOver: known?.isOver ?? false } : {};
    now.set(actor.id, {
      ...actor,
      ...moved,
      name: actor.name ?? known?.name ?? actor.id,
      parent: actor.parent ?? known?.parent ?? null,
    });
    return { ...entry, id: next++ };
  });
  withoutOldest(now);
  return { actors: now, entries: [...entries, ...added].slice(-mostEntries) };
};

export const nothingSeen: Inspection = { actors: new Map(), entries: [] };

/** Filters; empty values match everything. */
export type EntryFilter = { actor: string; kind: string; type: string; search: string };

/** Cached text of a payload: each keystroke searches thousands of entries. */
const payloadTexts = new WeakMap<Entry, string>();

const payloadText = (entry: Entry): string => {
  const text = payloadTexts.get(entry) ?? (JSON.stringify(entry.payload) ?? '').toLowerCase();
  payloadTexts.set(entry, text);
  return text;
};

/** Newest first. The search matches actor names, types, states and payloads. */
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
        (wanted.actor === '' || entry.actor === wanted.actor || entry.source === wanted.actor) &&
        (wanted.kind === '' || entry.kind === wanted.kind) &&
        (wanted.type === '' || entry.type === wanted.type) &&
        (sought === '' || holdsSearch(entry)),
    )
    .toReversed();
};
