/** The calls as a table. On narrow screens, the stylesheet lays out the same cells as rows of two lines. */
import { linkTo } from '../shown-page.ts';
import type { CallListItem } from '../api/records.ts';
import { texts } from '../language/language.ts';
import { CallState, counterpartyOf, DirectionMark } from '../parts/call-words.tsx';
import { milliseconds } from '../parts/figures.ts';
import { clockTime, When } from '../parts/when.tsx';
import { hasAll, isIdOf, MarkedNumber, MarkedWords } from './matches.tsx';
import { filtersNow, rememberPlace, setFilter } from './place.ts';

/** Orders of the list in the page's address; newest first is the empty one. */
const orders = ['', 'oldest', 'longest'] as const;

type Order = (typeof orders)[number];

/** The head of a column that can sort the list. `now` is null while another column does. */
const SortedHead = ({
  name,
  label,
  now,
  next,
}: {
  name: string;
  label: string;
  now: Order | null;
  next: Order;
}) => {
  const isRising = now === 'oldest';
  return (
    <th
      scope="col"
      class={name}
      {...(now === null ? {} : { 'aria-sort': isRising ? 'ascending' : 'descending' })}
    >
      <button type="button" onClick={() => setFilter('order', next)}>
        {label}
        {now !== null && (
          <>
            <span aria-hidden="true">{isRising ? ' ↑' : ' ↓'}</span>
            <span class="unseen"> {texts.value.callList.orders[now]}</span>
          </>
        )}
      </button>
    </th>
  );
};

export const CallTable = ({ calls }: { calls: readonly CallListItem[] }) => {
  const t = texts.value.callList.column;
  const chosen = filtersNow().order;
  const order = orders.find((one) => one === chosen) ?? '';
  const isByLength = order === 'longest';
  return (
    <table class="call-table">
      <caption class="unseen">{texts.value.shell.nav.calls}</caption>
      <thead>
        <tr>
          <SortedHead
            name="of-time"
            label={t.time}
            now={isByLength ? null : order}
            next={order === '' ? 'oldest' : ''}
          />
          <th scope="col" class="of-direction">
            <span class="unseen">{t.direction}</span>
          </th>
          <th scope="col">{t.party}</th>
          <th scope="col">{t.number}</th>
          <th scope="col" class="of-end">
            {t.end}
          </th>
          <SortedHead
            name="of-figure of-duration"
            label={t.duration}
            now={isByLength ? order : null}
            next={isByLength ? '' : 'longest'}
          />
          <th scope="col" class="of-figure">
            <abbr title={t.latencyLong}>{t.latency}</abbr>
          </th>
          <th scope="col" class="of-summary">
            {t.summary}
          </th>
        </tr>
      </thead>
      <tbody>
        {calls.map((call) => (
          <CallRow key={call.id} call={call} />
        ))}
      </tbody>
    </table>
  );
};

/** The summary or the instruction, whichever the search matched. */
const wordsOf = ({ summary, instruction }: CallListItem, search: string): string =>
  [summary, instruction].find((text) => text !== null && hasAll(search, [text])) ??
  summary ??
  instruction ??
  '';

const CallRow = ({ call }: { call: CallListItem }) => {
  const t = texts.value.callList.column;
  const { id, duration_sec: duration, turn_latency_p95_ms: latency, excerpt } = call;
  const search = filtersNow().q ?? '';
  const words = wordsOf(call, search);
  const isElsewhere = !hasAll(search, [words]) && !isIdOf(call.id, search);
  return (
    <tr>
      <td class="of-time">
        <When at={call.started_at} />
      </td>
      <td class="of-direction">
        <DirectionMark direction={call.direction} />
      </td>
      <td class="of-party">
        <a
          id={`party-${id}`}
          class="digits"
          href={linkTo('calls', id)}
          aria-labelledby={`party-${id} end-${id}`}
          onFocus={() => rememberPlace(id)}
          onClick={() => rememberPlace(id)}
        >
          <MarkedNumber number={counterpartyOf(call)} search={search} />
        </a>
      </td>
      <td class="of-number digits">{call.number}</td>
      <td class="of-end" id={`end-${id}`}>
        <CallState call={call} />
      </td>
      <td class={`of-figure ${duration === null ? 'unknown' : ''}`}>
        {duration === null ? '–' : clockTime(duration)}
      </td>
      <td class={`of-figure of-latency ${latency === null ? 'unknown' : ''}`}>
        <span class="cell-name">{t.latency} </span>
        {latency === null ? '–' : milliseconds(latency)}
      </td>
      <td class="of-summary" title={words}>
        {isElsewhere && (
          <small class="elsewhere">
            {excerpt === null ? texts.value.callList.inTheCall : texts.value.calls.one.speaker[excerpt.role]}
          </small>
        )}
        <span>
          <MarkedWords text={isElsewhere && excerpt !== null ? excerpt.text : words} search={search} />
        </span>
      </td>
    </tr>
  );
};
