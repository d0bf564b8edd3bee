/**
 * A caller that leaves the offer to us (RFC 3261 section 13.2.1), as telephone systems do that do not know yet who is to
 * talk: ours goes out with 200, and its answer comes with ACK.
 */
import type Srf from 'drachtio-srf';
import type { Clock } from '#src/domain/clock.ts';
import type { MediaEndpoint } from '../../media/media-endpoint.ts';
import { within } from '../background-tasks.ts';
import { holdRequests, isStanding } from './attempt.ts';
import { descriptionIn } from './message-body.ts';

/** The caller has left before its answer came; nothing is to be ended any more. */
export class CallerLeft extends Error {}

/** After 32 s without an ACK drachtio-server itself says BYE (RFC 3261 section 13.3.1.4), and tells us. */
const ackMs = 40_000;
const takeMs = 5_000;

/** The ACK. From then on requests within the call wait until they are let through. */
const ackOf = (dialog: Srf.Dialog): Promise<Srf.SrfRequest> =>
  new Promise((resolve, reject) => {
    if (!isStanding(dialog)) return reject(new CallerLeft('The caller left at once'));
    const stopListening = (): void => {
      dialog.off('ack', onAck);
      dialog.off('destroy', onLeft);
    };
    const onAck = (ack: Srf.SrfRequest): void => {
      stopListening();
      holdRequests(dialog, true);
      resolve(ack);
    };
    const onLeft = (): void => {
      stopListening();
      reject(new CallerLeft('The caller left before its answer came'));
    };
    dialog.on('ack', onAck);
    dialog.on('destroy', onLeft);
    return undefined;
  });

/**
 * Resolves with the answer. Rejects with `CallerLeft`, or because there is no answer in the ACK, or none that can be
 * taken.
 */
export const takeLateAnswer = async (
  dialog: Srf.Dialog,
  endpoint: Pick<MediaEndpoint, 'takeAnswer'>,
  { clock, lost }: { clock: Clock; lost: Promise<never> },
): Promise<string> => {
  const waiting = within(clock, ackMs, 'Waiting for ACK', ackOf(dialog));
  const answer = descriptionIn(await Promise.race([waiting, lost])) ?? '';
  await within(clock, takeMs, 'Taking the answer in', endpoint.takeAnswer(answer));
  return answer;
};
