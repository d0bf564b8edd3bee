import { replyLimits } from '#config/policy.ts';
import { readRun } from '#src/agents/langgraph/read-run.ts';
import { readFrames } from '#src/agents/wire/read-frames.ts';
import { hearReply, type HeardReply } from '#test/helpers/heard-reply.ts';
import { bodyOf } from '#test/helpers/recorded-replies.ts';

const longestLine = replyLimits.lineCharacters;

/** The words that are spoken of the bytes of a run, without a server. */
export const hearRun = (pieces: readonly Uint8Array[]): Promise<HeardReply> =>
  hearReply(readRun(readFrames(bodyOf(pieces), { longestLine })));
