import type { ComponentChildren } from 'preact';
import { texts } from '../language/language.ts';
import { mayChange } from '../session.ts';
import { Page } from './page.tsx';

/** Hides a part of a page from viewers: buttons and links to which the gateway would refuse them access. */
export const ForAdmins = ({ children }: { children: ComponentChildren }) =>
  mayChange.value ? <>{children}</> : null;

/** A page for admins. Viewers see an explanation instead. */
export const AdminPage = ({ children }: { children: ComponentChildren }) => {
  const t = texts.value.shell.adminsOnly;
  if (mayChange.value) return <>{children}</>;
  return (
    <Page title={t.title} lead={t.lead}>
      {null}
    </Page>
  );
};
