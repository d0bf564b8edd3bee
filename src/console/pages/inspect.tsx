/**
 * Inspector of the actors of one call, which needs no internet access. Without a call, the page lists the calls in
 * progress: the actors and messages of a call are sent only when it is opened.
 */
import { useId, useMemo, useState } from 'preact/hooks';
import { getCurrentGateway, getWorkspace, listCalls } from '../api.ts';
import type { CallListItem } from '../api/records.ts';
import {
  filteredEntries,
  type Actor,
  type EntryFilter,
  mostEntries,
  stateOf,
  type Entry,
} from '../inspector/inspection.ts';
import { InspectorFilters } from '../inspector/inspector-filters.tsx';
import { useInspection } from '../inspector/use-inspection.ts';
import { language, texts } from '../language/language.ts';
import { CallState, counterpartyOf, DirectionMark } from '../parts/call-words.tsx';
import { Card, Empty, Loading, Page } from '../parts/page.tsx';
import { Pill } from '../parts/pill.tsx';
import { StateName } from '../parts/state-name.tsx';
import { When } from '../parts/when.tsx';
import { usePolled } from '../polled.ts';
import { linkTo, linkToCalls } from '../shown-page.ts';

/** Number of entries that are shown at first, and that each press of the button adds. */
const shownAtFirst = 200;

/** Formats a time with milliseconds in a time zone; in the browser's while the workspace's is unknown. */
const timesIn = (timeZone: string | undefined): Intl.DateTimeFormat =>
  new Intl.DateTimeFormat(language.value, {
    hour: '2-digit',
    minute: '2-digit',
    second: '2-digit',
    fractionalSecondDigits: 3,
    hourCycle: 'h23',
    ...(timeZone === undefined ? {} : { timeZone }),
  });

/** List of entries, newest first. Selecting an entry opens its payload. */
const EntryList = ({
  entries,
  nameOf,
  times,
}: {
  entries: readonly Entry[];
  nameOf: (id: string) => string;
  times: Intl.DateTimeFormat;
}) => {
  const t = texts.value.inspector;
  const [count, setCount] = useState(shownAtFirst);
  return (
    <>
      <ol class="inspector-entries" aria-label={t.messages}>
        {entries.slice(0, count).map((entry) => (
          <EntryRow key={entry.id} entry={entry} nameOf={nameOf} times={times} />
        ))}
      </ol>
      {entries.length > count && (
        <button type="button" onClick={() => setCount(count + shownAtFirst)}>
          {t.more(entries.length - count)}
        </button>
      )}
    </>
  );
};

const EntryRow = ({
  entry,
  nameOf,
  times,
}: {
  entry: Entry;
  nameOf: (id: string) => string;
  times: Intl.DateTimeFormat;
}) => {
  const t = texts.value.inspector;
  const { kind, at, actor, source, type, state, payload } = entry;
  const [isOpen, setOpen] = useState(false);
  if (kind === 'skipped')
    return (
      <li class="skipped">
        <time dateTime={new Date(at).toISOString()}>{times.format(at)}</time> {t.skipped(Number(payload))}
      </li>
    );
  return (
    <li>
      <details onToggle={(event) => setOpen(event.currentTarget.open)}>
        <summary>
          <time dateTime={new Date(at).toISOString()}>{times.format(at)}</time>
          <span class={`kind ${kind}`}>{t.kinds[kind]}</span>
          <span class="way">
            {kind === 'event' && (
              <>
                {source === null ? t.outside : nameOf(source)}
                <span aria-hidden="true"> → </span>
                <span class="unseen"> {t.to} </span>
              </>
            )}
            <b>{nameOf(actor)}</b>
          </span>
          <code>{kind === 'event' || state === null ? type : <StateName text={state} />}</code>
        </summary>
        {isOpen && <pre tabIndex={0}>{JSON.stringify(payload, null, 2) ?? t.nothing}</pre>}
      </details>
    </li>
  );
};

const mostShown = 200;

/** List of actors, running ones first. Each actor is a button that filters the messages by this actor. */
const ActorList = ({
  title,
  actors,
  chosen,
  nameOf,
  stateName,
  choose,
}: {
  title: string;
  actors: readonly Actor[];
  chosen: string;
  nameOf: (actor: Actor) => string;
  stateName: (actor: Actor) => string | null;
  choose: (id: string) => void;
}) => {
  const t = texts.value.inspector;
  const inOrder = [...actors.filter(({ isOver }) => !isOver), ...actors.filter(({ isOver }) => isOver)];
  return (
    <Card title={title}>
      <ul class="inspector-actors">
        {inOrder.slice(0, mostShown).map((actor) => (
          <li key={actor.id}>
            <button
              type="button"
              aria-pressed={actor.id === chosen}
              onClick={() => choose(actor.id === chosen ? '' : actor.id)}
            >
              <b>{nameOf(actor)}</b>
              <small>{actor.isOver ? t.over : <StateName text={stateName(actor) ?? t.running} />}</small>
            </button>
          </li>
        ))}
      </ul>
      {inOrder.length > mostShown && <p class="hint">{t.moreActors(inOrder.length - mostShown)}</p>}
    </Card>
  );
};

const everything: EntryFilter = { actor: '', kind: '', type: '', search: '' };

const tones = {
  joining: 'calm',
  open: 'live',
  lost: 'warn',
  over: 'calm',
  refused: 'warn',
} as const;

const backFrom = (callId: string | null) => ({
  to: callId === null ? linkToCalls() : linkTo('calls', callId),
  label: callId === null ? texts.value.shell.nav.calls : texts.value.inspector.call,
});

