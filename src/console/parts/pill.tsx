/** A state in one or two words, with a colour for the kind of state. */
import type { ComponentChildren } from 'preact';
import type { TrunkState } from '#src/domain/trunk.ts';
import type { AdminToken, Delivery, Gateway, TrunkCheckStep, Webhook } from '../api/records.ts';

export type Tone = 'live' | 'fine' | 'calm' | 'warn' | 'bad';

/** A state. The colour only emphasizes the words, which say the same. */
export const Pill = ({ tone, children }: { tone: Tone; children: ComponentChildren }) => (
  <span class={`pill ${tone}`}>
    <i aria-hidden="true" />
    {children}
  </span>
);

export const gatewayTones: Record<Gateway['state'], Tone> = { running: 'fine', silent: 'warn', lost: 'bad' };

export const roleTones: Record<AdminToken['role'], Tone> = { admin: 'live', viewer: 'calm' };

export const webhookTones: Record<Webhook['state'], Tone> = {
  active: 'fine',
  paused: 'warn',
  disabled: 'bad',
};

export const deliveryTones: Record<Delivery['state'], Tone> = {
  pending: 'live',
  delivered: 'fine',
  dead: 'bad',
};

/** Pending deliveries that do not follow their own schedule, by what they wait for. */
export const waitingTones: Record<NonNullable<Delivery['waits_for']>, Tone> = {
  receiver: 'warn',
  resumption: 'calm',
  earlier_event: 'calm',
};

export const trunkTones: Record<TrunkState, Tone> = {
  disabled: 'calm',
  registering: 'live',
  registered: 'fine',
  unregistered: 'bad',
  ready: 'fine',
  unreachable: 'bad',
  resting: 'warn',
  draining: 'warn',
  drained: 'calm',
  unused: 'calm',
};

export const stepTones: Record<TrunkCheckStep['result'], Tone> = {
  ok: 'fine',
  failed: 'bad',
  skipped: 'calm',
};
