import { useState } from 'preact/hooks';
import { texts } from '../language/language.ts';
import type { Entry } from './inspection.ts';

/** Number of entries shown at first and added by the button. */
const shownAtFirst = 200;

const timeOf = (at: number): string => {
  const date = new Date(at);
  const digits = (value: number, length = 2): string => String(value).padStart(length, '0');
  const clock = [date.getHours(), date.getMinutes(), date.getSeconds()].map((part) => digits(part)).join(':');
  return `${clock}.${digits(date.getMilliseconds(), 3)}`;
};

/** Entries, newest first; selecting one opens its payload. */
export const EntryList = ({
  entries,
  nameOf,
}: {
  entries: readonly Entry[];
  nameOf: (id: string) => string;
}) => {
  const t = texts.value.inspector;
  const [count, setCount] = useState(shownAtFirst);
  return (
    <>
      <ol class="inspector-entries" aria-label={t.messages}>
        {entries.slice(0, count).map((entry) => (
          <EntryRow key={entry.id} entry={entry} nameOf={nameOf} />
        ))}
      </ol>
      {entries.length > count && (
        <button type="button" onClick={() => setCount(count + shownAtFirst)}>
          {t.more(entries.length - count)}
        </button>
      )}
    </>
  );
};

const EntryRow = ({ entry, nameOf }: { entry: Entry; nameOf: (id: string) => string }) => {
  const t = texts.value.inspector;
  const { kind, at, actor, source, type, state, payload } = entry;
  const [isOpen, setOpen] = useState(false);
  return (
    <li>
      <details onToggle={(event) => setOpen(event.currentTarget.open)}>
        <summary>
          <time dateTime={new Date(at).toISOString()}>{timeOf(at)}</time>
          <span class={`kind ${kind}`}>{t.kinds[kind]}</span>
          <span class="way">
            {kind === 'event' && (
              <>
                {source === null ? t.outside : nameOf(source)}
                <span aria-hidden="true"> → </span>
                <span class="unseen"> {t.to} </span>
              </>
            )}
            <b>{nameOf(actor)}</b>
          </span>
          <code>{kind === 'event' ? type : (state ?? type)}</code>
        </summary>
        {isOpen && <pre tabIndex={0}>{JSON.stringify(payload, null, 2) ?? t.nothing}</pre>}
      </details>
    </li>
  );
};
