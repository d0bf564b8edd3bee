import { useState } from 'preact/hooks';
import { listAudit } from '../api.ts';
import type { AuditEntry } from '../api/records.ts';
import { texts } from '../language/language.ts';
import { MoreButton } from '../parts/action.tsx';
import { Empty, Loading, Page } from '../parts/page.tsx';
import { When } from '../parts/when.tsx';
import { usePolled } from '../polled.ts';
import { linkTo } from '../shown-page.ts';

export const AuditPage = () => {
  const t = texts.value.audit;
  const first = usePolled('audit', () => listAudit(null)).value;
  const [older, setOlder] = useState<{ entries: AuditEntry[]; cursor: string | null }>();
  if (first === undefined) return <Loading />;
  const entries = [...first.entries, ...(older?.entries ?? [])];
  const cursor = older === undefined ? first.next_cursor : older.cursor;
  const more = async (): Promise<void> => {
    const next = await listAudit(cursor);
    setOlder({ entries: [...(older?.entries ?? []), ...next.entries], cursor: next.next_cursor });
  };
  return (
    <Page title={texts.value.shell.nav.audit} lead={t.lead}>
      {entries.length === 0 && <Empty title={t.empty} hint={t.emptyHint} />}
      <ul class="rows" aria-label={texts.value.shell.nav.audit}>
        {entries.map((entry) => (
          <li key={entry.id} class="row">
            <span class="row-main">
              <b>{wordsOf(entry.action)}</b>
              <small>
                <Subject subject={entry.subject} /> {detailOf(entry.detail)}
              </small>
            </span>
            <span class="row-end">
              <small>{told(entry.actor, texts.value.audit.actor)}</small>
              <span class="row-time">
                <When at={entry.at} />
              </span>
            </span>
          </li>
        ))}
      </ul>
      {cursor !== null && <MoreButton load={more} />}
    </Page>
  );
};

const wordsOf = (action: string): string => {
  const words: Record<string, string> = texts.value.audit.action;
  return words[action] ?? action;
};

const shown = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value));

/** `max_duration_sec: 600 → 900` */
const changeOf = (name: string, value: unknown): string =>
  value instanceof Object && 'from' in value && 'to' in value
    ? `${name}: ${shown(value.from)} → ${shown(value.to)}`
    : name;

const changesIn = (value: unknown): string[] =>
  value instanceof Object
    ? Object.entries(value).map(([name, change]: [string, unknown]) => changeOf(name, change))
    : [];

const detailOf = (detail: Record<string, unknown>): string =>
  Object.entries(detail)
    .flatMap(([name, value]) => (name === 'changes' ? changesIn(value) : [`${name}: ${shown(value)}`]))
    .join(' · ');

/** The beginning of an id tells it apart well enough. */
const shortened = (text: string): string => text.replace(/\b([0-9a-f]{8})-[0-9a-f-]{27}\b/, '$1');

/** `number:…` with its first word in the language of the page. */
const told = (text: string, words: Readonly<Record<string, string>>): string => {
  const [kind = '', ...rest] = text.split(':');
  return [words[kind] ?? shortened(kind), shortened(rest.join(':'))].filter((part) => part !== '').join(' ');
};

const pages: Readonly<Record<string, string>> = {
  number: 'numbers',
  webhook: 'webhooks',
  trunk: 'trunks',
  call: 'calls',
  workspace: 'workspace',
  admin_token: 'tokens',
};

/** `number:…` leads to the number's page, where there is one. */
const Subject = ({ subject }: { subject: string }) => {
  const [kind = '', id = ''] = subject.split(':');
  const section = pages[kind];
  const words = told(subject, texts.value.audit.subject);
  return section === undefined ? <>{words}</> : <a href={linkTo(section, id)}>{words}</a>;
};
