/** Capabilities of the gateway in SIP headers. */
import type { Trunk } from '#src/domain/trunk.ts';

/** Methods allowed in a call, for the header `Allow`. */
export const allowed = 'INVITE, ACK, CANCEL, BYE, OPTIONS, INFO, UPDATE, PRACK';

/** Returns the methods allowed in a call on this trunk, including NOTIFY for reports on the gateway's own REFER. */
export const allowedBy = ({ refer, acceptRefer }: Pick<Trunk, 'refer' | 'acceptRefer'>): string =>
  [allowed, ...(refer ? ['NOTIFY'] : []), ...(acceptRefer ? ['REFER'] : [])].join(', ');

/** Media type of session descriptions, the only body that an INVITE may need. */
export const descriptionType = 'application/sdp';

/** Returns the headers of a response to a capability query of this trunk (RFC 3261 section 11). */
export const abilitiesOn = (trunk: Pick<Trunk, 'refer' | 'acceptRefer'>) => ({
  Accept: descriptionType,
  Allow: allowedBy(trunk),
  Supported: 'timer, 100rel',
});
