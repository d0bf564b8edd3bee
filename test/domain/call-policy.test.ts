import test from 'ava';
import {
  effectivePolicy,
  workspacePolicy,
  type CallPolicy,
  type PolicySettings,
  type StoredCallPolicy,
} from '#src/domain/call-policy.ts';
import type { DestinationKind, Destinations } from '#src/domain/destinations.ts';

const only = (...kinds: DestinationKind[]): Destinations => ({
  kinds,
  allowedPrefixes: [],
  deniedPrefixes: [],
});

const nothing: StoredCallPolicy = {
  maxDurationSec: null,
  defaultDurationSec: null,
  silenceTimeoutSec: null,
  ringTimeoutSec: null,
  maxConcurrentCalls: null,
  recordingEnabled: null,
  bargeIn: null,
  turnEnd: null,
  retentionDays: null,
  consent: null,
  destinations: null,
};

const platform: PolicySettings = {
  maxDurationSec: 1800,
  defaultDurationSec: 600,
  silenceTimeoutSec: 30,
  ringTimeoutSec: 45,
  maxConcurrentCalls: 10,
  recordingEnabled: true,
  bargeIn: { mode: 'pause', onsetMs: 80, speechMs: 600, resumeMs: 500 },
  turnEnd: { mode: 'pause', minSilenceMs: 200, maxSilenceMs: 3_000 },
  retentionDays: { recordings: null, words: null },
  consent: { announce: null, require: 'none' },
  destinations: only('mobile', 'fixed_line'),
};

const workspace: PolicySettings = {
  maxDurationSec: 1200,
  defaultDurationSec: 500,
  silenceTimeoutSec: 20,
  ringTimeoutSec: 40,
  maxConcurrentCalls: 5,
  recordingEnabled: false,
  bargeIn: { mode: 'stop', onsetMs: 90, speechMs: 700, resumeMs: 600 },
  turnEnd: { mode: 'recognizer', minSilenceMs: 300, maxSilenceMs: 4_000 },
  retentionDays: { recordings: 30, words: null },
  consent: { announce: 'We record.', require: 'none' },
  destinations: only('fixed_line'),
};

const number: PolicySettings = {
  maxDurationSec: 900,
  defaultDurationSec: 400,
  silenceTimeoutSec: 10,
  ringTimeoutSec: 35,
  maxConcurrentCalls: 2,
  recordingEnabled: true,
  bargeIn: { mode: 'off', onsetMs: 100, speechMs: 800, resumeMs: 700 },
  turnEnd: { mode: 'model', minSilenceMs: 400, maxSilenceMs: 5_000 },
  retentionDays: { recordings: 7, words: 0 },
  consent: { announce: 'May we record?', require: 'speech' },
  destinations: only('toll_free'),
};

/** What holds for a call where each of these says where it may go. */
const inForce = (settings: PolicySettings, ...destinations: Destinations[]): CallPolicy => ({
  ...settings,
  destinations,
});

test('what neither number nor workspace says, the platform says', (t) => {
  t.deepEqual(effectivePolicy(nothing, nothing, platform), inForce(platform, platform.destinations));
});

test('what the number does not say, its workspace says', (t) => {
  t.deepEqual(effectivePolicy(nothing, workspace, platform), inForce(workspace, workspace.destinations));
});

test('what the number says goes before its workspace', (t) => {
  t.deepEqual(
    effectivePolicy(number, workspace, platform),
    inForce(number, workspace.destinations, number.destinations),
  );
});

test('where calls may go is what the workspace, else the platform, allows, and the number as well', (t) => {
  const { destinations } = number;
  t.deepEqual(effectivePolicy({ ...nothing, destinations }, nothing, platform).destinations, [
    platform.destinations,
    destinations,
  ]);
  t.deepEqual(workspacePolicy(nothing, platform), platform);
  t.deepEqual(workspacePolicy(workspace, platform), workspace);
});

for (const name of Object.keys(platform).filter((one) => one !== 'destinations'))
  test(`${name} falls back by itself`, (t) => {
    t.deepEqual(effectivePolicy({ ...nothing, ...pick(number, name) }, nothing, platform), {
      ...inForce(platform, platform.destinations),
      ...pick(number, name),
    });
    t.deepEqual(effectivePolicy({ ...number, [name]: null }, workspace, platform), {
      ...inForce(number, workspace.destinations, number.destinations),
      ...pick(workspace, name),
    });
  });

const pick = (policy: PolicySettings, wanted: string): Partial<Omit<PolicySettings, 'destinations'>> =>
  Object.fromEntries(Object.entries(policy).filter(([name]) => name === wanted));

test('switching off is something said: false does not fall back', (t) => {
  const silent = { ...nothing, recordingEnabled: false };
  t.false(effectivePolicy(silent, nothing, platform).recordingEnabled);
  t.true(effectivePolicy({ ...nothing, recordingEnabled: true }, silent, platform).recordingEnabled);
});

test('nothing is recorded where recordings are kept for no day', (t) => {
  const fleeting = { ...nothing, retentionDays: { recordings: 0, words: null } };
  t.false(effectivePolicy({ ...fleeting, recordingEnabled: true }, nothing, platform).recordingEnabled);
  t.true(
    effectivePolicy({ ...nothing, retentionDays: { recordings: 1, words: 0 } }, fleeting, platform)
      .recordingEnabled,
  );
});

test('a call that names no duration never gets more than the maximum', (t) => {
  const short = { ...nothing, maxDurationSec: 120 };
  t.like(effectivePolicy(short, nothing, platform), { maxDurationSec: 120, defaultDurationSec: 120 });
});
