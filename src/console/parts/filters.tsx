/** Filters of a list, whose values are in the page's address. The filters fold away on narrow screens. */
import type { ComponentChildren } from 'preact';
import { useId, useState } from 'preact/hooks';
import { texts } from '../language/language.ts';
import { route } from '../shown-page.ts';

type FilterProps<Name extends string> = {
  name: Name;
  label: string;
  set: (name: Name, value: string) => void;
};

export const ChoiceFilter = <Name extends string>({
  name,
  label,
  set,
  options,
}: FilterProps<Name> & { options: readonly (readonly [string, string])[] }) => {
  const id = useId();
  return (
    <div class="filter">
      <label for={id}>{label}</label>
      <select
        id={id}
        value={route.value.query.get(name) ?? ''}
        onChange={(event) => set(name, event.currentTarget.value)}
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

export const DayFilter = <Name extends string>({ name, label, set }: FilterProps<Name>) => {
  const id = useId();
  return (
    <div class="filter">
      <label for={id}>{label}</label>
      <input
        id={id}
        type="date"
        value={route.value.query.get(name) ?? ''}
        onChange={(event) => set(name, event.currentTarget.value)}
      />
    </div>
  );
};

export const FilterFold = ({
  isNarrowed,
  clearLabel,
  clear,
  children,
}: {
  isNarrowed: boolean;
  clearLabel: string;
  clear: () => void;
  children: ComponentChildren;
}) => {
  const id = useId();
  const [isOpen, setOpen] = useState(false);
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
          {texts.value.callList.filters}
        </button>
        {isNarrowed && (
          <button type="button" onClick={clear}>
            {clearLabel}
          </button>
        )}
      </div>
      <div id={id} class={isOpen ? 'call-filters open' : 'call-filters'}>
        {children}
      </div>
    </>
  );
};
