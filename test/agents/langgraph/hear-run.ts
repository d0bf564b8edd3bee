import { replyLimits } from '#config/policy.ts';
import type { ReplyPiece } from '#src/agents/agent.ts';
import { readRun } from '#src/agents/langgraph/read-run.ts';
import { readFrames } from '#src/agents/wire/read-frames.ts';
import { hearReply, type HeardReply } from '#test/helpers/heard-reply.ts';
import { bodyOf } from '#test/helpers/recorded-replies.ts';

const longestLine = replyLimits.lineCharacters;

/** The bytes of a run as its agent reads them, without a server. */
export const runOf = (pieces: readonly Uint8Array[]): AsyncIterable<ReplyPiece> =>
  readRun(readFrames(bodyOf(pieces), { longestLine }));

/** The words that are spoken from the bytes of a run. */
export const hearRun = (pieces: readonly Uint8Array[]): Promise<HeardReply> => hearReply(runOf(pieces));
