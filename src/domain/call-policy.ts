/**
 * The limits of a number's calls: its own, else its workspace's, else the platform's (guides/design/calls.md,
 * "Policy").
 */
import type { BargeIn } from './barge-in.ts';

export type CallPolicy = {
  /** Upper bound for one call's maximum duration, seconds. */
  maxDurationSec: number;
  /** Maximum duration of a call that names none, seconds. */
  defaultDurationSec: number;
  silenceTimeoutSec: number;
  ringTimeoutSec: number;
  maxConcurrentCalls: number;
  recordingEnabled: boolean;
  /** Taken as a whole: its numbers belong together. */
  bargeIn: BargeIn;
};

export const callPolicyFields = [
  'maxDurationSec',
  'defaultDurationSec',
  'silenceTimeoutSec',
  'ringTimeoutSec',
  'maxConcurrentCalls',
  'recordingEnabled',
  'bargeIn',
] as const satisfies readonly (keyof CallPolicy)[];

/** What a number or workspace stores: `null` falls back to the next. */
export type StoredCallPolicy = { [Name in keyof CallPolicy]: CallPolicy[Name] | null };

export const effectivePolicy = (
  number: StoredCallPolicy,
  workspace: StoredCallPolicy,
  platform: CallPolicy,
): CallPolicy => {
  const pick = <Name extends keyof CallPolicy>(name: Name): CallPolicy[Name] =>
    number[name] ?? workspace[name] ?? platform[name];
  const maxDurationSec = pick('maxDurationSec');
  return {
    maxDurationSec,
    defaultDurationSec: Math.min(pick('defaultDurationSec'), maxDurationSec),
    silenceTimeoutSec: pick('silenceTimeoutSec'),
    ringTimeoutSec: pick('ringTimeoutSec'),
    maxConcurrentCalls: pick('maxConcurrentCalls'),
    recordingEnabled: pick('recordingEnabled'),
    bargeIn: pick('bargeIn'),
  };
};

/** What holds for a number that sets nothing itself. */
export const workspacePolicy = (workspace: StoredCallPolicy, platform: CallPolicy): CallPolicy =>
  effectivePolicy(workspace, workspace, platform);
