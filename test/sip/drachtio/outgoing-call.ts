/** An outbound call: its callee, its answer, or its end without an answer. */
import { describeSound } from '#test/doubles/session-description.ts';
import type { SipEdge } from '#test/doubles/sip-edge.ts';

export const sdp = describeSound();

export const callee = '01099998888';

/** Resolves to the end of the call's line without an answer. */
export const unanswered = async ({ said }: SipEdge, line: ReturnType<SipEdge['call']>) => {
  await said([line], 'line.unanswered');
  return line.all('line.unanswered')[0];
};
