export const inspector = {
  title: 'Inspector',
  open: 'Inspector',
  call: 'Call',
  lead: 'The actors of this call and the messages between them. Spoken words, keys and telephone numbers are masked.',
  leadAll:
    'The workspace’s calls in progress, on all gateways. Open one to see its actors and the messages between them.',
  searchCalls: 'Number or ID',
  onlyNewest: (most: number) =>
    `Only the newest ${most} active and ${most} ringing calls are listed. To find any other, enter four digits of the other party’s number, or the first eight characters of the call’s ID.`,
  noCalls: 'No matching call is in progress.',
  off: 'The inspector is off',
  offHint: 'Start the gateway with GW_INSPECT=1 to look into calls as they happen.',
  link: {
    joining: 'Connecting …',
    open: 'Live',
    lost: 'Connection lost, trying again …',
    over: 'The call is over',
    refused: 'Rejected: the call is not in progress, or it has too many viewers',
  },
  pause: 'Pause',
  goOn: (waiting: number) => (waiting === 0 ? 'Continue' : `Continue (${waiting} new)`),
  clear: 'Clear',
  actors: 'Actors',
  calls: 'Calls',
  moreActors: (count: number) => `and ${count} more`,
  running: 'running',
  over: 'ended',
  messages: 'Messages',
  shown: (count: number, all: number, most: number) =>
    `${count === all ? count : `${count} of ${all}`}, the newest first. The last ${most} are kept.`,
  search: 'Search',
  actor: 'Actor',
  kind: 'Kind',
  kinds: { event: 'Event', state: 'Snapshot', actor: 'Actor', skipped: 'Skipped' },
  type: 'Event type',
  outside: 'outside',
  to: 'to',
  nothing: 'nothing',
  skipped: (count: number) =>
    count === 1
      ? 'One message was skipped, because this page read too slowly.'
      : `${count} messages were skipped, because this page read too slowly.`,
  more: (count: number) => `Show more (${count} left)`,
};
