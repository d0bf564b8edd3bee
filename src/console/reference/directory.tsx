/** All operations by group, with a search. */
import { useEffect, useId, useRef, useState } from 'preact/hooks';
import { inOurLanguage } from '../language/document-texts.ts';
import { referenceTexts } from '../language/reference.ts';
import { linkTo } from '../shown-page.ts';
import { resolved, type Operation, type Reference, type Schema } from './document.ts';
import { onKeys } from '../parts/on-keys.ts';
import { Words } from './prose.tsx';

/** Returns the names of the top-level fields of a body. */
const fieldNames = (schema: Schema, schemas: Reference['schemas']): string[] =>
  Object.keys(resolved(schema, schemas).properties ?? {});

const textOf = (operation: Operation, schemas: Reference['schemas']): string =>
  [
    operation.id,
    operation.method,
    operation.path,
    operation.summary,
    operation.description,
    inOurLanguage(operation.summary) ?? '',
    inOurLanguage(operation.description) ?? '',
    ...operation.parameters.map(({ name }) => name),
    ...fieldNames(operation.body?.schema ?? {}, schemas),
    ...operation.refusals.map(({ code }) => code),
  ]
    .join(' ')
    .toLowerCase();

/** Returns the operations that match every word of the search. */
const fitting = ({ operations, schemas }: Reference, sought: string): readonly Operation[] => {
  const words = sought
    .toLowerCase()
    .split(' ')
    .filter((word) => word !== '');
  if (words.length === 0) return operations;
  return operations.filter((operation) => {
    const text = textOf(operation, schemas);
    return words.every((word) => text.includes(word));
  });
};

/** Link to an operation. `isCurrent`: the operation is the current page. */
export const OperationLink = ({
  operation,
  isCurrent = false,
}: {
  operation: Operation;
  isCurrent?: boolean;
}) => (
  <a href={linkTo(operation.id)} {...(isCurrent ? { 'aria-current': 'page' } : {})}>
    <Words text={operation.summary} /> <small class={`method ${operation.method}`}>{operation.method}</small>
  </a>
);

/** Focuses the search. On narrow screens the search is folded away and is opened first. */
const toSearch = (box: HTMLInputElement | null): void => {
  if (box?.offsetParent === null) document.querySelector<HTMLElement>('.menu')?.click();
  requestAnimationFrame(() => box?.focus());
};

export const Directory = ({ reference, shownId }: { reference: Reference; shownId: string | undefined }) => {
  const t = referenceTexts.value;
  const id = useId();
  const [sought, setSought] = useState('');
  const found = fitting(reference, sought);
  const list = useRef<HTMLElement>(null);
  const search = useRef<HTMLInputElement>(null);
  useEffect(() => onKeys({ '/': () => toSearch(search.current) }), []);
  useEffect(() => {
    list.current?.querySelector('[aria-current]')?.scrollIntoView({ block: 'nearest' });
  }, [shownId]);
  return (
    <nav ref={list} aria-label={t.title}>
      <div class="filter" role="search">
        <label for={id}>{t.search}</label>
        <input
          ref={search}
          id={id}
          aria-keyshortcuts="/"
          type="search"
          value={sought}
          placeholder={t.searchHint}
          autocomplete="off"
          spellcheck={false}
          onInput={(event) => setSought(event.currentTarget.value)}
        />
        <p class="hint" role="status">
          {sought.trim() !== '' && (found.length === 0 ? t.nothingFound : t.found(found.length))}
        </p>
      </div>
      <a class="everything" href={linkTo()} {...(shownId === undefined ? { 'aria-current': 'page' } : {})}>
        {t.everything}
      </a>
      {reference.tags.map(({ name }) => {
        const group = found.filter(({ tag }) => tag === name);
        return (
          group.length > 0 && (
            <section key={name}>
              <h2>
                <Words text={name} />
              </h2>
              <ul>
                {group.map((operation) => (
                  <li key={operation.id}>
                    <OperationLink operation={operation} isCurrent={operation.id === shownId} />
                  </li>
                ))}
              </ul>
            </section>
          )
        );
      })}
    </nav>
  );
};
