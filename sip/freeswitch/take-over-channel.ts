/**
 * Takes over a channel of another process: assigns the channel to this gateway and moves it into a new park, in which a
 * unicast can be opened. A second unicast within one park would eventually crash FreeSWITCH (`open-unicast.ts`). A
 * bridged channel is only assigned, because a new park would end the bridge.
 */
import type Srf from 'drachtio-srf';
import type { MediaChannel } from '#src/domain/sip-leg.ts';
import { reviveDialog } from '../drachtio/resume/revive.ts';
import { partnerVariable } from './bridge.ts';
import type { Channel } from './channel.ts';
import type { Commands } from './connection.ts';
import type { KeepAlive } from './keep-alive.ts';
import { repark, type ReparkOptions } from './repark.ts';

type TakeOverOptions = ReparkOptions & {
  commands: Pick<Commands, 'api' | 'run' | 'sendMessage'>;
  keepAlive: Pick<KeepAlive, 'claim'>;
};

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
  options: TakeOverOptions,
): Promise<Claimed> => {
  const localSdp = await valueOf(uuid, 'rtp_local_sdp_str', options.commands);
  if (localSdp === null) throw new Error('The channel no longer exists');
  await options.keepAlive.claim(options.commands, uuid);
  if (keepsBridge && (await valueOf(uuid, partnerVariable, options.commands)) !== null)
    return { localSdp, isBridged: true };
  await repark(uuid, options);
  return { localSdp };
};

/** Takes over a channel. Also rejects if the dialog of the channel is unknown. */
export const takeOverChannel = async (
  { uuid, dialog }: MediaChannel,
  keepsBridge: boolean,
  { srf, ...options }: TakeOverOptions & { srf: Srf },
): Promise<Channel> => {
  if (dialog === undefined) throw new Error('The dialog of the channel is unknown');
  const claimed = await claimChannel(uuid, keepsBridge, options);
  return { ...claimed, uuid, dialog: dialogOf(uuid, dialog, claimed.localSdp, srf), remoteSdp: null };
};
