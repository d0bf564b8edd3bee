import type { SimulatorLines } from '#sip/simulator/simulator-lines.ts';
import type { Dial } from '#sip/webphone/web-phones.ts';
import { normalizePhoneNumber, type Country } from '#src/domain/phone-number.ts';
import { findNumberByDigits } from '#src/persistence/callable-numbers.ts';
import type { Database } from '#src/persistence/database.ts';

/** Caller number of a web phone. */
const ownNumber = '01055559999';

/** Places calls from a web phone, only to numbers of its own workspace. */
export const createDialFromPhone =
  (options: { placeInbound: SimulatorLines['placeInbound']; database: Database; country: Country }): Dial =>
  async ({ workspaceId, to, partyFor }) => {
    const digits = normalizePhoneNumber(to, options.country);
    const number = digits === undefined ? undefined : await findNumberByDigits(options.database, digits);
    if (number?.workspace.id !== workspaceId) return { accepted: false, because: 'number_not_found' };
    const call = { to: number.number, from: ownNumber, script: null, partyFor };
    const { verdict } = await options.placeInbound(call);
    if (verdict.accepted) return verdict;
    const { because } = verdict;
    return { accepted: false, because: because === 'unknown_number' ? 'number_not_found' : because };
  };
