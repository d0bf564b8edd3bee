export const fleet = {
  title: 'Calls by state',
  lead: 'The calls in progress by the state of their chart.',
  inProgress: (calls: number, gateways: number) =>
    `${calls === 1 ? '1 call' : `${calls} calls`} in progress at ${gateways === 1 ? 'one gateway' : `${gateways} gateways`}.`,
  link: { joining: 'Connecting …', open: 'Live', lost: 'Connection lost, trying again …' },
  period: 'Past',
  lastHours: (hours: number) => (hours === 1 ? 'Last hour' : `Last ${hours} hours`),
  chart: 'Chart',
  chartLead:
    'A number on a state: the calls that are in it now. A number on an arrow: how often it was taken. Red: calls failed there. Click a state to see its calls.',
  chartLabel: (chart: string) =>
    `Chart ${chart} with the numbers of the calls by state, which the table below contains`,
  states: 'States',
  state: 'State',
  now: 'Now',
  entered: 'Entered',
  median: 'Median time',
  failed: 'Failed there',
  none: 'No call is or was in a state of this chart.',
  read: (calls: string, isWhole: boolean) =>
    isWhole ? `Past: ${calls} calls.` : `Past: the newest ${calls} calls; there were more.`,
  asOf: (time: string) => `As of ${time}.`,
  readAgain: 'Read the past again',
  callsNow: (state: string) => `in ${state}: show the calls`,
  callsThen: (state: string) => `times into ${state}: show the calls`,
  callsFailed: (state: string) => `failed in ${state}: show the calls`,
  transitions: 'Where calls went',
  transitionsLead: 'From the innermost state before to the one after, the most frequent first.',
  from: 'From',
  to: 'To',
  times: 'Times',
  begin: '(begin)',
};
