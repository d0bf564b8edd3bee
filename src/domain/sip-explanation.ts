/** Reasons for the end of a call in the network's words (RFC 3326, RFC 8688), as stored. */
import type { SipDetails, SipReason } from '#machines/line.ts';

export type SipExplanation = { reasons: SipReason[]; callInfo: string[] };

/** Returns the stored explanation; null if the network gave none. */
export const explanationOf = ({ reasons, callInfo }: Partial<SipDetails>): SipExplanation | null =>
  reasons === undefined && callInfo === undefined
    ? null
    : { reasons: reasons ?? [], callInfo: callInfo ?? [] };

/** Formats an explanation for display, without empty fields. */
export const presentExplanation = (
  explanation: SipExplanation | null | undefined,
): { reasons?: SipReason[]; callInfo?: string[] } => {
  const { reasons = [], callInfo = [] } = explanation ?? {};
  return {
    ...(reasons.length === 0 ? {} : { reasons }),
    ...(callInfo.length === 0 ? {} : { callInfo }),
  };
};
