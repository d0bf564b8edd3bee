/** Why a call ended, in the words of the network (RFC 3326, RFC 8688), as it is stored. */
import type { SipDetails, SipReason } from '#machines/line.ts';

export type SipExplanation = { reasons: SipReason[]; callInfo: string[] };

/** Null where nothing was said. */
export const explanationOf = ({ reasons, callInfo }: Partial<SipDetails>): SipExplanation | null =>
  reasons === undefined && callInfo === undefined
    ? null
    : { reasons: reasons ?? [], callInfo: callInfo ?? [] };

/** The same as it is shown: what is empty is left out. */
export const presentExplanation = (
  explanation: SipExplanation | null | undefined,
): { reasons?: SipReason[]; callInfo?: string[] } => {
  const { reasons = [], callInfo = [] } = explanation ?? {};
  return {
    ...(reasons.length === 0 ? {} : { reasons }),
    ...(callInfo.length === 0 ? {} : { callInfo }),
  };
};
