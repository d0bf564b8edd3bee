import type { ComponentChildren } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { texts } from '../language/language.ts';

/** The body of a page. The heading of a new page receives the focus, so that screen readers announce the change. */
export const Page = ({
  title,
  lead,
  back,
  beside,
  children,
}: {
  title: ComponentChildren;
  lead?: ComponentChildren;
  back?: { to: string; label: string };
  /** Buttons beside the heading. */
  beside?: ComponentChildren;
  children: ComponentChildren;
}) => {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => heading.current?.focus({ preventScroll: true }), []);
  useEffect(() => {
    document.title = `${heading.current?.textContent ?? ''} · Trunkline`;
  });
  return (
    <>
      <header class="page-head">
        {back !== undefined && (
          <a class="back" href={back.to}>
            ← {back.label}
          </a>
        )}
        <div class="page-title">
          <h1 ref={heading} tabIndex={-1}>
            {title}
          </h1>
          {beside !== undefined && <div class="buttons">{beside}</div>}
        </div>
        {lead !== undefined && <p class="lead">{lead}</p>}
      </header>
      {children}
    </>
  );
};

export const Loading = () => (
  <p class="loading" role="status">
    {texts.value.shell.loading}
  </p>
);

/** Placeholder for an empty list, with advice. */
export const Empty = ({
  title,
  hint,
  children,
}: {
  title: string;
  hint: string;
  children?: ComponentChildren;
}) => (
  <div class="empty">
    <svg viewBox="0 0 64 32" aria-hidden="true">
      <path d="M6 18v-4M16 22V10M26 27V5M36 22V10M46 19v-6M56 17v-2" />
    </svg>
    <h2>{title}</h2>
    <p>{hint}</p>
    {children}
  </div>
);

export const Missing = ({ back }: { back: { to: string; label: string } }) => (
  <Page title={texts.value.shell.notFound} lead={texts.value.shell.notFoundHint} back={back}>
    {null}
  </Page>
);

/** For an address that leads to no page: names it, and offers the pages that there are. */
export const UnknownPage = ({ path, links }: { path: string; links: readonly [string, string][] }) => {
  const t = texts.value.shell;
  return (
    <Page title={t.noPage} lead={t.noPageHint(path)}>
      <ul class="rows" aria-label={t.pages}>
        {links.map(([to, name]) => (
          <li key={to}>
            <a class="row" href={to}>
              {name}
            </a>
          </li>
        ))}
      </ul>
    </Page>
  );
};

export const Card = ({
  title,
  lead,
  beside,
  children,
}: {
  title: ComponentChildren;
  lead?: ComponentChildren;
  beside?: ComponentChildren;
  children: ComponentChildren;
}) => (
  <section class="card">
    <div class="card-head">
      <h2>{title}</h2>
      {beside}
    </div>
    {lead !== undefined && <p class="hint">{lead}</p>}
    {children}
  </section>
);
