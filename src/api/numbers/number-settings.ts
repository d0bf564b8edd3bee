import * as z from 'zod';
import type { NumberPatch } from '#src/persistence/numbers.ts';
import { language } from '../fields.ts';
import { greeting, policyFields, trunkId } from './number-schema.ts';

const settings = z.object({ language, ...policyFields, greeting, trunk_id: trunkId }).partial();

/** What may be changed of a number; what is absent stays as it is. */
export const settingsFields = settings.shape;

export const settingsOf = (body: z.output<typeof settings>): NumberPatch => ({
  language: body.language,
  maxDurationSec: body.max_duration_sec,
  defaultDurationSec: body.default_duration_sec,
  silenceTimeoutSec: body.silence_timeout_sec,
  ringTimeoutSec: body.ring_timeout_sec,
  maxConcurrentCalls: body.max_concurrent_calls,
  recordingEnabled: body.recording_enabled,
  greeting: body.greeting,
  trunkId: body.trunk_id,
});
