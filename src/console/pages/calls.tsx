import { useState } from 'preact/hooks';
import { callStatuses } from '#src/domain/end-reasons.ts';
import { listCalls, listNumbers } from '../api.ts';
import type { CallListItem } from '../api/records.ts';
import { texts } from '../language/language.ts';
import { CallState, counterpartyOf, DirectionMark } from '../parts/call-words.tsx';
import { Filter } from '../parts/filter.tsx';
import { ForAdmins } from '../parts/for-admins.tsx';
import { MoreButton } from '../parts/action.tsx';
import { Empty, Loading, Page } from '../parts/page.tsx';
import { When } from '../parts/when.tsx';
import { usePolled } from '../polled.ts';
import { linkTo, route } from '../shown-page.ts';

const pollMs = 2_000;

export const CallsPage = () => {
  const t = texts.value.calls;
  const { query } = route.value;
  const numbers = usePolled('numbers', listNumbers).value ?? [];
  return (
    <Page
      title={texts.value.shell.nav.calls}
      lead={t.lead}
      beside={
        <ForAdmins>
          <a class="button primary" href={linkTo('place-call')}>
            {texts.value.shell.nav.place}
          </a>
        </ForAdmins>
      }
    >
      <div class="filters">
        <Filter
          name="status"
          label={t.filter.status}
          options={callStatuses.map((one) => [one, t.status[one]])}
        />
        <Filter
          name="direction"
          label={t.filter.direction}
          options={[
            ['inbound', t.direction.inbound],
            ['outbound', t.direction.outbound],
          ]}
        />
        <Filter
          name="number_id"
          label={t.filter.number}
          options={numbers.map(({ id, number }) => [id, number])}
        />
      </div>
      <CallList key={query.toString()} />
    </Page>
  );
};

/** The first page is read again and again; the pages after it hold calls that are long over. */
const CallList = () => {
  const t = texts.value.calls;
  const { query } = route.value;
  const filters = {
    status: query.get('status') ?? '',
    direction: query.get('direction') ?? '',
    number_id: query.get('number_id') ?? '',
  };
  const first = usePolled(
    JSON.stringify(filters),
    () => listCalls(filters),
    () => pollMs,
  ).value;
  const [older, setOlder] = useState<{ calls: CallListItem[]; cursor: string | null }>();

  if (first === undefined) return <Loading />;
  const newest = new Set(first.calls.map(({ id }) => id));
  const calls = [...first.calls, ...(older?.calls ?? []).filter(({ id }) => !newest.has(id))];
  const cursor = older === undefined ? first.next_cursor : older.cursor;
  const more = async (): Promise<void> => {
    const next = await listCalls({ ...filters, cursor });
    // Calls that left the first page meanwhile are kept: they are older than that page and newer than the next.
    setOlder({ calls: [...calls, ...next.calls], cursor: next.next_cursor });
  };

  if (calls.length === 0) {
    const isFiltered = Object.values(filters).some((value) => value !== '');
    if (isFiltered) return <Empty title={t.emptyFiltered} hint={t.emptyFilteredHint} />;
    return (
      <Empty title={t.empty} hint={t.emptyHint}>
        <ForAdmins>
          <a class="button primary" href={linkTo('place-call')}>
            {texts.value.shell.nav.place}
          </a>
        </ForAdmins>
      </Empty>
    );
  }
  return (
    <>
      <ul class="rows" aria-label={texts.value.shell.nav.calls}>
        {calls.map((call) => (
          <CallRow key={call.id} call={call} />
        ))}
      </ul>
      {cursor !== null && <MoreButton load={more} />}
    </>
  );
};

const CallRow = ({ call }: { call: CallListItem }) => (
  <li>
    <a class="row" href={linkTo('calls', call.id)}>
      <DirectionMark direction={call.direction} />
      <span class="row-main">
        <b class="digits">{counterpartyOf(call)}</b>
        <small>{call.summary ?? call.instruction}</small>
      </span>
      <span class="row-end">
        <CallState call={call} />
        <span class="row-time">
          <When at={call.started_at} />
        </span>
      </span>
    </a>
  </li>
);
