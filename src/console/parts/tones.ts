/** How states look beside their words. */
import type { TrunkState } from '#src/domain/trunk.ts';
import type { AdminToken, Delivery, TrunkCheckStep, Webhook } from '../api/records.ts';
import type { Tone } from './pill.tsx';

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

export const trunkTones: Record<TrunkState, Tone> = {
  disabled: 'calm',
  registering: 'live',
  registered: 'fine',
  unregistered: 'bad',
  ready: 'fine',
  unreachable: 'bad',
  unused: 'calm',
};

export const stepTones: Record<TrunkCheckStep['result'], Tone> = {
  ok: 'fine',
  failed: 'bad',
  skipped: 'calm',
};
