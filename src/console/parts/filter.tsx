import { useId } from 'preact/hooks';
import { texts } from '../language/language.ts';
import { route, setQuery } from '../shown-page.ts';

/** Narrows a list; the choice stands in the address of the page. */
export const Filter = ({
  name,
  label,
  options,
}: {
  name: string;
  label: string;
  options: [string, string][];
}) => {
  const id = useId();
  return (
    <div class="filter">
      <label for={id}>{label}</label>
      <select
        id={id}
        value={route.value.query.get(name) ?? ''}
        onChange={(event) => setQuery(name, event.currentTarget.value)}
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
