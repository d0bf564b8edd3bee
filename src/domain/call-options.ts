/** The options of one call, in force or waiting for the answer (guides/design/calls.md, "Options"). */

export type CallOptions = { maxDurationSec: number; recording: boolean };
