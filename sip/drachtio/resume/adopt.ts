/**
 * Takes over a call of another process: recreates its dialog and takes over its FreeSWITCH channel, which the far end
 * does not notice. If the channel is not usable, a re-INVITE moves the audio to an endpoint of this process. If two
 * persons talk with each other, both legs are taken over at the same time.
 */
import type Srf from 'drachtio-srf';
import type { Logger } from 'pino';
import type { LineResumeState, Standing, StoredLeg } from '#src/domain/sip-leg.ts';
import type { Trunk } from '#src/domain/trunk.ts';
import { digestClientFor } from '../../digest/digest-client.ts';
import { credentialsOf } from '../../trunks/addressing.ts';
import type { MediaServers } from '../../freeswitch/media-servers.ts';
import { hangUp, noSip, type PendingLeg, type Connection, type Outcome } from '../leg.ts';
import { holdRequests, isByeWaiting } from '../dialog/held-requests.ts';
import type { SessionEndpoint } from '../dialog/negotiate.ts';
import { authorizeRequests } from '../dialog/sent-requests.ts';
import type { SendCommand } from './end-leg.ts';
import type { LegTracker, TrackedLeg } from './leg-tracker.ts';
import { dropOffering, moveMedia, ofCall, openOffering, type MoveOptions } from './move-media.ts';
import { queryDialog, reviveDialog } from './revive.ts';
import type { AgreedTimer } from '../dialog/session-timer.ts';

export type AdoptOptions = Omit<MoveOptions, 'formerSends'> & {
  state: LineResumeState;
  srf: Srf;
  send: SendCommand;
  /** Makes the relay deliver the requests of this dialog to this process, before any command that is sent later. */
  claim: (dialogId: string) => Promise<void>;
  mediaServers: Pick<MediaServers, 'takeOverEndpoint'>;
  trunks: () => readonly Trunk[];
  legTracker: Pick<LegTracker, 'track' | 'endChannels' | 'endOrphans'>;
  logger: Logger;
};

const isOfTransfer = ({ leg }: StoredLeg): boolean => leg.isOfTransfer === true;

/** The first leg that can be resumed. */
const standingAmong = (legs: readonly StoredLeg[]): Standing | undefined => {
  for (const { id, leg } of legs)
    if (leg.state === 'standing' && leg.dialog !== null) return { id, leg, agreed: leg.dialog };
  return undefined;
};

/**
 * Ends the legs that are not resumed: a person who was being called for a transfer, or briefed about the call, is lost
 * with the process that was to connect them; a leg whose keys cannot be read can only be hung up. Two trunks that were
 * tried one after the other may have the same channel.
 */
const endLost = (
  legs: readonly StoredLeg[],
  resumed: readonly StoredLeg[],
  { callId, legTracker }: AdoptOptions,
): void => {
  const lost = legs.filter(({ id }) => resumed.every((one) => one.id !== id));
  const isInUse = ({ leg: { channel } }: StoredLeg): boolean =>
    resumed.some(({ leg }) => leg.channel !== null && leg.channel.uuid === channel?.uuid);
  legTracker.endOrphans(lost.map((one) => ({ ...one, callId })));
  legTracker.endChannels(lost.filter((one) => !isInUse(one)));
};

/** Claims a dialog of the earlier process. Resolves to whether drachtio-server still knows the dialog. */
const claimDialog = async (dialogId: string, { claim, send }: AdoptOptions): Promise<boolean> => {
  const [, state] = await Promise.all([claim(dialogId), queryDialog(dialogId, send)]);
  if (state === 'taken') throw new Error('The relay delivers the requests of the call to another gateway');
  return state === 'established';
};

/** Takes over the channel of the earlier process; `null` if it is not usable. */
const adoptMedia = async (
  standing: Standing,
  trunk: Trunk,
  options: AdoptOptions,
): Promise<SessionEndpoint | null> => {
  const { mediaServers, logger } = options;
  const { channel } = standing.leg;
  // With optional SRTP the channel is not used, because it is unknown whether it encrypts.
  if (channel === null || trunk.srtp === 'optional') return null;
  try {
    if (channel.dialog !== undefined && !(await claimDialog(channel.dialog.id, options))) return null;
    const { connectedWith, formerSends } = options.state;
    const terms = { srtp: trunk.srtp, keepsBridge: connectedWith !== null, formerSends };
    const endpoint = await mediaServers.takeOverEndpoint(channel, terms);
    // The far end knows the description of the earlier process, which differs from the media server's.
    return ofCall({ ...endpoint, localSdp: standing.agreed.localSdp }, standing, trunk, options);
  } catch (error) {
    logger.warn(
      { err: error },
      'the channel of a call that is taken over cannot be used; a new channel carries its audio',
    );
    return null;
  }
};

const moveOptionsOf = (options: AdoptOptions): MoveOptions => ({
  ...options,
  formerSends: options.state.formerSends,
});

const trunkOf = (standing: Standing, options: AdoptOptions): Trunk => {
  const configured = options.trunks().find(({ id }) => id === standing.agreed.trunkId);
  if (configured === undefined) throw new Error('the trunk of the call is not there any more');
  // A call keeps the carrier with which it was set up, even if its trunk was changed since.
  return { ...configured, media: standing.leg.channel === null ? 'direct' : 'freeswitch' };
};

/**
 * Returns the endpoint for the call's audio: `opened`, or one of its own. The earlier process's channel ends unless it is
 * used.
 */
