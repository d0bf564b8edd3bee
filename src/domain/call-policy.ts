/**
 * Limits of a number's calls. A limit is the number's own, else its workspace's, else the platform's
 * (guides/design/calls.md, "Policy").
 */
import type { BargeIn } from './barge-in.ts';
import type { ConsentPolicy } from './consent.ts';
import type { Destinations } from './destinations.ts';
import type { Retention } from './retention.ts';
import type { TurnEnd } from './turn-end.ts';

/** Settings of a number, a workspace or the platform. */
export type PolicySettings = {
  /** Longest allowed duration of a call, in seconds. */
  maxDurationSec: number;
  /** Duration limit in seconds of a call whose request sets none. */
  defaultDurationSec: number;
  silenceTimeoutSec: number;
  ringTimeoutSec: number;
  maxConcurrentCalls: number;
  recordingEnabled: boolean;
  /** Barge-in settings, which are inherited as a whole, because the values belong together. */
  bargeIn: BargeIn;
  /** End-of-turn settings, which are inherited as a whole. */
  turnEnd: TurnEnd;
  /** Retention periods, which are inherited as a whole. */
  retentionDays: Retention;
  /** Consent settings, which are inherited as a whole. */
  consent: ConsentPolicy;
  /** Allowed destinations. */
  destinations: Destinations;
};

/** Effective policy of a call. */
export type CallPolicy = Omit<PolicySettings, 'destinations'> & {
  /** Destination rules. All rules must allow a destination, because a number can only restrict its workspace. */
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

/** Policy as stored for a number or workspace. A `null` setting is inherited. */
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

/** Returns the policy of a workspace's number that has no settings of its own. */
export const workspacePolicy = (workspace: StoredCallPolicy, platform: PolicySettings): PolicySettings => ({
  ...effectivePolicy(workspace, workspace, platform),
  destinations: workspace.destinations ?? platform.destinations,
});
