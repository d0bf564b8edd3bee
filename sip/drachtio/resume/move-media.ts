/**
 * Moves the audio of a call to another endpoint, after its process or its media server died. The far end receives a re-INVITE, or the
 * answer to its own held re-INVITE: two must not cross (RFC 3261 section 14).
 */
import type Srf from 'drachtio-srf';
import type { Clock } from '#src/domain/clock.ts';
import type { Standing } from '#src/domain/sip-leg.ts';
import type { Trunk } from '#src/domain/trunk.ts';
import { successorOf } from '#sip/sdp/session-description.ts';
import { releasingWith, type MediaEndpoint } from '#sip/audio/media-endpoint.ts';
import type { SharedLimits } from '../../trunks/shared-limits.ts';
import { offerAfter, offerWith } from '#sip/sdp/media-offer.ts';
import { within, type BackgroundTasks } from '../../background-tasks.ts';
import { isSecret, offeredKeyIn } from '#sip/sdp/sdes.ts';
import type { Carriers, MediaTerms } from '../../carriers.ts';
import { bodyProblem, descriptionIn } from '../dialog/message-body.ts';
import { accepted, onTerms, type SessionEndpoint } from '../dialog/negotiate.ts';
import { requestInDialog } from '../dialog/sent-requests.ts';
import { waitingInvite } from '../dialog/held-requests.ts';
import { agreedTimer, sameTimer, type AgreedTimer } from '../dialog/session-timer.ts';

/** Timeout for a re-INVITE, after which the far end is considered lost. */
const answerMs = 5_000;

/**
 * Delays before a retry after 491. The side that began the call waits longer, so that the requests do not cross again
 * (RFC 3261 section 14.1).
 */
const pauseMs = { uac: 2_100, uas: 500 } as const;

export type MoveOptions = {
  carriers: Pick<Carriers, 'createEndpoint' | 'termsFor' | 'carrierFor'>;
  callId: string;
  limits: Pick<SharedLimits, 'goOn'>;
  /** Whether another process still sends audio to the far end. */
  formerSends: boolean;
  clock: Clock;
  backgroundTasks: BackgroundTasks;
};

/**
 * Creates the endpoint with the session as the far end knows it, and counts it on the trunk. The call continues even if
 * the trunk is full.
 */
export const ofCall = (
  endpoint: MediaEndpoint,
  { agreed, leg }: Standing,
  trunk: Trunk,
  { carriers, limits, callId }: Pick<MoveOptions, 'carriers' | 'limits' | 'callId'>,
): SessionEndpoint => {
  const { release } = limits.goOn(trunk, {
    callId,
    leg: leg.isOfTransfer === true ? 'second' : 'first',
  });
  const continued = { ...endpoint, localSdp: successorOf(agreed.localSdp, endpoint.localSdp) };
  return releasingWith(onTerms(continued, carriers.termsFor(trunk)), release);
};

/** Thrown when another INVITE is in progress in this dialog, from either side. */
class Crossed extends Error {}

const invite = async (
  dialog: Srf.Dialog,
  endpoint: MediaEndpoint,
  { agreed }: Standing,
  clock: Clock,
): Promise<AgreedTimer> => {
  const asking = requestInDialog(dialog, 'INVITE', {
    body: endpoint.localSdp,
    headers: { Contact: agreed.localContact, ...sameTimer(agreed) },
  });
  const answer = await within(clock, answerMs, 'An answer of the far end', asking);
  if (answer.status === 491 || answer.status === 500) throw new Crossed();
  if (answer.status !== 200)
    throw new Error(`The far end does not take its sound elsewhere: ${answer.status}`);
  dialog.local.sdp = endpoint.localSdp;
  dialog.remote.sdp = descriptionIn(answer) ?? '';
  await endpoint.takeAnswer(dialog.remote.sdp);
  const timer = agreedTimer(answer);
  // If the answer contains no session timer, the timer of drachtio-server continues.
  return timer.expiresSec === null ? agreed : timer;
};

/**
 * The session stays encrypted or unencrypted, with the same key: a far end need not accept another key within a call.
 * With optional SRTP, a media server encrypts only if the caller asked for it (`carriers.ts`).
 */
const asBefore = (trunk: Trunk, { agreed }: Standing): MediaTerms => {
  const isOnServer = trunk.media === 'freeswitch';
  const srtp = isOnServer && isSecret(agreed.localSdp) ? 'required' : trunk.srtp;
  return { ...trunk, srtp, ownKey: offeredKeyIn(agreed.localSdp)?.master };
};

