/** Offer and answer of one call's audio in both directions, and the agreement that results from them (RFC 3264). */
import { randomBytes, randomInt } from 'node:crypto';
import { isIP } from 'node:net';
import { UnsupportedDescription } from '#sip/audio/media-endpoint.ts';
import type { TrunkCodec, TrunkSrtp } from '#src/domain/trunk.ts';
import { masterKeyBytes } from './srtp.ts';
import type { Address, RtpAgreement } from './agreement.ts';
import { directionToward } from '#sip/sdp/media-offer.ts';
import type { MediaDirection } from '#sip/sdp/session-description.ts';
import {
  agreementFrom,
  describedFormats,
  formatsOf,
  offeredFormats,
  writeDescription,
  type Formats,
} from './description.ts';

export type Negotiation = {
  /** Returns the agreement; `null` until the far end has sent a description. */
  agreed(): RtpAgreement | null;
  offer(codecs: readonly TrunkCodec[]): string;
  /** Returns the answer to an offer. Throws `UnsupportedDescription` and then leaves the state unchanged. */
  answer(offer: string): string;
  /**
   * Returns the answer to an offer before the call is answered. Media waits until the answer to our offer arrives,
   * which may be this description.
   */
  answerEarly(offer: string): string;
  /** Applies the far end's answer to our offer. Throws `UnsupportedDescription` and then leaves the state unchanged. */
  takeAnswer(answer: string): void;
};

/**
 * Encryption of a call. `ownKey` is the SRTP key that another carrier or process used for this call before, because
 * some far ends accept no other key.
 */
export type Encryption = { srtp: TrunkSrtp; ownKey?: Uint8Array | undefined };

/** Creates the negotiation of a call. `onAgreed` is called with each agreement, even an unchanged one. */
export const createNegotiation = (
  own: Address,
  { srtp, ownKey }: Encryption,
  onAgreed: (agreement: RtpAgreement) => void,
): Negotiation => {
  // SRTP key of the gateway, the same during the whole call, because a different key would require all sequence numbers
  // to restart.
  const encrypting = { srtp, master: ownKey ?? randomBytes(masterKeyBytes) };
  const sessionId = randomInt(2 ** 31);
  let version = 1;
  let described: string | null = null;
  let agreed: RtpAgreement | null = null;
  /**
   * Formats of all descriptions of the call, by payload type. Each side may send the formats of the other one's
   * description (RFC 3264 section 6.1), far ends use the payload type of either the offer or the answer, and packets of
   * the previous session still arrive after a new one.
   */
  let receives: RtpAgreement['receives'] = new Map();
  let offered: RtpAgreement['receives'] = new Map();

  /** Describes our session. A changed description has a version that is higher by one (RFC 3264 section 8). */
  const describe = (formats: Formats, direction: MediaDirection): string => {
    const write = (): string => writeDescription({ ...own, sessionId, version }, formats, direction);
    if (described !== null && write() !== described) version += 1;
    return (described = write());
  };

  const agreementWith = (theirs: string): RtpAgreement => {
    const agreement = agreementFrom(theirs, encrypting);
    // A socket of one address family cannot send to an address of the other family.
    if (agreement === undefined || isIP(agreement.remote.address) !== isIP(own.address))
      throw new UnsupportedDescription('There is no audio that both sides support');
    return agreement;
  };

  /** Stores an agreement. `ours` contains the formats of our answer. */
  const agreeOn = (agreement: RtpAgreement, ours: RtpAgreement['receives'] = new Map()): void => {
    receives = new Map([...receives, ...agreement.receives, ...ours]);
    agreed = { ...agreement, receives };
    onAgreed(agreed);
  };

  const answerTo = (offer: string, agreement: RtpAgreement): string =>
    describe(formatsOf(offer, agreement), directionToward(offer));

  return {
    agreed: () => agreed,
    offer(codecs) {
      const formats = offeredFormats(codecs, encrypting);
      offered = describedFormats(formats);
      return describe(formats, 'sendrecv');
    },
    answer(offer) {
      const agreement = agreementWith(offer);
      agreeOn(agreement);
      return answerTo(offer, agreement);
    },
    answerEarly: (offer) => answerTo(offer, agreementWith(offer)),
    takeAnswer: (answer) => agreeOn(agreementWith(answer), offered),
  };
};
