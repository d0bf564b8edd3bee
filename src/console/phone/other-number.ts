import type { PhoneCallDetails } from '#src/domain/web-phone.ts';

/** The number of the workspace, whose agent is at the other end. */
export const otherNumber = ({ direction, from, to }: PhoneCallDetails): string =>
  direction === 'outbound' ? from : to;