export type Moved = { endpoint: SessionEndpoint; timer: AgreedTimer };

type Move = { dialog: Srf.Dialog; standing: Standing; trunk: Trunk; options: MoveOptions };

/** Our offer with the media of the session. */
const offeringIn = (created: MediaEndpoint, { agreed }: Standing, trunk: Trunk): MediaEndpoint => ({
  ...created,
  localSdp: offerAfter(agreed.localSdp, offerWith(created.localSdp, trunk)),
});

const createFor = async (
  offer: string | undefined,
  { standing, trunk, options: { carriers } }: Omit<Move, 'dialog'>,
): Promise<MediaEndpoint> => {
  const terms = asBefore(trunk, standing);
  if (offer === undefined)
    return offeringIn(await carriers.createEndpoint(undefined, terms), standing, trunk);
  const { sdp, answerWith } = accepted(offer, carriers.termsFor(trunk));
  const created = await carriers.createEndpoint(sdp, terms);
  return { ...created, localSdp: answerWith(created.localSdp) };
};

/** Answers the held re-INVITE with this endpoint's description as soon as it is released. */
const takeWaiting = async (waiting: Srf.SrfRequest, to: Move): Promise<Moved> => {
  const { dialog, standing, trunk, options } = to;
  if (bodyProblem(waiting) !== undefined) throw new Error('The INVITE that waits has no body that is known');
  const endpoint = ofCall(await createFor(descriptionIn(waiting), to), standing, trunk, options);
  dialog.local.sdp = endpoint.localSdp;
  return { endpoint, timer: standing.agreed };
};

/**
 * Sends audio to the far end before it accepts the re-INVITE, if no other process sends any: most far ends play it, and
 * the others ignore it until their answer. Only for audio of this process: FreeSWITCH would have to process two
 * descriptions.
 */
const sendAtOnce = async (
  endpoint: MediaEndpoint,
  { standing, trunk, options: { carriers, formerSends } }: Omit<Move, 'dialog'>,
): Promise<void> => {
  if (formerSends || carriers.carrierFor(asBefore(trunk, standing)) !== 'this process') return;
  // A failure is ignored, because the answer to the re-INVITE decides.
  await endpoint.takeAnswer(standing.agreed.remoteSdp).catch(() => {});
};

/** Opens the endpoint that `moveMedia` offers, before it may ask the far end. */
export const openOffering = async (
  standing: Standing,
  trunk: Trunk,
  options: MoveOptions,
): Promise<SessionEndpoint> => {
  const to = { standing, trunk, options };
  const endpoint = ofCall(await createFor(undefined, to), standing, trunk, options);
  await sendAtOnce(endpoint, to);
  return endpoint;
};

/** Destroys an endpoint that was opened in vain. */
export const dropOffering = (
  opened: Promise<MediaEndpoint>,
  { backgroundTasks }: Pick<MoveOptions, 'backgroundTasks'>,
): void => backgroundTasks.add('destroying an endpoint', async () => (await opened).destroy());

const askToMove = async (
  { dialog, standing, options }: Move,
  opened: Promise<SessionEndpoint>,
): Promise<Moved> => {
  const endpoint = await opened;
  try {
    return { endpoint, timer: await invite(dialog, endpoint, standing, options.clock) };
  } catch (error) {
    dropOffering(opened, options);
    throw error;
  }
};

const move = (to: Move, opened: Promise<SessionEndpoint> | null): Promise<Moved> => {
  const { dialog, standing, trunk, options } = to;
  const waiting = waitingInvite(dialog);
  if (waiting === undefined) return askToMove(to, opened ?? openOffering(standing, trunk, options));
  if (opened !== null) dropOffering(opened, options);
  return takeWaiting(waiting, to);
};

/**
 * Sends the re-INVITE, with the endpoint that was opened for it if there is one. Rejects if the far end does not accept
 * the change.
 */
export const moveMedia = async (
  dialog: Srf.Dialog,
  standing: Standing,
  trunk: Trunk,
  options: MoveOptions,
  opened: Promise<SessionEndpoint> | null = null,
): Promise<Moved> => {
  const to = { dialog, standing, trunk, options };
  try {
    return await move(to, opened);
  } catch (error) {
    if (!(error instanceof Crossed)) throw error;
  }
  if (waitingInvite(dialog) === undefined)
    await new Promise<void>(
      (resolve) => void options.clock.setTimeout(resolve, pauseMs[standing.agreed.type]),
    );
  return move(to, null);
};
