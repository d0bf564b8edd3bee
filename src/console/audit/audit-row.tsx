/** One audit entry: actor, action, subject and previous values. */
import type { AuditEntry } from '../api/records.ts';
import type { AuditGroup } from './groups.ts';
import { snakeCase } from '#src/domain/field-names.ts';
import { auditWords } from '../language/audit-words.ts';
import { texts } from '../language/language.ts';
import { When } from '../parts/when.tsx';
import { linkTo } from '../shown-page.ts';

type Names = ReadonlyMap<string, string>;

const wordsOf = (action: string): string => {
  const words: Record<string, string> = texts.value.audit.action;
  return words[action] ?? action;
};

/** Returns the label of a field, which is shown by its name in the API if it has none. */
const labelOf = (field: string): string => {
  const labels: Readonly<Record<string, string>> = {
    ...texts.value.trunks.fields,
    ...auditWords.value.fields,
  };
  return labels[field] ?? field;
};

/** Fields whose values are ids, and the kinds of their objects. */
const kindsOfIds: Readonly<Record<string, string>> = {
  trunk_id: 'trunk',
  number_id: 'number',
  admin_token: 'admin_token',
};

/** Formats the value of a field: an id as the name of its object, and an object field by field. */
const shown = (field: string, value: unknown, names: Names): string => {
  const t = texts.value.audit;
  const words: Readonly<Record<string, string>> = auditWords.value.value;
  if (value === null || value === '') return '–';
  if (typeof value === 'boolean') return value ? t.yes : t.no;
  if (typeof value === 'string')
    return names.get(`${kindsOfIds[field] ?? ''}:${value}`) ?? words[value] ?? shortened(value);
  if (Array.isArray(value))
    return value.length === 0 ? '–' : value.map((item: unknown) => shown(field, item, names)).join(', ');
  if (value instanceof Object)
    return Object.entries(value)
      .map(([name, part]: [string, unknown]) => `${labelOf(snakeCase(name))} ${shown(name, part, names)}`)
      .join(', ');
  return JSON.stringify(value);
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
const factsIn = ({ subject, detail }: AuditEntry, changes: Change[], names: Names): string =>
  Object.entries(detail)
    .flatMap(([name, value]) => {
      if (name === 'fields' && Array.isArray(value))
        return value
          .filter((field: unknown) => !changes.some((change) => change.name === field))
          .map((field: unknown) => labelOf(String(field)));
      // The name of a rehearsal is that of its suite.
      if (name === 'suite' && subject.startsWith('rehearsal:')) return [];
      if (name !== 'changes') return [`${labelOf(name)}: ${shown(name, value, names)}`];
      if (!(value instanceof Object)) return [];
      return Object.entries(value).flatMap(([field, change]: [string, unknown]) =>
        isChange(change) ? [] : [labelOf(Array.isArray(value) ? String(change) : field)],
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
  rehearsal: 'rehearsals',
};

/** Adds the name that the entry itself notes, as of a deleted webhook endpoint or of a rehearsal. */
const withNoted = (names: Names, { subject, detail: { suite, number, name, url } }: AuditEntry): Names => {
  const noted = [suite, number, name, url].find((value) => typeof value === 'string');
  return names.has(subject) || typeof noted !== 'string' ? names : new Map([...names, [subject, noted]]);
};

/** A subject. `number:…` is a link to the number's page if there is one. */
const Subject = ({ entry, names }: { entry: AuditEntry; names: Names }) => {
  const { subject } = entry;
  const [kind = '', id = ''] = subject.split(':');
  const section = pages[kind];
  const words = told(subject, texts.value.audit.subject, withNoted(names, entry));
  return section === undefined ? <>{words}</> : <a href={linkTo(section, id)}>{words}</a>;
};

const Changes = ({ changes, names }: { changes: Change[]; names: Names }) => {
  const t = texts.value.audit;
  return (
    <dl class="changes" aria-label={t.changes}>
      {changes.map(({ name, from, to }) => (
        <div key={name}>
          <dt>{labelOf(name)}</dt>
          <dd>
            <span class="unseen">{t.from} </span>
            <del>{shown(name, from, names)}</del> <span aria-hidden="true">→</span>
            <span class="unseen"> {t.to} </span>
            <ins>{shown(name, to, names)}</ins>
          </dd>
        </div>
      ))}
    </dl>
  );
};

/** Equal neighbouring entries are one row with their number and the time of the first one. */
export const AuditRow = ({ group: { entry, count, since }, names }: { group: AuditGroup; names: Names }) => {
  const t = texts.value.audit;
  const changes = changesIn(entry);
  return (
    <li class="row">
      <span class="row-main">
        <b>
          {wordsOf(entry.action)} {count > 1 && <span class="digits">{t.times(count)}</span>}
        </b>
        <small class="whole">
          <Subject entry={entry} names={names} /> {factsIn(entry, changes, names)}
        </small>
        {changes.length > 0 && <Changes changes={changes} names={names} />}
      </span>
      <span class="row-end">
        <small>{told(entry.actor, t.actor, names)}</small>
        <span class="row-time">
          {count > 1 && (
            <>
              <When at={since} /> –{' '}
            </>
          )}
          <When at={entry.at} />
        </span>
      </span>
    </li>
  );
};
