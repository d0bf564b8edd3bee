/** Describes the state, direction and other party of a call. */
import { anonymous } from '#src/domain/caller-identity.ts';
import type { CallStatus } from '#src/domain/end-reasons.ts';
import type { CallListItem, Direction } from '../api/records.ts';
import { texts } from '../language/language.ts';
import { Pill, type Tone } from './pill.tsx';

const tones: Record<CallStatus, Tone> = {
  ringing: 'live',
  active: 'live',
  completed: 'calm',
  no_answer: 'warn',
  failed: 'bad',
};

export const isOver = ({ status }: Pick<CallListItem, 'status'>): boolean =>
  status !== 'ringing' && status !== 'active';

/** State of a call. A finished call is shown with its end reason, which is more specific than the status. */
export const CallState = ({ call }: { call: Pick<CallListItem, 'status' | 'end_reason'> }) => {
  const t = texts.value.calls;
  return (
    <Pill tone={tones[call.status]}>
      {call.end_reason === null ? t.status[call.status] : t.ended[call.end_reason]}
    </Pill>
  );
};

export const counterpartyOf = ({ counterparty }: Pick<CallListItem, 'counterparty'>): string =>
  counterparty === anonymous ? texts.value.calls.withheld : counterparty;

export const DirectionMark = ({ direction }: { direction: Direction }) => (
  <span class={`direction ${direction}`}>
    <svg viewBox="0 0 16 16" aria-hidden="true">
      <path d={direction === 'inbound' ? 'M12 4 4 12M4 6v6h6' : 'M4 12l8-8M6 4h6v6'} />
    </svg>
    <span class="unseen">{texts.value.calls.direction[direction]}</span>
  </span>
);
