import test from 'ava';
import { effectivePolicy, type CallPolicy, type StoredCallPolicy } from '#src/domain/call-policy.ts';

const nothing: StoredCallPolicy = {
  maxDurationSec: null,
  defaultDurationSec: null,
  silenceTimeoutSec: null,
  ringTimeoutSec: null,
  maxConcurrentCalls: null,
  recordingEnabled: null,
  bargeIn: null,
};

const platform: CallPolicy = {
  maxDurationSec: 1800,
  defaultDurationSec: 600,
  silenceTimeoutSec: 30,
  ringTimeoutSec: 45,
  maxConcurrentCalls: 10,
  recordingEnabled: true,
  bargeIn: { mode: 'pause', onsetMs: 80, speechMs: 600, resumeMs: 500 },
};

const workspace: CallPolicy = {
  maxDurationSec: 1200,
  defaultDurationSec: 500,
  silenceTimeoutSec: 20,
  ringTimeoutSec: 40,
  maxConcurrentCalls: 5,
  recordingEnabled: false,
  bargeIn: { mode: 'stop', onsetMs: 90, speechMs: 700, resumeMs: 600 },
};

const number: CallPolicy = {
  maxDurationSec: 900,
  defaultDurationSec: 400,
  silenceTimeoutSec: 10,
  ringTimeoutSec: 35,
  maxConcurrentCalls: 2,
  recordingEnabled: true,
  bargeIn: { mode: 'off', onsetMs: 100, speechMs: 800, resumeMs: 700 },
};

test('what neither number nor workspace says, the platform says', (t) => {
  t.deepEqual(effectivePolicy(nothing, nothing, platform), platform);
});

test('what the number does not say, its workspace says', (t) => {
  t.deepEqual(effectivePolicy(nothing, workspace, platform), workspace);
});

test('what the number says goes before its workspace', (t) => {
  t.deepEqual(effectivePolicy(number, workspace, platform), number);
});

for (const name of Object.keys(platform))
  test(`${name} falls back by itself`, (t) => {
    t.deepEqual(effectivePolicy({ ...nothing, ...pick(number, name) }, nothing, platform), {
      ...platform,
      ...pick(number, name),
    });
    t.deepEqual(effectivePolicy({ ...number, [name]: null }, workspace, platform), {
      ...number,
      ...pick(workspace, name),
    });
  });

const pick = (policy: CallPolicy, wanted: string): Partial<CallPolicy> =>
  Object.fromEntries(Object.entries(policy).filter(([name]) => name === wanted));

test('switching off is something said: false does not fall back', (t) => {
  const silent = { ...nothing, recordingEnabled: false };
  t.false(effectivePolicy(silent, nothing, platform).recordingEnabled);
  t.true(effectivePolicy({ ...nothing, recordingEnabled: true }, silent, platform).recordingEnabled);
});

test('a call that names no duration never gets more than the maximum', (t) => {
  const short = { ...nothing, maxDurationSec: 120 };
  t.like(effectivePolicy(short, nothing, platform), { maxDurationSec: 120, defaultDurationSec: 120 });
});
