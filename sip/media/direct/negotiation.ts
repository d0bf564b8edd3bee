/** The offers and answers of both sides about the sound of one call, and what is agreed (RFC 3264). */
import { randomBytes, randomInt } from 'node:crypto';
import { isIP } from 'node:net';
import type { TrunkCodec, TrunkSrtp } from '#src/domain/trunk.ts';
import { masterKeyBytes } from '../rtp/srtp.ts';
import type { Address, RtpAgreement } from '../thread/sound-thread-messages.ts';
import { directionToward } from '../../trunks/media-offer.ts';
import type { MediaDirection } from '../../trunks/session-description.ts';
import {
  agreementFrom,
  describedFormats,
  formatsOf,
  offeredFormats,
  writeDescription,
  type Formats,
} from './description.ts';

/** The far end's description has nothing that can be had here. */
export class NothingInCommon extends Error {}

export type Negotiation = {
  /** `null` until the far end has described its sound. */
  agreed(): RtpAgreement | null;
  offer(codecs: readonly TrunkCodec[]): string;
  /** Throws `NothingInCommon`, and all stays as it was. */
  answer(offer: string): string;
  /** As `answer`, but the sound waits until the answer to our offer is taken, which may be this description. */
  answerEarly(offer: string): string;
  /** The far end's answer to our offer. Throws `NothingInCommon`, and all stays as it was. */
  takeAnswer(answer: string): void;
};

/** With `ownKey` sound of this call was encrypted before, elsewhere; there are far ends that take no other one. */
export type Encryption = { srtp: TrunkSrtp; ownKey?: Uint8Array | undefined };

/** `onAgreed` is called with each agreement, also with one that says nothing new. */
export const createNegotiation = (
  own: Address,
  { srtp, ownKey }: Encryption,
  onAgreed: (agreement: RtpAgreement) => void,
): Negotiation => {
  // One key for the whole call: with another one each sequence number would have to begin anew.
  const encrypting = { srtp, master: ownKey ?? randomBytes(masterKeyBytes) };
  const sessionId = randomInt(2 ** 31);
  let version = 1;
  let described: string | null = null;
  let agreed: RtpAgreement | null = null;
  /**
   * Formats of all descriptions of the call, by payload type. Each side may send what the other one's description names
   * (RFC 3264 section 6.1), far ends keep to the number of the offer or to that of the answer, and packets of the
   * session before a new one still arrive.
   */
  let receives: RtpAgreement['receives'] = new Map();
  let offered: RtpAgreement['receives'] = new Map();

  /** Of a description that says something else the version is one higher (RFC 3264 section 8). */
  const describe = (formats: Formats, direction: MediaDirection): string => {
    const write = (): string => writeDescription({ ...own, sessionId, version }, formats, direction);
    if (described !== null && write() !== described) version += 1;
    return (described = write());
  };

  const agreementWith = (theirs: string): RtpAgreement => {
    const agreement = agreementFrom(theirs, encrypting);
    // From a socket of one family nothing is sent to an address of the other.
    if (agreement === undefined || isIP(agreement.remote.address) !== isIP(own.address))
      throw new NothingInCommon('There is no sound that both sides can have');
    return agreement;
  };

  /** `ours`: what they answer. */
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
