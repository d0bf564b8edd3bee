import { useEffect, useId, useState } from 'preact/hooks';
import type { AuditFilter } from '../api.ts';
import { getWorkspace, listNumbers, listTokens, listTrunks, listWebhooks } from '../api.ts';
import { texts } from '../language/language.ts';
import { ChoiceFilter, DayFilter, FilterFold } from '../parts/filters.tsx';
import { usePolled } from '../polled.ts';
import { route, setQueries } from '../shown-page.ts';

const filterNames = [
  'q',
  'actor',
  'action',
  'subject',
  'first_day',
  'last_day',
] as const satisfies AuditFilter[];

/** Returns the filters in the page's address, including values that the gateway will reject. */
export const auditFiltersNow = (): Record<AuditFilter, string> => ({
  q: route.value.query.get('q') ?? '',
  actor: route.value.query.get('actor') ?? '',
  action: route.value.query.get('action') ?? '',
  subject: route.value.query.get('subject') ?? '',
  first_day: route.value.query.get('first_day') ?? '',
  last_day: route.value.query.get('last_day') ?? '',
});

const setFilter = (name: AuditFilter, value: string): void => setQueries({ [name]: value });

export const clearAuditFilters = (): void =>
  setQueries(Object.fromEntries(filterNames.map((name) => [name, ''])));

export const isAuditNarrowed = (): boolean => Object.values(auditFiltersNow()).some((value) => value !== '');

/** Returns names of objects by their subject in the audit log, such as `number:…`. */
export const useAuditNames = (): ReadonlyMap<string, string> => {
  const numbers = usePolled('numbers', listNumbers).value ?? [];
  const trunks = usePolled('trunks', listTrunks).value ?? [];
  const webhooks = usePolled('webhooks', listWebhooks).value ?? [];
  const tokens = usePolled('tokens', listTokens).value ?? [];
  const workspace = usePolled('workspace', getWorkspace).value;
  return new Map([
    ...(workspace === undefined ? [] : [[`workspace:${workspace.id}`, workspace.name] as const]),
    ...numbers.map(({ id, number }) => [`number:${id}`, number] as const),
    ...webhooks.map(({ id, url }) => [`webhook:${id}`, url] as const),
    ...trunks.map(({ id, name }) => [`trunk:${id}`, name] as const),
    ...tokens.map(({ id, name }) => [`admin_token:${id}`, name] as const),
    ...tokens.map(({ id, name }) => [`admin:${id}`, name] as const),
  ]);
};

/** Debounce between the last keystroke and the search. */
const typingMs = 250;

const longestSearch = 100;

/** Search field of the audit log. */
export const AuditSearch = () => {
  const t = texts.value.audit;
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
        type="search"
        value={typed}
        maxLength={longestSearch}
        placeholder={t.searchHint}
        autocomplete="off"
        spellcheck={false}
        onInput={(event) => setTyped(event.currentTarget.value)}
      />
    </div>
  );
};

/** Adds a value from the page's address to the options. */
const withChosen = (options: [string, string][], chosen: string): [string, string][] =>
  chosen === '' || options.some(([value]) => value === chosen) ? options : [...options, [chosen, chosen]];

export const AuditFilters = ({ names }: { names: ReadonlyMap<string, string> }) => {
  const t = texts.value.audit;
  const { firstDay, lastDay } = texts.value.callList;
  const chosen = auditFiltersNow();
  const kinds: Readonly<Record<string, string>> = t.subject;
  const subjects = Object.entries(kinds).flatMap(([kind, label]): [string, string][] => [
    [kind, label],
    ...[...names]
      // A log has one workspace, which its kind selects.
      .filter(([name]) => kind !== 'workspace' && name.startsWith(`${kind}:`))
      .map(([name, title]): [string, string] => [name, `${label} ${title}`]),
  ]);
  const actors = [
    ...[...names].filter(([name]) => name.startsWith('admin:')),
    ['operator', t.actor.operator] satisfies [string, string],
    ['gateway', t.actor.gateway] satisfies [string, string],
  ];
  return (
    <FilterFold isNarrowed={isAuditNarrowed()} clearLabel={t.clear} clear={clearAuditFilters}>
      <ChoiceFilter name="actor" label={t.who} set={setFilter} options={withChosen(actors, chosen.actor)} />
      <ChoiceFilter
        name="action"
        label={t.what}
        set={setFilter}
        options={withChosen(Object.entries(t.action), chosen.action)}
      />
      <ChoiceFilter
        name="subject"
        label={t.which}
        set={setFilter}
        options={withChosen(subjects, chosen.subject)}
      />
      <DayFilter name="first_day" label={firstDay} set={setFilter} />
      <DayFilter name="last_day" label={lastDay} set={setFilter} />
    </FilterFold>
  );
};
