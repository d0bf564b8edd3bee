import type { ComponentChildren } from 'preact';
import { texts } from '../language/language.ts';
import { mayChange } from '../session.ts';
import { Page } from './page.tsx';

/** A part of a page that a viewer does not see: buttons and links to what is refused. */
export const ForAdmins = ({ children }: { children: ComponentChildren }) =>
  mayChange.value ? <>{children}</> : null;

/** A page for admins alone, and what a viewer finds at its address. */
export const AdminPage = ({ children }: { children: ComponentChildren }) => {
  const t = texts.value.shell.adminsOnly;
  if (mayChange.value) return <>{children}</>;
  return (
    <Page title={t.title} lead={t.lead}>
      {null}
    </Page>
  );
};
