import { defineEntity, p } from '@mikro-orm/core';
import { eventTypes } from '#src/domain/event-types.ts';
import { Call } from '../calls/call.ts';

/** A customer event of a call, written in the same statement as the change that it reports. */
export const Event = defineEntity({
  name: 'Event',
  tableName: 'event',
  properties: {
    /** Id of the event, beginning with `evt_`. */
    id: p.text().primary(),
    workspaceId: p.uuid(),
    numberId: p.uuid(),
    callId: () => p.manyToOne(Call).mapToPk().index().fieldName('call_id'),
    type: p.enum(eventTypes),
    at: p.datetime(3),
    /** The call and its recording after this change. */
    snapshot: p.json(),
  },
});
