import { useId } from 'preact/hooks';
import { texts } from '../language/language.ts';
import type { Actor, Inspection, EntryFilter } from './inspection.ts';

const Choice = ({
  label,
  value,
  options,
  onChoose,
}: {
  label: string;
  value: string;
  options: readonly (readonly [string, string])[];
  onChoose: (value: string) => void;
}) => {
  const id = useId();
  return (
    <div class="filter">
      <label for={id}>{label}</label>
      <select id={id} value={value} onChange={(event) => onChoose(event.currentTarget.value)}>
        <option value="">{texts.value.shell.all}</option>
        {options.map(([name, text]) => (
          <option key={name} value={name}>
            {text}
          </option>
        ))}
      </select>
    </div>
  );
};

/** Filters of the messages. */
export const InspectorFilters = ({
  shown,
  actors,
  wanted,
  nameOf,
  want,
}: {
  shown: Inspection;
  /** Actors to choose from. */
  actors: readonly Actor[];
  wanted: EntryFilter;
  nameOf: (actor: Actor) => string;
  want: (change: Partial<EntryFilter>) => void;
}) => {
  const t = texts.value.inspector;
  const id = useId();
  const types = [...new Set([...shown.entries.map(({ type }) => type), wanted.type])].filter(
    (type) => type !== '',
  );
  return (
    <div class="inspector-filters">
      <div class="filter" role="search">
        <label for={id}>{t.search}</label>
        <input
          id={id}
          type="search"
          value={wanted.search}
          autocomplete="off"
          spellcheck={false}
          onInput={(event) => want({ search: event.currentTarget.value })}
        />
      </div>
      <Choice
        label={t.actor}
        value={wanted.actor}
        options={actors.map((actor) => [actor.id, nameOf(actor)] as const)}
        onChoose={(actor) => want({ actor })}
      />
      <Choice
        label={t.kind}
        value={wanted.kind}
        options={(['event', 'state', 'actor'] as const).map((kind) => [kind, t.kinds[kind]] as const)}
        onChoose={(kind) => want({ kind })}
      />
      <Choice
        label={t.type}
        value={wanted.type}
        options={types.toSorted().map((type) => [type, type] as const)}
        onChoose={(type) => want({ type })}
      />
    </div>
  );
};
