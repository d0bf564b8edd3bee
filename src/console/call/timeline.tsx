import type { Call, CallEvent } from '../api/records.ts';
import { texts } from '../language/language.ts';
import { Card } from '../parts/page.tsx';
import { When } from '../parts/when.tsx';

/** A fact that is not known here, because it is newer than this page, is shown by its name. */
const wordsOf = ({ type, data }: CallEvent): string => {
  const { event, fact } = texts.value.calls.one;
  const known: Record<string, string> = fact;
  if (type === 'turn.spoken' && data.role !== undefined) return event[data.role];
  return known[type] ?? type;
};

const moreOf = (call: Call, { type, data }: CallEvent): string | undefined => {
  if (type === 'call.ended' && call.end_reason !== null) return texts.value.calls.ended[call.end_reason];
  return data.digit ?? data.keys;
};

/** What happened, fact by fact. That it began is no fact of the journal: it is what the journal begins with. */
export const Timeline = ({ call, events }: { call: Call; events: CallEvent[] }) => {
  const { event, timeline } = texts.value.calls.one;
  const begun = { at: call.started_at, words: call.direction === 'inbound' ? event.arrived : event.started };
  return (
    <Card title={timeline}>
      <ol class="timeline">
        <li>
          <When at={begun.at} precise />
          <span>{begun.words}</span>
        </li>
        {events.map((one) => (
          <li key={one.sequence} class={one.type.startsWith('turn.') ? 'turn' : ''}>
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
