/** Who has the floor of a call, read from where its charts are. */
import type { ChartState } from '../api/records.ts';

/** `who` is nobody's while it rings, on hold and in silence. `doing` is a key of the words for it. */
export type Floor =
  | { who: 'agent'; doing: 'thinking' | 'speaking' | 'pausing' | 'leavingMessage' | 'introducing' }
  | { who: 'counterparty'; doing: 'hearing' | 'machine' | 'screening' }
  | { who: 'nobody'; doing: 'ringing' | 'silent' | 'onHold' | 'ending' };

const nobody = (doing: (Floor & { who: 'nobody' })['doing']): Floor => ({ who: 'nobody', doing });

/** By the state of the chart `conversation`; the innermost name of these that it begins with. */
const byConversation: readonly (readonly [path: string, floor: Floor])[] = [
  ['replying.thinking', { who: 'agent', doing: 'thinking' }],
  ['replying.paused', { who: 'agent', doing: 'pausing' }],
  ['replying', { who: 'agent', doing: 'speaking' }],
  ['saying.paused', { who: 'agent', doing: 'pausing' }],
  ['saying', { who: 'agent', doing: 'speaking' }],
  ['parting', { who: 'agent', doing: 'speaking' }],
  ['listening.hearing', { who: 'counterparty', doing: 'hearing' }],
  ['listening.catching-up.still-speaking', { who: 'counterparty', doing: 'hearing' }],
  ['screened.questioned', { who: 'counterparty', doing: 'screening' }],
  ['screened.introducing', { who: 'agent', doing: 'introducing' }],
  ['on-hold', nobody('onHold')],
  ['closing', nobody('ending')],
];

export const floorOf = ({ call, conversation, voicemail }: ChartState): Floor => {
  if (voicemail === 'leaving-message') return { who: 'agent', doing: 'leavingMessage' };
  if (voicemail === 'awaiting-beep') return { who: 'counterparty', doing: 'machine' };
  if (conversation === null) return nobody(call.startsWith('ringing') ? 'ringing' : 'ending');
  const known = byConversation.find(([path]) => conversation === path || conversation.startsWith(`${path}.`));
  return known?.[1] ?? nobody('silent');
};
