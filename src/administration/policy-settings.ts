import type { StoredCallPolicy } from '#src/domain/call-policy.ts';

type PolicySettings<Policy extends StoredCallPolicy> = {
  max_duration_sec: Policy['maxDurationSec'];
  default_duration_sec: Policy['defaultDurationSec'];
  silence_timeout_sec: Policy['silenceTimeoutSec'];
  ring_timeout_sec: Policy['ringTimeoutSec'];
  max_concurrent_calls: Policy['maxConcurrentCalls'];
  recording_enabled: Policy['recordingEnabled'];
};

/** A call policy in the words of the API. In what a number or a workspace stores, `null` falls back to the next. */
export const policySettings = <Policy extends StoredCallPolicy>(policy: Policy): PolicySettings<Policy> => ({
  max_duration_sec: policy.maxDurationSec,
  default_duration_sec: policy.defaultDurationSec,
  silence_timeout_sec: policy.silenceTimeoutSec,
  ring_timeout_sec: policy.ringTimeoutSec,
  max_concurrent_calls: policy.maxConcurrentCalls,
  recording_enabled: policy.recordingEnabled,
});
