/** What is looked for: a search, and filters, which fold away where there is little room. */
import type { RefObject } from 'preact';
import { useEffect, useId, useState } from 'preact/hooks';
import { callStatuses, endReasons } from '#src/domain/end-reasons.ts';
import { listNumbers } from '../api.ts';
import { texts } from '../language/language.ts';
import { usePolled } from '../polled.ts';
import { route } from '../shown-page.ts';
import { clearFilters, filtersNow, isNarrowed, setFilter, type FilterName } from './place.ts';

/** Between the last key and the search, so that no half of a word is looked for. */
const typingMs = 250;

const longestSearch = 100;

/** `box` is the field, for who puts the focus there. */
export const CallSearchField = ({ box }: { box: RefObject<HTMLInputElement | null> }) => {
  const t = texts.value.callList;
  const id = useId();
  const wanted = route.value.query.get('q') ?? '';
  const [typed, setTyped] = useState(wanted);
  useEffect(() => setTyped(wanted), [wanted]);
  useEffect(() => {
    if (typed.trim() === wanted) return undefined;
    const timer = setTimeout(() => setFilter('q', typed.trim()), typingMs);
    return () => clearTimeout(timer);
  }, [typed]);
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
          if (event.key === 'Enter' && !event.isComposing) setFilter('q', typed.trim());
          if (event.key === 'Escape' && typed === '') event.currentTarget.blur();
        }}
      />
    </div>
  );
};

const Choice = ({
  name,
  label,
  options,
}: {
  name: FilterName;
  label: string;
  options: readonly (readonly [string, string])[];
}) => {
  const id = useId();
  return (
    <div class="filter">
      <label for={id}>{label}</label>
      <select
        id={id}
        value={route.value.query.get(name) ?? ''}
        onChange={(event) => setFilter(name, event.currentTarget.value)}
      >
        <option value="">{texts.value.shell.all}</option>
        {options.map(([value, text]) => (
          <option key={value} value={value}>
            {text}
          </option>
        ))}
      </select>
    </div>
  );
};

const DayField = ({ name, label }: { name: FilterName; label: string }) => {
  const id = useId();
  return (
    <div class="filter">
      <label for={id}>{label}</label>
      <input
        id={id}
        type="date"
        value={route.value.query.get(name) ?? ''}
        onChange={(event) => setFilter(name, event.currentTarget.value)}
      />
    </div>
  );
};

export const CallFilters = () => {
  const t = texts.value.callList;
  const { status, direction, ended, filter } = texts.value.calls;
  const id = useId();
  const [isOpen, setOpen] = useState(false);
  const numbers = usePolled('numbers', listNumbers).value ?? [];
  return (
    <>
      <div class="filters-fold">
        <button
          type="button"
          class="filters-button"
          aria-expanded={isOpen}
          aria-controls={id}
          onClick={() => setOpen(!isOpen)}
        >
          {t.filters}
        </button>
        {isNarrowed(filtersNow()) && (
          <button type="button" onClick={clearFilters}>
            {t.clear}
          </button>
        )}
      </div>
      <div id={id} class={isOpen ? 'call-filters open' : 'call-filters'}>
        <Choice
          name="status"
          label={filter.status}
          options={callStatuses.map((one) => [one, status[one]] as const)}
        />
        <Choice
          name="end_reason"
          label={t.column.end}
          options={endReasons.map((one) => [one, ended[one]] as const)}
        />
        <Choice
          name="direction"
          label={filter.direction}
          options={[
            ['inbound', direction.inbound],
            ['outbound', direction.outbound],
          ]}
        />
        <Choice
          name="number_id"
          label={filter.number}
          options={numbers.map((one) => [one.id, one.number] as const)}
        />
        <DayField name="first_day" label={t.firstDay} />
        <DayField name="last_day" label={t.lastDay} />
      </div>
    </>
  );
};
