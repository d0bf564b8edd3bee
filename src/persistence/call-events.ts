/** The journal of a call for readers: its facts with the words that belong to them. Facts are written by `call-facts.ts`. */
import type { StoredFact } from './call-facts.ts';
import type { Database } from './database.ts';

/** A fact as a reader sees it. */
export type CallEvent = StoredFact & {
  /** Seconds from the answer; null before it, and where nobody answered. */
  tOffsetSec: number | null;
  /** Of `turn.spoken`; the place in the transcript is `data.turn`. */
  role: 'assistant' | 'user' | null;
  text: string | null;
  whole: boolean | null;
  /** Of `call.summarized`. */
  summary: string | null;
};

/** The facts after `sequence`, in order, for a call that is known to belong to the caller. */
export const callEvents = (db: Database, callId: string, after = 0): Promise<CallEvent[]> =>
  db.execute<CallEvent>(
    `select fact.sequence, fact.type, fact.at, fact.data, turn.role, turn.text, turn.whole,
       case when fact.at >= call.answered_at then extract(epoch from fact.at - call.answered_at)::double precision end
         as "tOffsetSec",
       case when fact.type = 'call.summarized' then call.summary end as summary
     from call_fact as fact join call on call.id = fact.call_id
       left join call_turn as turn on turn.call_id = fact.call_id
         and turn.sequence = case when fact.type = 'turn.spoken' then (fact.data ->> 'turn')::int end
     where fact.call_id = $1 and fact.sequence > $2
     order by fact.sequence`,
    [callId, after],
  );
