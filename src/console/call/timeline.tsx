import type { Call, CallEvent } from '../api/records.ts';
import { texts } from '../language/language.ts';
import { Card } from '../parts/page.tsx';
import { When } from '../parts/when.tsx';
import { linkTo } from '../shown-page.ts';
import { current, type Playback } from './playback.ts';

/** Describes a journal entry. A type that is newer than this page is shown by its raw name. */
const wordsOf = ({ type, data }: CallEvent): string => {
  const { event, fact } = texts.value.calls.one;
  const known: Record<string, string> = fact;
  if (type === 'turn.spoken' && data.role !== undefined) return event[data.role];
  return known[type] ?? type;
};

const moreOf = (call: Call, { type, data }: CallEvent): string | undefined => {
  if (type === 'call.ended' && call.end_reason !== null) return texts.value.calls.ended[call.end_reason];
  if (data.reason !== undefined) return texts.value.calls.one.transferReason[data.reason];
  return data.digit ?? data.keys ?? data.to;
};

/** Sorts entries by time, because a turn is written at its end but dated at its beginning. */
const byTime = (a: CallEvent, b: CallEvent): number =>
  Date.parse(a.at) - Date.parse(b.at) || a.sequence - b.sequence;

/**
 * The journal of a call, entry by entry. The start of the call is not a journal entry and is added here. The audit log
 * names the admins who acted in the call.
 */
export const Timeline = ({
  call,
  events,
  playback,
}: {
  call: Call;
  events: CallEvent[];
  playback: Playback | null;
}) => {
  const { event, timeline, inAudit } = texts.value.calls.one;
  const reached = playback?.isTouched.value === true ? playback.fact.value : undefined;
  const begun = { at: call.started_at, words: call.direction === 'inbound' ? event.arrived : event.started };
  return (
    <Card title={timeline} beside={<a href={`${linkTo('audit')}?subject=call:${call.id}`}>{inAudit}</a>}>
      <ol class="timeline">
        <li {...current(reached === null)}>
          <When at={begun.at} precise />
          <span>{begun.words}</span>
        </li>
        {events.toSorted(byTime).map((one) => (
          <li
            key={one.sequence}
            class={one.type.startsWith('turn.') ? 'turn' : ''}
            {...current(one.sequence === reached)}
          >
            <When at={one.at} precise />
            <span>
              {wordsOf(one)} <small>{moreOf(call, one)}</small>
            </span>
          </li>
        ))}
      </ol>
    </Card>
  );
};
