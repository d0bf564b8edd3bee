/** Database limits that a busy machine does not reach; a test that hangs ends after a minute. */
import { databaseLimits } from '#config/policy.ts';
import type { DatabaseLimits } from '#src/persistence/database/database.ts';

const patientMs = 60_000;

export const patientLimits: DatabaseLimits = {
  ...databaseLimits,
  connectMs: patientMs,
  statementMs: patientMs,
  answerMs: patientMs,
  beatAnswerMs: patientMs,
};
