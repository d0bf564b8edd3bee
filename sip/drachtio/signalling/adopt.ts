/**
 * Going on with a call that another process has left: its dialog is revived, and its channel at FreeSWITCH is adopted, of
 * which the far end hears nothing. Where that cannot be, its sound comes to an endpoint of this process by a re-INVITE.
 * Of two persons who talk with each other both legs are adopted at the same time.
 */
import type Srf from 'drachtio-srf';
import type { Logger } from 'pino';
import type { LeftLeg, LeftLine } from '#src/domain/sip-leg.ts';
import type { Trunk } from '#src/domain/trunk.ts';
import type { MediaEndpoint } from '../../media/media-endpoint.ts';
import { digestClientFor } from '../../digest/digest-client.ts';
import { credentialsOf } from '../../trunks/addressing.ts';
import type { MediaServers } from '../media/media-servers.ts';
import { hangUp, holdRequests, noSip, type Attempt, type Connection, type Outcome } from './attempt.ts';
import { authorizeRequests, isByeWaiting } from './dialog-requests.ts';
import type { SendCommand } from './end-leg.ts';
import type { LegTracker, TrackedLeg } from './leg-tracker.ts';
import { moveSound, ofCall, type MoveOptions, type Standing } from './move-sound.ts';
import { dialogStands, reviveDialog } from './revive.ts';
import type { AgreedTimer } from './session-timer.ts';

export type AdoptOptions = MoveOptions & {
  left: LeftLine;
  srf: Srf;
  send: SendCommand;
  mediaServers: Pick<MediaServers, 'adoptEndpoint'>;
  trunks: () => readonly Trunk[];
  legTracker: Pick<LegTracker, 'track' | 'endChannels' | 'endOrphans'>;
  logger: Logger;
};

const isOfTransfer = ({ leg }: LeftLeg): boolean => leg.isOfTransfer === true;

/** The first that can go on. */
const standingAmong = (legs: readonly LeftLeg[]): Standing | undefined => {
  for (const { id, leg } of legs)
    if (leg.state === 'standing' && leg.dialog !== null) return { id, leg, agreed: leg.dialog };
  return undefined;
};

/** Who was rung for the other party, or was told of the call, is lost with the process that was to connect them. */
const endLost = (legs: readonly LeftLeg[], { callId, legTracker }: AdoptOptions): void => {
  legTracker.endOrphans(legs.map((one) => ({ ...one, callId })));
  legTracker.endChannels(legs);
};

/** The channel of the earlier process; `null` where it cannot be gone on with. */
const adoptSound = async (
  standing: Standing,
  trunk: Trunk,
  options: AdoptOptions,
): Promise<MediaEndpoint | null> => {
  const { mediaServers, send, logger } = options;
  const { channel } = standing.leg;
  // Which of both a channel does is known where it is the only one that the trunk has.
  if (channel === null || trunk.srtp === 'optional') return null;
  try {
    // Who acts in a dialog is told by the relay what is said in it.
    if (channel.dialog !== undefined && !(await dialogStands(channel.dialog.id, send))) return null;
    const keepsBridge = options.left.connectedWith !== null;
    const endpoint = await mediaServers.adoptEndpoint(channel, trunk.srtp, keepsBridge);
    return ofCall(endpoint, standing, trunk, options);
  } catch (error) {
    logger.warn({ err: error }, 'the sound of a call that was left comes by another channel');
    return null;
  }
};

/** Where the sound of the call is from now on. The earlier process's channel ends, unless it is that. */
const soundOf = async (
  dialog: Srf.Dialog,
  standing: Standing,
  options: AdoptOptions,
): Promise<{ trunk: Trunk; endpoint: MediaEndpoint; timer: AgreedTimer }> => {
  const trunk = options.trunks().find(({ id }) => id === standing.agreed.trunkId);
  if (trunk === undefined) throw new Error('the trunk of the call is not there any more');
  authorizeRequests(dialog, digestClientFor(credentialsOf(trunk)));
  const adopted = await adoptSound(standing, trunk, options);
  if (adopted !== null) return { trunk, endpoint: adopted, timer: standing.agreed };
  const moved = await moveSound(dialog, standing, trunk, options);
  options.legTracker.endChannels([standing]);
  return { trunk, ...moved };
};

const unadopted = (cause: 'cancelled' | 'media_error', sip = noSip): Outcome => ({
  answered: false,
  cause,
  sip,
});

/** `cancelled`: the far end has gone by itself. */
const goOn = async (
  standing: Standing,
  dialog: Srf.Dialog,
  trackedLeg: TrackedLeg,
  options: AdoptOptions,
): Promise<Outcome> => {
  const { leg, agreed } = standing;
  const { backgroundTasks, logger } = options;
  const sip = { status: 200, reason: 'OK', callId: leg.sipCallId };
  try {
    if (!(await dialogStands(leg.dialogId, options.send))) {
      const hasHungUp = isByeWaiting(dialog);
      // A BYE that waits is answered now.
      holdRequests(dialog, false);
      // Without one, drachtio-server may have been restarted: then the far end still stands, and is hung up.
      if (!hasHungUp) options.legTracker.endOrphans([{ id: standing.id, callId: options.callId, leg }]);
      trackedLeg.ended();
      options.legTracker.endChannels([standing]);
      return unadopted('cancelled', sip);
    }
    const { trunk, endpoint, timer } = await soundOf(dialog, standing, options);
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
    logger.warn({ err: error }, 'a call that was left could not be gone on with');
    backgroundTasks.add('BYE', () => hangUp({ dialog, trackedLeg }));
    options.legTracker.endChannels([standing]);
    return unadopted('media_error', sip);
  }
};

/** Lets go of a far end that was adopted for a call that is over. */
const sendAway = (
  connection: Connection,
  { backgroundTasks }: Pick<AdoptOptions, 'backgroundTasks'>,
): void => {
  backgroundTasks.add('destroying an endpoint', () => connection.endpoint.destroy());
  backgroundTasks.add('BYE', () => hangUp(connection));
};

const adoptLeg = (standing: Standing | undefined, options: AdoptOptions): Attempt => {
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

/** The other party of a call and the person with whom it talks; without the former the latter is hung up. */
const bothOf = (otherParty: Attempt, person: Attempt, options: AdoptOptions): Attempt => {
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

export const adoptCall = (options: AdoptOptions): Attempt => {
  const { legs, connectedWith } = options.left;
  const ofTransfer = legs.filter(isOfTransfer);
  const person = connectedWith === null ? undefined : standingAmong(ofTransfer);
  endLost(
    ofTransfer.filter(({ id }) => id !== person?.id),
    options,
  );
  const otherParty = adoptLeg(standingAmong(legs.filter((leg) => !isOfTransfer(leg))), options);
  return connectedWith === null ? otherParty : bothOf(otherParty, adoptLeg(person, options), options);
};
