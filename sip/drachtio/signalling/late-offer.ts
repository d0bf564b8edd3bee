/**
 * Late offer (RFC 3261 section 13.2.1): the caller sends an INVITE without an offer, as telephone systems do before
 * they know who will talk. Our offer is sent with 200, and the answer arrives with ACK.
 */
import type Srf from 'drachtio-srf';
import type { Clock } from '#src/domain/clock.ts';
import type { MediaEndpoint } from '../../media/media-endpoint.ts';
import { within } from '../background-tasks.ts';
import { holdRequests, isStanding } from './attempt.ts';
import { descriptionIn } from './message-body.ts';

/** Thrown when the caller has hung up before its answer arrived; no BYE is needed. */
export class CallerLeft extends Error {}

/** After 32 s without an ACK drachtio-server sends BYE itself (RFC 3261 section 13.3.1.4) and reports it. */
const ackMs = 40_000;
const takeMs = 5_000;

/** Waits for the ACK. In-dialog requests are held from then on until they are released. */
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

/** Resolves with the answer. Rejects with `CallerLeft`, or if the ACK contains no answer or an unacceptable one. */
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
