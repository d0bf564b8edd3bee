/**
 * A channel of FreeSWITCH: made by an INVITE of ours, parked by its dialplan (config/freeswitch), and told by the event
 * socket what to do. FreeSWITCH takes the Call-ID of the INVITE for its name.
 */
import { randomUUID } from 'node:crypto';
import type Srf from 'drachtio-srf';
import { packetMsIn, withPackets, type PacketMs } from '../../trunks/media-offer.ts';
import { gatewayHeader } from './event-socket/keeping.ts';

export type Channel = {
  readonly uuid: string;
  /** With FreeSWITCH, which is given the other party's description in it, and makes an offer now and then. */
  readonly dialog: Srf.Dialog;
  /** Its answer, or its own offer. */
  readonly localSdp: string;
  /** The other party's description that it began with; `null` where it made the offer, or another process made it. */
  readonly remoteSdp: string | null;
  /** It was in a bridge when this process adopted it, and still is. */
  readonly isBridged?: true;
};

export type ChannelRequest = {
  /** The other party's; without one FreeSWITCH makes an offer. */
  offer: string | undefined;
  headers: Readonly<Record<string, string>>;
};

/**
 * The other party's description as FreeSWITCH is given it: with packets of 20 ms, or of 10 where those are too long.
 * FreeSWITCH would send longer ones if they were asked for, and we give it frames of 20 ms (`unicast-session.ts`), which it
 * divides but does not join. It takes longer ones at any length (`rtp-autofix-timing` in config/freeswitch), so the other
 * party may send as it has said.
 */
const given = (remoteSdp: string, packetMs = packetMsIn(remoteSdp)): string =>
  withPackets(remoteSdp, packetMs);

/** `gateway` is the name that the channel bears; `sipAddress` where FreeSWITCH takes INVITEs. Has no limit in time. */
export const inviteChannel = (
  { offer, headers }: ChannelRequest,
  { srf, sipAddress, gateway }: { srf: Srf; sipAddress: string; gateway: string },
): { uuid: string; channel: Promise<Channel> } => {
  const uuid = randomUUID();
  const invite = async (): Promise<Channel> => {
    const dialog = await srf.createUAC(`sip:endpoint@${sipAddress}`, {
      headers: { ...headers, 'Call-ID': uuid, [gatewayHeader]: gateway },
      ...(offer === undefined ? {} : { localSdp: given(offer) }),
    });
    return { uuid, dialog, localSdp: dialog.remote.sdp, remoteSdp: offer ?? null };
  };
  return { uuid, channel: invite() };
};

/** Offers the other party's description to FreeSWITCH; resolves with its answer. */
export const offerTo = (
  { dialog }: Pick<Channel, 'dialog'>,
  remoteSdp: string,
  packetMs: PacketMs,
): Promise<string> => dialog.modify(given(remoteSdp, packetMs));

/** The other party's description with which the next offer of FreeSWITCH is answered; drachtio-srf answers by itself. */
export const prepareAnswer = ({ dialog }: Pick<Channel, 'dialog'>, remoteSdp: string): void => {
  dialog.local.sdp = given(remoteSdp);
};

/** Ends a channel; resolves when FreeSWITCH has confirmed it, which it may never do. */
export const sayBye = ({ dialog }: Pick<Channel, 'dialog'>): Promise<void> =>
  new Promise((resolve, reject) => {
    dialog.destroy({ headers: {} }, (error: unknown) => {
      if (error === null || error === undefined) resolve();
      else reject(new Error('BYE to FreeSWITCH could not be sent', { cause: error }));
    });
  });
