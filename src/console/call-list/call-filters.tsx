/** Search and filters of the call list. Active filters are shown as chips; the fields are folded away. */
import type { RefObject } from 'preact';
import { useEffect, useId, useState } from 'preact/hooks';
import { callStatuses, endReasons } from '#src/domain/end-reasons.ts';
import { countCalls, listNumbers, listTrunks } from '../api.ts';
import { texts } from '../language/language.ts';
import { ChoiceFilter, DayFilter } from '../parts/filters.tsx';
import { count } from '../parts/figures.ts';
import { usePolled } from '../polled.ts';
import { route } from '../shown-page.ts';
import { clearFilters, filtersNow, isNarrowed, setFilter, type FilterName } from './place.ts';

/** Debounce between the last keystroke and the search. */
const typingMs = 250;

const longestSearch = 100;

/** Applies typed text after the debounce, or immediately when asked to. Incomplete input is not applied. */
const useTyped = (name: FilterName, isWhole: (text: string) => boolean) => {
  const wanted = route.value.query.get(name) ?? '';
  const [typed, setTyped] = useState(wanted);
  const look = (): void => {
    if (isWhole(typed.trim())) setFilter(name, typed.trim());
  };
  useEffect(() => setTyped(wanted), [wanted]);
  useEffect(() => {
    if (typed.trim() === wanted) return undefined;
    const timer = setTimeout(look, typingMs);
    return () => clearTimeout(timer);
  }, [typed]);
  return { typed, setTyped, look };
};

/** Search field of the list of calls. `box` is a ref to the field, for callers that focus it. */
const CallSearchField = ({ box }: { box: RefObject<HTMLInputElement | null> }) => {
  const t = texts.value.callList;
  const id = useId();
  const { typed, setTyped, look } = useTyped('q', () => true);
  return (
    <div class="filter search" role="search">
      <label for={id}>{t.search}</label>
      <input
        id={id}
        ref={box}
        type="search"
        value={typed}
        maxLength={longestSearch}
        placeholder={t.searchHint}
        autocomplete="off"
        spellcheck={false}
        onInput={(event) => setTyped(event.currentTarget.value)}
        onKeyDown={(event) => {
          if (event.key === 'Enter' && !event.isComposing) look();
          if (event.key === 'Escape' && typed === '') event.currentTarget.blur();
        }}
      />
    </div>
  );
};

const MetadataField = () => {
  const t = texts.value.callList;
  const id = useId();
  const { typed, setTyped, look } = useTyped('metadata', (text) => text === '' || /^[^=]+=/.test(text));
  return (
    <div class="filter">
      <label for={id}>{t.metadata}</label>
      <input
        id={id}
        value={typed}
        placeholder="order=A-1042"
        autocomplete="off"
        spellcheck={false}
        onInput={(event) => setTyped(event.currentTarget.value)}
        onKeyDown={(event) => {
          if (event.key === 'Enter' && !event.isComposing) look();
        }}
      />
    </div>
  );
};

/** Names of numbers and trunks, for the choices and for the chips. */
const useNames = () => {
  const numbers = usePolled('numbers', listNumbers).value ?? [];
  const trunks = usePolled('trunks', listTrunks).value ?? [];
  return {
    numbers: numbers.map((one) => [one.id, one.number] as const),
    trunks: trunks.map((one) => [one.id, one.name] as const),
  };
};

type Names = ReturnType<typeof useNames>;

const nameIn = (names: readonly (readonly [string, string])[], wanted: string): string =>
  names.find(([id]) => id === wanted)?.[1] ?? wanted;

