import type { Transfer } from '../api/records.ts';
import { texts } from '../language/language.ts';

/** Describes the status of a transfer and its reason. */
export const transferWords = ({ status, reason }: Pick<Transfer, 'status' | 'reason'>): string => {
  const { transferStatus, transferReason } = texts.value.calls.one;
  return reason === null ? transferStatus[status] : `${transferStatus[status]}: ${transferReason[reason]}`;
};