export const InspectPage = ({ id }: { id: string | null }) => {
  const t = texts.value.inspector;
  const gateway = usePolled('gateway', getCurrentGateway).value;
  if (gateway === undefined) return <Loading />;
  if (gateway.has_inspector) return id === null ? <InspectedCalls /> : <Inspector id={id} />;
  return (
    <Page title={t.title} back={backFrom(id)}>
      <Empty title={t.off} hint={t.offHint} />
    </Page>
  );
};

/** Maximum number of calls of each status in the list: hundreds of calls would be read again every few seconds. */
const mostListed = 50;

const listMs = 3_000;

type CallsInProgress = { calls: readonly CallListItem[]; isWhole: boolean };

/** The newest calls in progress. `q`: those that match the search of the list of calls. */
const callsInProgress = async (q: string): Promise<CallsInProgress> => {
  const pages = await Promise.all(
    (['active', 'ringing'] as const).map((status) => listCalls({ status, limit: mostListed, q })),
  );
  return {
    calls: pages.flatMap(({ calls }) => calls),
    isWhole: pages.every(({ next_cursor: next }) => next === null),
  };
};

/** Whether the gateway searches calls in progress by this text: four digits of a number, or the beginning of an id. */
const isSearched = (text: string): boolean =>
  /^\+?[\d\s().-]+$/.test(text) ? (text.match(/\d/g) ?? []).length >= 4 : /^[\da-f-]{8,}$/.test(text);

/** Calls in progress at all gateways, searched by number and id: the newest in the page, all others by the gateway. */
const InspectedCalls = () => {
  const t = texts.value.inspector;
  const field = useId();
  const [search, setSearch] = useState('');
  const sought = search.trim().toLowerCase();
  const newest = usePolled(
    'inspected',
    () => callsInProgress(''),
    () => listMs,
  ).value;
  const q = newest?.isWhole === false && isSearched(sought) ? sought : '';
  const searched = usePolled(
    `inspected/${q}`,
    async () => (q === '' ? null : callsInProgress(q)),
    (value) => (value === null ? null : listMs),
  ).value;
  const listed = (newest?.calls ?? []).filter(({ id, counterparty, number }) =>
    [id, counterparty, number].some((text) => text.includes(sought)),
  );
  const isListed = new Set(listed.map(({ id }) => id));
  const found = [...listed, ...(searched?.calls ?? []).filter(({ id }) => !isListed.has(id))];
  const isLooking = newest === undefined || (q !== '' && searched === undefined);
  const isWhole = q === '' ? newest?.isWhole : searched?.isWhole;
  return (
    <Page title={t.title} back={backFrom(null)} lead={t.leadAll}>
      <div class="inspector-filters">
        <div class="filter" role="search">
          <label for={field}>{t.searchCalls}</label>
          <input
            id={field}
            type="search"
            value={search}
            autocomplete="off"
            spellcheck={false}
            onInput={(event) => setSearch(event.currentTarget.value)}
          />
        </div>
      </div>
      {isWhole === false && <p class="hint">{t.onlyNewest(mostListed)}</p>}
      {isLooking && found.length === 0 && <Loading />}
      {!isLooking && found.length === 0 && <p class="hint">{t.noCalls}</p>}
      <ul class="rows inspected-calls" aria-label={t.calls}>
        {found.map((call) => (
          <li key={call.id}>
            <a class="row" href={linkTo('inspect', call.id)}>
              <DirectionMark direction={call.direction} />
              <span class="row-main">
                <b class="digits">{counterpartyOf(call)}</b>
                <small class="digits">
                  {call.number} · {call.id.slice(0, 8)}
                </small>
              </span>
              <span class="row-end">
                <When at={call.started_at} />
                <CallState call={call} />
              </span>
            </a>
          </li>
        ))}
      </ul>
    </Page>
  );
};

const nameOf = ({ id, root, name }: Actor): string => (id === root ? 'call' : name);

const Inspector = ({ id }: { id: string }) => {
  const t = texts.value.inspector;
  const { shown, link, isPaused, waiting, pause, clear } = useInspection(id);
  const [wanted, setWanted] = useState(everything);
  const entries = useMemo(() => filteredEntries(shown, wanted), [shown, wanted]);
  const { value: workspace } = usePolled('workspace', getWorkspace);
  const timeZone = workspace?.time_zone;
  const times = useMemo(() => timesIn(timeZone), [timeZone, language.value]);
  const stateName = (actor: Actor): string | null => stateOf(actor, shown.actors);
  const nameById = (actorId: string): string => {
    const actor = shown.actors.get(actorId);
    return actor === undefined ? actorId : nameOf(actor);
  };
  const all = [...shown.actors.values()];
  const want = (change: Partial<EntryFilter>): void => setWanted((before) => ({ ...before, ...change }));
  return (
    <Page
      title={t.title}
      back={backFrom(id)}
      lead={
        <>
          <span role="status">
            <Pill tone={tones[link]}>{t.link[link]}</Pill>
          </span>{' '}
          {t.lead}
        </>
      }
      beside={
        <>
          <button type="button" aria-pressed={isPaused} onClick={() => pause(!isPaused)}>
            {isPaused ? t.goOn(waiting) : t.pause}
          </button>
          <button type="button" onClick={clear}>
            {t.clear}
          </button>
        </>
      }
    >
      <div class="inspector">
        <ActorList
          title={t.actors}
          actors={all}
          chosen={wanted.actor}
          nameOf={nameOf}
          stateName={stateName}
          choose={(actor) => want({ actor })}
        />
        <Card title={t.messages} lead={t.shown(entries.length, shown.entries.length, mostEntries)}>
          <InspectorFilters shown={shown} actors={all} wanted={wanted} nameOf={nameOf} want={want} />
          <EntryList entries={entries} nameOf={nameById} times={times} />
        </Card>
      </div>
    </Page>
  );
};
