/**
 * The limits of a number's calls: its own, else its workspace's, else the platform's (guides/design/calls.md,
 * "Policy").
 */
import type { BargeIn } from './barge-in.ts';
import type { ConsentPolicy } from './consent.ts';
import type { Destinations } from './destinations.ts';
import type { Retention } from './retention.ts';
import type { TurnEnd } from './turn-end.ts';

/** Settings of a number, a workspace or the platform. */
export type PolicySettings = {
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
  /** Taken as a whole, too. */
  turnEnd: TurnEnd;
  /** Taken as a whole, too. */
  retentionDays: Retention;
  /** Taken as a whole, too. */
  consent: ConsentPolicy;
  /** Where calls may go. */
  destinations: Destinations;
};

/** The policy of a call. */
export type CallPolicy = Omit<PolicySettings, 'destinations'> & {
  /** Each of these has to allow it: a number narrows what its workspace allows, and widens nothing. */
  destinations: readonly Destinations[];
};

export const callPolicyFields = [
  'maxDurationSec',
  'defaultDurationSec',
  'silenceTimeoutSec',
  'ringTimeoutSec',
  'maxConcurrentCalls',
  'recordingEnabled',
  'bargeIn',
  'turnEnd',
  'retentionDays',
  'consent',
  'destinations',
] as const satisfies readonly (keyof PolicySettings)[];

/** The policy as a number or workspace stores it: `null` falls back to the next. */
export type StoredCallPolicy = { [Name in keyof PolicySettings]: PolicySettings[Name] | null };

export const effectivePolicy = (
  number: StoredCallPolicy,
  workspace: StoredCallPolicy,
  platform: PolicySettings,
): CallPolicy => {
  const pick = <Name extends keyof PolicySettings>(name: Name): PolicySettings[Name] =>
    number[name] ?? workspace[name] ?? platform[name];
  const maxDurationSec = pick('maxDurationSec');
  const retentionDays = pick('retentionDays');
  return {
    maxDurationSec,
    defaultDurationSec: Math.min(pick('defaultDurationSec'), maxDurationSec),
    silenceTimeoutSec: pick('silenceTimeoutSec'),
    ringTimeoutSec: pick('ringTimeoutSec'),
    maxConcurrentCalls: pick('maxConcurrentCalls'),
    recordingEnabled: pick('recordingEnabled') && retentionDays.recordings !== 0,
    bargeIn: pick('bargeIn'),
    turnEnd: pick('turnEnd'),
    retentionDays,
    consent: pick('consent'),
    destinations: [
      workspace.destinations ?? platform.destinations,
      ...(number.destinations === null ? [] : [number.destinations]),
    ],
  };
};

/** The policy of a number that sets nothing itself. */
export const workspacePolicy = (workspace: StoredCallPolicy, platform: PolicySettings): PolicySettings => ({
  ...effectivePolicy(workspace, workspace, platform),
  destinations: workspace.destinations ?? platform.destinations,
});
