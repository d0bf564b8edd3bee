import test from 'ava';
import {
  agentTimes,
  callTimes,
  deliveryPolicy,
  inboundAccess,
  platformCallPolicy,
  platformMaxCallsInProgress,
  trunkTimes,
} from '#config/policy.ts';

/** What was decided, by value: whoever changes one of these changes what customers were promised. */
const decided: readonly [string, unknown, unknown][] = [
  [
    'the longest call that any policy allows, seconds (decided default)',
    platformCallPolicy.maxDurationSec,
    1_800,
  ],
  [
    'the duration of a call that names none, seconds (decided default)',
    platformCallPolicy.defaultDurationSec,
    600,
  ],
  ['how long a telephone rings, seconds (decided default)', platformCallPolicy.ringTimeoutSec, 45],
  ['how long nobody may speak, seconds (decided default)', platformCallPolicy.silenceTimeoutSec, 30],
  ['calls are recorded (decided default)', platformCallPolicy.recordingEnabled, true],
  [
    'at the onset of a voice the agent pauses (decided default)',
    platformCallPolicy.bargeIn,
    { mode: 'pause', onsetMs: 80, speechMs: 600, resumeMs: 500 },
  ],
  ['calls of one number at once (default of the platform)', platformCallPolicy.maxConcurrentCalls, 100],
  ['calls of one workspace at once (default of the platform)', platformMaxCallsInProgress, 1_000],
  ['how long a farewell is waited for, milliseconds (decided limit)', callTimes.farewellWaitMs, 30_000],
  ['how long a line may take to hang up, milliseconds', callTimes.hangUpTimeoutMs, 5_000],
  ['connecting to an agent, milliseconds (decided limit)', agentTimes.connectMs, 3_000],
  ['the first words of a reply, milliseconds (decided limit)', agentTimes.firstTokenMs, 8_000],
  ['a whole reply, milliseconds (decided limit)', agentTimes.wholeReplyMs, 60_000],
  ['a handshake, milliseconds (decided limit)', agentTimes.handshakeMs, 3_000],
  [
    'how long a trunk that asks for it is left alone, milliseconds (decided limit)',
    trunkTimes.longestRestMs,
    3_600_000,
  ],
  ['the answer to a challenge of a caller, milliseconds (decided limit)', inboundAccess.challengeMs, 10_000],
  [
    'when an event is delivered, seconds before each attempt (decided schedule)',
    deliveryPolicy.scheduleSec,
    [0, 5, 60, 5 * 60, 30 * 60, 2 * 3_600, 5 * 3_600, 10 * 3_600, 14 * 3_600],
  ],
];
for (const [what, value, expected] of decided)
  test(`${what}: ${String(expected)}`, (t) => {
    t.deepEqual(value, expected);
  });
