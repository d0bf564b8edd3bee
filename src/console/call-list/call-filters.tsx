/** Search and filters of the call list. The filters fold away on narrow screens. */
import type { RefObject } from 'preact';
import { useEffect, useId, useState } from 'preact/hooks';
import { callStatuses, endReasons } from '#src/domain/end-reasons.ts';
import { listNumbers, listTrunks } from '../api.ts';
import { texts } from '../language/language.ts';
import { ChoiceFilter, DayFilter, FilterFold } from '../parts/filters.tsx';
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
export const CallSearchField = ({ box }: { box: RefObject<HTMLInputElement | null> }) => {
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

export const CallFilters = () => {
  const t = texts.value.callList;
  const { status, direction, ended, filter } = texts.value.calls;
  const numbers = usePolled('numbers', listNumbers).value ?? [];
  const trunks = usePolled('trunks', listTrunks).value ?? [];
  return (
    <FilterFold isNarrowed={isNarrowed(filtersNow())} clearLabel={t.clear} clear={clearFilters}>
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
      <ChoiceFilter
        set={setFilter}
        name="number_id"
        label={filter.number}
        options={numbers.map((one) => [one.id, one.number] as const)}
      />
      {trunks.length > 0 && (
        <ChoiceFilter
          set={setFilter}
          name="trunk_id"
          label={t.trunk}
          options={trunks.map((one) => [one.id, one.name] as const)}
        />
      )}
      <MetadataField />
      <DayFilter set={setFilter} name="first_day" label={t.firstDay} />
      <DayFilter set={setFilter} name="last_day" label={t.lastDay} />
    </FilterFold>
  );
};
