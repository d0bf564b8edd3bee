/**
 * Takes over a channel of another process: assigns the channel to this gateway, moves it into a new park, and opens a
 * unicast in it. A second unicast within one park would eventually crash FreeSWITCH (`open-unicast.ts`). The former
 * process sends audio until the new park, so the unicast is opened at once, before the call is connected. A bridged
 * channel is only assigned, because a new park would end the bridge.
 */
import type Srf from 'drachtio-srf';
import type { MediaChannel } from '#src/domain/sip-leg.ts';
import { reviveDialog } from '../drachtio/resume/revive.ts';
import { audioRateOf, voiceIn } from '#sip/sdp/media-offer.ts';
import { partnerVariable } from './bridge.ts';
import type { Channel } from './channel.ts';
import type { Commands } from './connection.ts';
import type { KeepAlive } from './keep-alive.ts';
import { beginUnicast, type BegunUnicast, type UnicastOptions } from './open-unicast.ts';
import { repark, type ReparkOptions } from './repark.ts';

type ClaimOptions = { commands: Pick<Commands, 'api' | 'run'>; keepAlive: Pick<KeepAlive, 'claim'> };

const valueOf = async (
  uuid: string,
  name: string,
  { api }: Pick<Commands, 'api'>,
): Promise<string | null> => {
  const value = await api(`uuid_getvar ${uuid} ${name}`);
  return value === '_undef_' || value.startsWith('-ERR') ? null : value;
};

const dialogOf = (
  uuid: string,
  dialog: NonNullable<MediaChannel['dialog']>,
  localSdp: string,
  srf: Srf,
): Srf.Dialog => {
  const { id: dialogId, contact: localContact } = dialog;
  return reviveDialog(
    srf,
    {
      state: 'standing',
      transactionId: '',
      dialogId,
      sipCallId: uuid,
      local: '',
      remote: '',
      target: '',
      nextHop: null,
      channel: null,
      dialog: null,
    },
    {
      type: 'uac',
      localTag: '',
      remoteTag: '',
      localContact,
      localSdp: '',
      remoteSdp: localSdp,
      weRefresh: false,
      expiresSec: null,
      takesInfo: false,
      trunkId: '',
    },
  );
};

type Claimed = Pick<Channel, 'localSdp' | 'isBridged'>;

/**
 * Claims a channel. Rejects if the channel no longer exists. `keepsBridge`: an existing bridge of the channel
 * continues.
 */
export const claimChannel = async (
  uuid: string,
  keepsBridge: boolean,
  options: ClaimOptions,
): Promise<Claimed> => {
  const localSdp = await valueOf(uuid, 'rtp_local_sdp_str', options.commands);
  if (localSdp === null) throw new Error('The channel no longer exists');
  await options.keepAlive.claim(options.commands, uuid);
  const isBridged = keepsBridge && (await valueOf(uuid, partnerVariable, options.commands)) !== null;
  return isBridged ? { localSdp, isBridged } : { localSdp };
};

/** Runs the part of a take-over during which the channel is silent, at once or when fewer others are silent. */
export type InTurn = <Moved>(move: () => Promise<Moved>) => Promise<Moved>;

/** Takes over a channel, with its audio unless it is bridged. Also rejects if the dialog of the channel is unknown. */
export const takeOverChannel = async (
  { uuid, dialog }: MediaChannel,
  keepsBridge: boolean,
  { srf, inTurn, ...options }: ClaimOptions & ReparkOptions & UnicastOptions & { srf: Srf; inTurn: InTurn },
): Promise<{ channel: Channel; unicast: BegunUnicast | null }> => {
  if (dialog === undefined) throw new Error('The dialog of the channel is unknown');
  const claimed = await claimChannel(uuid, keepsBridge, options);
  const unicast =
    claimed.isBridged === true
      ? null
      : await beginUnicast(uuid, {
          ...options,
          codecRate: () => audioRateOf(voiceIn(claimed.localSdp) ?? 'PCMU'),
          park: () => repark(uuid, options),
          inTurn,
        });
  const channel = {
    ...claimed,
    uuid,
    dialog: dialogOf(uuid, dialog, claimed.localSdp, srf),
    remoteSdp: null,
  };
  return { channel, unicast };
};
