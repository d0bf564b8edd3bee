/**
 * A channel of FreeSWITCH: made by an INVITE of ours, parked by its dialplan (config/freeswitch), and told by the event
 * socket what to do. FreeSWITCH takes the Call-ID of the INVITE for its name.
 */
import { randomUUID } from 'node:crypto';
import type Srf from 'drachtio-srf';
import { gatewayHeader } from './event-socket/keeping.ts';

export type Channel = {
  readonly uuid: string;
  /** With FreeSWITCH, which is given the other party's description in it, and makes an offer now and then. */
  readonly dialog: Srf.Dialog;
  /** Its answer, or its own offer. */
  readonly localSdp: string;
};

export type ChannelRequest = {
  /** The other party's; without one FreeSWITCH makes an offer. */
  offer: string | undefined;
  headers: Readonly<Record<string, string>>;
};

/** `gateway` is the name that the channel bears; `sipAddress` where FreeSWITCH takes INVITEs. Has no limit in time. */
export const inviteChannel = (
  { offer, headers }: ChannelRequest,
  { srf, sipAddress, gateway }: { srf: Srf; sipAddress: string; gateway: string },
): { uuid: string; channel: Promise<Channel> } => {
  const uuid = randomUUID();
  const invite = async (): Promise<Channel> => {
    const dialog = await srf.createUAC(`sip:endpoint@${sipAddress}`, {
      headers: { ...headers, 'Call-ID': uuid, [gatewayHeader]: gateway },
      ...(offer === undefined ? {} : { localSdp: offer }),
    });
    return { uuid, dialog, localSdp: dialog.remote.sdp };
  };
  return { uuid, channel: invite() };
};

/** Ends a channel; resolves when FreeSWITCH has confirmed it, which it may never do. */
export const sayBye = ({ dialog }: Pick<Channel, 'dialog'>): Promise<void> =>
  new Promise((resolve, reject) => {
    dialog.destroy({ headers: {} }, (error: unknown) => {
      if (error === null || error === undefined) resolve();
      else reject(new Error('BYE to FreeSWITCH could not be sent', { cause: error }));
    });
  });