/** Label and value of each active filter except the search, which has its own field. */
const activeFilters = ({ numbers, trunks }: Names): { name: FilterName; label: string; value: string }[] => {
  const t = texts.value.callList;
  const { status, direction, ended, filter } = texts.value.calls;
  const named = (words: object, value: string): string =>
    nameIn(Object.entries(words) as [string, string][], value);
  const shown: [FilterName, string, (value: string) => string][] = [
    ['status', filter.status, (value) => named(status, value)],
    ['end_reason', t.column.end, (value) => named(ended, value)],
    ['direction', filter.direction, (value) => named(direction, value)],
    ['number_id', filter.number, (value) => nameIn(numbers, value)],
    ['trunk_id', t.trunk, (value) => nameIn(trunks, value)],
    ['metadata', t.metadata, (value) => value],
    ['state', t.state, (value) => value],
    ['visited', t.visited, (value) => value],
    ['first_day', t.firstDay, (value) => value],
    ['last_day', t.lastDay, (value) => value],
  ];
  const filters = filtersNow();
  return shown.flatMap(([name, label, inWords]) => {
    const value = filters[name] ?? '';
    return value === '' ? [] : [{ name, label, value: inWords(value) }];
  });
};

const Chips = ({ names }: { names: Names }) => {
  const t = texts.value.callList;
  return (
    <>
      {activeFilters(names).map(({ name, label, value }) => (
        <button key={name} type="button" class="chip" onClick={() => setFilter(name, '')}>
          <span class="unseen">{t.remove} </span>
          {label}: <b>{value}</b> <span aria-hidden="true">×</span>
        </button>
      ))}
      {isNarrowed(filtersNow()) && (
        <button type="button" class="clear" onClick={clearFilters}>
          {t.clear}
        </button>
      )}
    </>
  );
};

const FilterFields = ({ names: { numbers, trunks } }: { names: Names }) => {
  const t = texts.value.callList;
  const { status, direction, ended, filter } = texts.value.calls;
  return (
    <>
      <ChoiceFilter
        set={setFilter}
        name="status"
        label={filter.status}
        options={callStatuses.map((one) => [one, status[one]] as const)}
      />
      <ChoiceFilter
        set={setFilter}
        name="end_reason"
        label={t.column.end}
        options={endReasons.map((one) => [one, ended[one]] as const)}
      />
      <ChoiceFilter
        set={setFilter}
        name="direction"
        label={filter.direction}
        options={[
          ['inbound', direction.inbound],
          ['outbound', direction.outbound],
        ]}
      />
      <ChoiceFilter set={setFilter} name="number_id" label={filter.number} options={numbers} />
      {trunks.length > 0 && <ChoiceFilter set={setFilter} name="trunk_id" label={t.trunk} options={trunks} />}
      <MetadataField />
      <DayFilter set={setFilter} name="first_day" label={t.firstDay} />
      <DayFilter set={setFilter} name="last_day" label={t.lastDay} />
    </>
  );
};

/** Interval of counting, which costs the database more than a page of the list. */
const countMs = 15_000;

/** The number of listed calls; nothing if the gateway refuses to count them. */
const CallCount = () => {
  const filters = filtersNow();
  const counted = usePolled(
    JSON.stringify(filters),
    () => countCalls(filters),
    () => countMs,
  ).value;
  if (counted === undefined || counted.calls === 0) return null;
  return <span class="call-count">{texts.value.callList.total(count(counted.calls), counted.has_more)}</span>;
};

/** The search field, the filters behind a button, and a line with the number of calls and the active filters. */
export const CallFilters = ({ box }: { box: RefObject<HTMLInputElement | null> }) => {
  const t = texts.value.callList;
  const id = useId();
  const names = useNames();
  const [isOpen, setOpen] = useState(false);
  return (
    <div class="call-bar">
      <div class="call-find">
        <CallSearchField box={box} />
        <button type="button" aria-expanded={isOpen} aria-controls={id} onClick={() => setOpen(!isOpen)}>
          {t.filters}
        </button>
      </div>
      <div id={id} class="call-fields" hidden={!isOpen}>
        {isOpen && <FilterFields names={names} />}
      </div>
      <div class="chips">
        <CallCount />
        <Chips names={names} />
      </div>
    </div>
  );
};
