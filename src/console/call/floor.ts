/** Determines who has the floor of a call from the states of its charts. */
import type { ChartState } from '../api/records.ts';

/**
 * State of the floor. `who` is `nobody` while the call rings, is on hold or is silent. `doing` is a key of the
 * translated texts.
 */
export type Floor =
  | { who: 'agent'; doing: 'thinking' | 'speaking' | 'pausing' | 'leavingMessage' | 'introducing' }
  | { who: 'counterparty'; doing: 'hearing' | 'machine' | 'screening' }
  | {
      who: 'nobody';
      doing:
        | 'ringing'
        | 'silent'
        | 'onHold'
        | 'ending'
        | 'ringingPerson'
        | 'briefingPerson'
        | 'recallingPerson'
        | 'talkingWithPerson';
    };

const nobody = (doing: (Floor & { who: 'nobody' })['doing']): Floor => ({ who: 'nobody', doing });

/** Floor by the prefix of the state of the chart `conversation`, with innermost states first. */
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

/** Floor by the state of the chart `call`, from the ringing of a transfer target on. */
const byTransfer: readonly (readonly [path: string, floor: Floor])[] = [
  ['active.talking.transferring.announcing', { who: 'agent', doing: 'speaking' }],
  ['active.talking.transferring.consulting', nobody('ringingPerson')],
  ['active.talking.transferring.referring', nobody('ringingPerson')],
  ['active.talking.transferring.recalling', nobody('recallingPerson')],
  ['active.talking.transferring', nobody('briefingPerson')],
  ['active.bridged', nobody('talkingWithPerson')],
];

const floorAt = (
  known: readonly (readonly [path: string, floor: Floor])[],
  state: string,
): Floor | undefined => known.find(([path]) => state === path || state.startsWith(`${path}.`))?.[1];

/** Whether a transfer target is being rung, or talks with the other party. */
export const isTransferred = ({ call }: Pick<ChartState, 'call'>): boolean =>
  floorAt(byTransfer, call) !== undefined;

export const floorOf = ({ call, conversation, voicemail }: ChartState): Floor => {
  if (voicemail === 'leaving-message') return { who: 'agent', doing: 'leavingMessage' };
  if (voicemail === 'awaiting-beep') return { who: 'counterparty', doing: 'machine' };
  const ofTransfer = floorAt(byTransfer, call);
  if (ofTransfer !== undefined) return ofTransfer;
  if (conversation === null) return nobody(call.startsWith('ringing') ? 'ringing' : 'ending');
  return floorAt(byConversation, conversation) ?? nobody('silent');
};
