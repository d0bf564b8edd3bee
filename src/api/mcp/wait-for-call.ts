import * as z from 'zod';
import { TrunklineProblem } from '#src/client/problem.ts';
import { callRecord } from '../calls/call-schema.ts';
import { callIdInPath } from '../ids.ts';
import { validated } from '../http/validated.ts';
import type { Asking, Tool } from './tool.ts';

/** By default, clients of the protocol abandon a request after 60 seconds. */
const longestWaitSec = 50;

const input = callIdInPath.extend({
  timeout_sec: z.int().min(1).max(longestWaitSec).default(30).meta({
    description: 'How long to wait. Seconds.',
    example: 30,
  }),
});

/** Reports each event until the call has ended and was summarized, or the request is aborted. */
const follow = async (
  callId: string,
  signal: AbortSignal,
  { watchCall, tell }: Pick<Asking, 'watchCall' | 'tell'>,
): Promise<void> => {
  for await (const news of watchCall({ call_id: callId }, { signal, reconnect: false })) {
    if (news.type !== 'fact') continue;
    await tell(news.event);
    if (news.event.type === 'call.summarized') return;
  }
};

export const waitForCall: Tool = {
  name: 'wait_for_call',
  title: 'Wait for the end of a call',
  description: `Waits until the call is over, up to \`timeout_sec\` (${longestWaitSec} at most), and tells what happens meanwhile as progress; one that is over is answered at once. \`ended\` false: it goes on, and you may wait again. Waiting costs nothing, but each minute of the call does.`,
  annotations: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
  input,
  output: z.object({
    ended: z.boolean().meta({ description: 'Whether the call is over.' }),
    call: callRecord,
  }),
  async call(given, { ask, signal, clock, ...asking }) {
    const { call_id: callId, timeout_sec: seconds } = validated(input, given);
    const enough = new AbortController();
    const timer = clock.setTimeout(() => enough.abort(), seconds * 1_000);
    try {
      await follow(callId, AbortSignal.any([signal, enough.signal]), asking);
    } catch (error) {
      // Otherwise the stream broke off or the wait timed out: the call shows its state.
      if (signal.aborted || error instanceof TrunklineProblem) throw error;
    } finally {
      clock.clearTimeout(timer);
    }
    const call = await ask('getCall', { call_id: callId });
    return { ended: call['ended_at'] !== null, call };
  },
};
