/** A workspace in the admin API. */
import * as z from 'zod';
import { workspacePolicy } from '#src/domain/call-policy.ts';
import type { WorkspaceRecord } from '#src/administration/administer-workspaces.ts';
import type { Decoded } from '../http/codec.ts';
import { name, timestamp } from '../fields.ts';
import type { ApiServices } from '../api-services.ts';
import { bargeIn, dailyMinutes, policyFields } from '../numbers/number-schema.ts';
import { consent, retention, turnEnd, destinations } from '../numbers/policy-schema.ts';

/** Whether this is an IANA time zone name known to this machine, such as `Asia/Seoul`. */
const isTimeZone = (name: string): boolean => {
  // Excludes offsets such as +09:00, which Intl accepts although they are not names.
  if (!/^[A-Za-z]/.test(name)) return false;
  try {
    return new Intl.DateTimeFormat('en-US', { timeZone: name }).resolvedOptions().timeZone !== '';
  } catch {
    return false;
  }
};

const timeZone = z
  .string()
  .refine(isTimeZone, { error: 'This is no name of a time zone, such as Asia/Seoul.' })
  .meta({
    description: 'IANA name, for the timestamps of the workspace.',
    example: 'Asia/Seoul',
  });

const maxCallsInProgress = z
  .int()
  .min(1)
  .max(100_000)
  .nullable()
  .meta({ description: 'Concurrent calls of all numbers.', example: 50 });

/** Mutable settings of a workspace; null falls back to the platform. */
export const workspaceFields = {
  name: name.meta({ example: 'Front desk' }),
  time_zone: timeZone,
  ...policyFields,
  max_calls_in_progress: maxCallsInProgress,
  daily_minutes: dailyMinutes,
};

const effective = z
  .object({
    max_duration_sec: z.int(),
    default_duration_sec: z.int(),
    silence_timeout_sec: z.int(),
    ring_timeout_sec: z.int(),
    max_concurrent_calls: z.int(),
    recording_enabled: z.boolean(),
    barge_in: bargeIn,
    turn_end: turnEnd,
    retention_days: retention,
    consent,
    destinations,
    max_calls_in_progress: z.int(),
    daily_minutes: z.int().nullable(),
  })
  .meta({
    description:
      "Values that apply to a number without its own settings: the workspace's, then the platform's.",
    example: {
      max_duration_sec: 900,
      default_duration_sec: 600,
      silence_timeout_sec: 30,
      ring_timeout_sec: 45,
      max_concurrent_calls: 3,
      recording_enabled: true,
      barge_in: { mode: 'pause', onset_ms: 80, speech_ms: 600, resume_ms: 500 },
      turn_end: { mode: 'pause', min_silence_ms: 200, max_silence_ms: 3_000 },
      retention_days: { recordings: 30, words: null },
      consent: { announce: null, require: 'none' },
      destinations: { kinds: ['mobile', 'fixed_line'], allowed_prefixes: [], denied_prefixes: ['0505'] },
      max_calls_in_progress: 50,
      daily_minutes: 600,
    },
  });

export const workspace = z
  .object({ id: z.uuid(), ...workspaceFields, effective, created_at: timestamp })
  .meta({ id: 'Workspace' });

/** Adds the values that apply to a number without its own settings. */
export const presentWorkspace = (
  platform: ApiServices['directory']['platform'],
  record: WorkspaceRecord,
): Decoded<z.output<typeof workspace>> => ({
  ...record,
  effective: {
    ...workspacePolicy(record, platform),
    maxCallsInProgress: record.maxCallsInProgress ?? platform.maxCallsInProgress,
    dailyMinutes: record.dailyMinutes ?? platform.dailyMinutes,
  },
});
