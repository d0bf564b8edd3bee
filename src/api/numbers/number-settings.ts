import * as z from 'zod';
import type { NumberPatch } from '#src/persistence/numbers.ts';
import { language } from '../fields.ts';
import {
  greeting,
  policyFields,
  speechFields,
  trunkId,
  voicemail,
  voicemailMessage,
} from './number-schema.ts';

const settings = z
  .object({
    language,
    ...policyFields,
    greeting,
    voicemail,
    voicemail_message: voicemailMessage,
    trunk_id: trunkId,
    ...speechFields,
  })
  .partial();

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
  voicemail: body.voicemail,
  voicemailMessage: body.voicemail_message,
  trunkId: body.trunk_id,
  recognizer: body.recognizer,
  synthesizer: body.synthesizer,
  voice: body.voice,
});