const movedAudio = async (
  dialog: Srf.Dialog,
  { standing, trunk, opened }: { standing: Standing; trunk: Trunk; opened: Promise<SessionEndpoint> | null },
  options: AdoptOptions,
): Promise<{ endpoint: SessionEndpoint; timer: AgreedTimer }> => {
  authorizeRequests(dialog, digestClientFor(credentialsOf(trunk)));
  const adopted = await adoptMedia(standing, trunk, options);
  if (adopted !== null) return { endpoint: adopted, timer: standing.agreed };
  const moved = await moveMedia(dialog, standing, trunk, moveOptionsOf(options), opened);
  options.legTracker.endChannels([standing]);
  return moved;
};

const unadopted = (cause: 'cancelled' | 'media_error', sip = noSip): Outcome => ({
  answered: false,
  cause,
  sip,
});

/** Continues the call in its dialog. Result `cancelled`: the far end has already hung up. */
const goOn = async (
  standing: Standing,
  dialog: Srf.Dialog,
  trackedLeg: TrackedLeg,
  options: AdoptOptions,
): Promise<Outcome> => {
  const { leg, agreed } = standing;
  const { backgroundTasks, logger } = options;
  const sip = { status: 200, reason: 'OK', callId: leg.sipCallId };
  /** The endpoint of a call without a channel, until `movedAudio` has it. */
  let opened: Promise<SessionEndpoint> | null = null;
  try {
    const trunk = trunkOf(standing, options);
    // Opened while the dialog is claimed, because the far end hears nothing until then.
    if (leg.channel === null) opened = openOffering(standing, trunk, moveOptionsOf(options));
    opened?.catch(() => {});
    if (!(await claimDialog(leg.dialogId, options))) {
      const hasHungUp = isByeWaiting(dialog);
      // Answers a BYE that was held during the take-over.
      holdRequests(dialog, false);
      // Without a BYE, drachtio-server may have been restarted. The far end may still be in the call, so it is hung up.
      if (!hasHungUp) options.legTracker.endOrphans([{ id: standing.id, callId: options.callId, leg }]);
      trackedLeg.ended();
      options.legTracker.endChannels([standing]);
      if (opened !== null) dropOffering(opened, options);
      return unadopted('cancelled', sip);
    }
    const ready = { standing, trunk, opened };
    opened = null;
    const { endpoint, timer } = await movedAudio(dialog, ready, options);
    const { weRefresh, expiresSec } = timer;
    trackedLeg.update({
      ...leg,
      channel: endpoint.channel(),
      dialog: {
        ...agreed,
        weRefresh,
        expiresSec,
        localSdp: endpoint.localSdp,
        remoteSdp: dialog.remote.sdp,
      },
    });
    const { takesInfo } = agreed;
    const connection: Connection = { trunk, dialog, trackedLeg, endpoint, weRefresh, takesInfo, sip };
    return { answered: true, connection };
  } catch (error) {
    logger.warn({ err: error }, 'the far end of a call could not be taken over and is hung up');
    if (opened !== null) dropOffering(opened, options);
    backgroundTasks.add('BYE', () => hangUp({ dialog, trackedLeg }));
    options.legTracker.endChannels([standing]);
    return unadopted('media_error', sip);
  }
};

/** Releases the far end of a call that is over. */
const sendAway = (
  connection: Connection,
  { backgroundTasks }: Pick<AdoptOptions, 'backgroundTasks'>,
): void => {
  backgroundTasks.add('destroying an endpoint', () => connection.endpoint.destroy());
  backgroundTasks.add('BYE', () => hangUp(connection));
};

const adoptLeg = (standing: Standing | undefined, options: AdoptOptions): PendingLeg => {
  const lost = Promise.withResolvers<Outcome>();
  let isGivenUp = false;

  const run = async (): Promise<Outcome> => {
    if (standing === undefined) return unadopted('media_error');
    const { id, leg, agreed } = standing;
    const trackedLeg = options.legTracker.track(options.callId, id);
    trackedLeg.update(leg);
    const dialog = reviveDialog(options.srf, leg, agreed);
    holdRequests(dialog, true);
    const outcome = await goOn(standing, dialog, trackedLeg, options);
    if (!isGivenUp || !outcome.answered) return outcome;
    sendAway(outcome.connection, options);
    return unadopted('media_error', outcome.connection.sip);
  };

  return {
    outcome: Promise.race([run(), lost.promise]),
    sip: () => noSip,
    route: () => null,
    cancel() {
      isGivenUp = true;
    },
    lose() {
      isGivenUp = true;
      lost.resolve(unadopted('media_error'));
    },
  };
};

/**
 * Combines the other party of a call and the person with whom it talks; the person is hung up if the other party is
 * lost.
 */
const bothOf = (otherParty: PendingLeg, person: PendingLeg, options: AdoptOptions): PendingLeg => {
  const run = async (): Promise<Outcome> => {
    const [outcome, ofPerson] = await Promise.all([otherParty.outcome, person.outcome]);
    if (outcome.answered) return { ...outcome, person: ofPerson };
    if (ofPerson.answered) sendAway(ofPerson.connection, options);
    return outcome;
  };
  return {
    ...otherParty,
    outcome: run(),
    cancel() {
      otherParty.cancel();
      person.cancel();
    },
    lose() {
      otherParty.lose();
      person.lose();
    },
  };
};

export const adoptCall = (options: AdoptOptions): PendingLeg => {
  const { legs, connectedWith } = options.state;
  const person = connectedWith === null ? undefined : standingAmong(legs.filter(isOfTransfer));
  const otherParty = standingAmong(legs.filter((leg) => !isOfTransfer(leg)));
  const resumed = [otherParty, person].filter((leg) => leg !== undefined);
  endLost(legs, resumed, options);
  const adopted = adoptLeg(otherParty, options);
  return connectedWith === null ? adopted : bothOf(adopted, adoptLeg(person, options), options);
};
