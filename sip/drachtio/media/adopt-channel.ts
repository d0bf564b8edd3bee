/**
 * Takes over a channel of another process: assigns it to this gateway and moves it into a new park, in which a unicast
 * can be opened. A second unicast within one park would eventually crash FreeSWITCH (`open-unicast.ts`). A bridged
 * channel is only renamed: a new park would end the bridge.
 */
import type Srf from 'drachtio-srf';
import type { MediaChannel } from '#src/domain/sip-leg.ts';
import { reviveDialog } from '../signalling/revive.ts';
import { partnerVariable } from './bridge.ts';
import type { Channel } from './channel.ts';
import type { Commands } from './event-socket/commands.ts';
import type { Keeping } from './event-socket/keeping.ts';
import { repark, type ReparkMeans } from './repark.ts';

type Means = ReparkMeans & {
  commands: Pick<Commands, 'api' | 'run' | 'tell'>;
  keeping: Pick<Keeping, 'claim'>;
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

/** Rejects if the channel no longer exists. `keepsBridge`: its bridge, if any, continues. */
export const claimChannel = async (uuid: string, keepsBridge: boolean, means: Means): Promise<Claimed> => {
  const localSdp = await valueOf(uuid, 'rtp_local_sdp_str', means.commands);
  if (localSdp === null) throw new Error('The channel is gone');
  await means.keeping.claim(means.commands, uuid);
  if (keepsBridge && (await valueOf(uuid, partnerVariable, means.commands)) !== null)
    return { localSdp, isBridged: true };
  await repark(uuid, means);
  return { localSdp };
};

/** Also rejects if its dialog is unknown. */
export const adoptChannel = async (
  { uuid, dialog }: MediaChannel,
  keepsBridge: boolean,
  { srf, ...means }: Means & { srf: Srf },
): Promise<Channel> => {
  if (dialog === undefined) throw new Error('Nothing is known of the dialog of the channel');
  const claimed = await claimChannel(uuid, keepsBridge, means);
  return { ...claimed, uuid, dialog: dialogOf(uuid, dialog, claimed.localSdp, srf), remoteSdp: null };
};
