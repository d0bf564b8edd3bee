/** One audit entry: actor, action, subject and previous values. */
import type { AuditEntry } from '../api/records.ts';
import { texts } from '../language/language.ts';
import { When } from '../parts/when.tsx';
import { linkTo } from '../shown-page.ts';

type Names = ReadonlyMap<string, string>;

const wordsOf = (action: string): string => {
  const words: Record<string, string> = texts.value.audit.action;
  return words[action] ?? action;
};

const shown = (value: unknown): string => {
  if (value === null) return '–';
  return typeof value === 'string' ? value : JSON.stringify(value);
};

type Change = { name: string; from: unknown; to: unknown };

const isChange = (value: unknown): value is Omit<Change, 'name'> =>
  value instanceof Object && 'from' in value && 'to' in value;

const changesIn = ({ detail }: AuditEntry): Change[] => {
  const { changes } = detail;
  if (!(changes instanceof Object)) return [];
  return Object.entries(changes).flatMap(([name, change]: [string, unknown]) =>
    isChange(change) ? [{ name, from: change.from, to: change.to }] : [],
  );
};

/**
 * Formats the details of an entry that are not changes, such as `host: sip.example.com`, and the fields that are stored
 * only by name.
 */
const factsIn = ({ detail }: AuditEntry, changes: Change[]): string =>
  Object.entries(detail)
    .flatMap(([name, value]) => {
      if (name === 'fields' && Array.isArray(value))
        return value.filter((field: unknown) => !changes.some((change) => change.name === field)).map(shown);
      if (name !== 'changes') return [`${name}: ${shown(value)}`];
      if (!(value instanceof Object)) return [];
      return Object.entries(value).flatMap(([field, change]: [string, unknown]) =>
        isChange(change) ? [] : [Array.isArray(value) ? shown(change) : field],
      );
    })
    .join(' · ');

/** Shortens ids to their first part, which is enough to distinguish them. */
const shortened = (text: string): string => text.replace(/\b([0-9a-f]{8})-[0-9a-f-]{27}\b/, '$1');

/** Translates the first word of a subject such as `number:…` and adds the object's name if the object still exists. */
const told = (text: string, words: Readonly<Record<string, string>>, names: Names): string => {
  const [kind = '', ...rest] = text.split(':');
  return [words[kind] ?? shortened(kind), names.get(text) ?? shortened(rest.join(':'))]
    .filter((part) => part !== '')
    .join(' ');
};

const pages: Readonly<Record<string, string>> = {
  number: 'numbers',
  webhook: 'webhooks',
  trunk: 'trunks',
  call: 'calls',
  workspace: 'workspace',
  admin_token: 'tokens',
};

/** A subject. `number:…` is a link to the number's page if there is one. */
const Subject = ({ subject, names }: { subject: string; names: Names }) => {
  const [kind = '', id = ''] = subject.split(':');
  const section = pages[kind];
  const words = told(subject, texts.value.audit.subject, names);
  return section === undefined ? <>{words}</> : <a href={linkTo(section, id)}>{words}</a>;
};

const Changes = ({ changes }: { changes: Change[] }) => {
  const t = texts.value.audit;
  return (
    <dl class="changes" aria-label={t.changes}>
      {changes.map(({ name, from, to }) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>
            <span class="unseen">{t.from} </span>
            <del>{shown(from)}</del> <span aria-hidden="true">→</span>
            <span class="unseen"> {t.to} </span>
            <ins>{shown(to)}</ins>
          </dd>
        </div>
      ))}
    </dl>
  );
};

export const AuditRow = ({ entry, names }: { entry: AuditEntry; names: Names }) => {
  const changes = changesIn(entry);
  return (
    <li class="row">
      <span class="row-main">
        <b>{wordsOf(entry.action)}</b>
        <small>
          <Subject subject={entry.subject} names={names} /> {factsIn(entry, changes)}
        </small>
        {changes.length > 0 && <Changes changes={changes} />}
      </span>
      <span class="row-end">
        <small>{told(entry.actor, texts.value.audit.actor, names)}</small>
        <span class="row-time">
          <When at={entry.at} />
        </span>
      </span>
    </li>
  );
};
