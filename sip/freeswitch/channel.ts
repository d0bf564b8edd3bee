/**
 * A FreeSWITCH channel: created by our INVITE, parked by its dialplan (config/freeswitch), and controlled over the
 * event socket. FreeSWITCH uses the Call-ID of the INVITE as the channel's id.
 */
import { randomUUID } from 'node:crypto';
import type Srf from 'drachtio-srf';
import { packetMsIn, withHoldStated, withPackets, type PacketMs } from '#sip/sdp/media-offer.ts';
import { gatewayHeader } from './keep-alive.ts';

export type Channel = {
  readonly uuid: string;
  /**
   * Dialog with FreeSWITCH, by which the other party's description is sent to FreeSWITCH. FreeSWITCH sometimes makes an
   * offer itself.
   */
  readonly dialog: Srf.Dialog;
  /** FreeSWITCH's answer, or its own offer. */
  readonly localSdp: string;
  /**
   * Initial description of the other party; `null` if FreeSWITCH made the offer or another process created the channel.
   */
  readonly remoteSdp: string | null;
  /** Whether the channel was bridged when this process took it over, and still is. */
  readonly isBridged?: true;
};

export type ChannelRequest = {
  /** Offer of the other party. Without an offer, FreeSWITCH makes one. */
  offer: string | undefined;
  headers: Readonly<Record<string, string>>;
};

/**
 * Returns the other party's description as it is passed to FreeSWITCH: with packets of 20 ms, or of 10 ms if the
 * description asks for shorter ones. FreeSWITCH would send longer packets on request, but our frames have 20 ms
 * (`unicast-session.ts`), and FreeSWITCH splits frames but does not join them. FreeSWITCH accepts longer packets of any
 * length (`rtp-autofix-timing` in config/freeswitch), so the other party may send as described.
 *
 * A hold by the address 0.0.0.0 is stated by the direction as well: with `disable-hold`, FreeSWITCH would send to that
 * address, which is its own host.
 */
const given = (remoteSdp: string, packetMs = packetMsIn(remoteSdp)): string =>
  withPackets(withHoldStated(remoteSdp), packetMs);

/**
 * Creates a channel. `gateway` is the name of the gateway that is stored in the channel; `sipAddress` is the address at
 * which FreeSWITCH accepts INVITEs. The function has no timeout.
 */
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

/** Offers the other party's description to FreeSWITCH. Resolves with FreeSWITCH's answer. */
export const offerTo = (
  { dialog }: Pick<Channel, 'dialog'>,
  remoteSdp: string,
  packetMs: PacketMs,
): Promise<string> => dialog.modify(given(remoteSdp, packetMs));

/** Sets the other party's description with which drachtio-srf automatically answers the next offer of FreeSWITCH. */
export const prepareAnswer = ({ dialog }: Pick<Channel, 'dialog'>, remoteSdp: string): void => {
  dialog.local.sdp = given(remoteSdp);
};

/** Ends a channel. Resolves when FreeSWITCH has confirmed the end, which may never happen. */
export const sendBye = ({ dialog }: Pick<Channel, 'dialog'>): Promise<void> =>
  new Promise((resolve, reject) => {
    dialog.destroy({ headers: {} }, (error: unknown) => {
      if (error === null || error === undefined) resolve();
      else reject(new Error('BYE to FreeSWITCH could not be sent', { cause: error }));
    });
  });
