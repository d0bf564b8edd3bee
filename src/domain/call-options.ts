/** The options of one call, in force or waiting for the answer (decisions 3). */

export type CallOptions = { maxDurationSec: number; recording: boolean };
