/**
 * A caller that leaves the offer to us (RFC 3261 section 13.2.1), as telephone systems do that do not know yet who is to
 * talk: ours goes out with 200, and its answer comes with ACK.
 */
import type Srf from 'drachtio-srf';
import type { Clock } from '#src/domain/clock.ts';
import type { MediaEndpoint } from '../../media/media-endpoint.ts';
import { within } from '../background-tasks.ts';
import { holdRequests, isStanding } from './attempt.ts';

export const isWithoutOffer = ({ body }: Pick<Srf.SrfRequest, 'body'>): boolean => body === '';

/** The caller has left before its answer came; nothing is to be ended any more. */
export class CallerLeft extends Error {}

/** After 32 s without an ACK drachtio-server itself says BYE (RFC 3261 section 13.3.1.4), and tells us. */
const ackMs = 40_000;
const takeMs = 5_000;

/** The body of the ACK. From then on what comes within the call waits until it is let through. */
const bodyOfAck = (dialog: Srf.Dialog): Promise<string> =>
  new Promise((resolve, reject) => {
    if (!isStanding(dialog)) return reject(new CallerLeft('The caller left at once'));
    const stopListening = (): void => {
      dialog.off('ack', onAck);
      dialog.off('destroy', onLeft);
    };
    const onAck = ({ body }: Pick<Srf.SrfRequest, 'body'>): void => {
      stopListening();
      holdRequests(dialog, true);
      resolve(body);
    };
    const onLeft = (): void => {
      stopListening();
      reject(new CallerLeft('The caller left before its answer came'));
    };
    dialog.on('ack', onAck);
    dialog.on('destroy', onLeft);
    return undefined;
  });

/** Rejects with `CallerLeft`, or because there is no answer in the ACK, or none that can be taken. */
export const takeLateAnswer = async (
  dialog: Srf.Dialog,
  endpoint: Pick<MediaEndpoint, 'takeAnswer'>,
  { clock, lost }: { clock: Clock; lost: Promise<never> },
): Promise<void> => {
  const waiting = within(clock, ackMs, 'Waiting for ACK', bodyOfAck(dialog));
  const answer = await Promise.race([waiting, lost]);
  await within(clock, takeMs, 'Taking the answer in', endpoint.takeAnswer(answer));
};
