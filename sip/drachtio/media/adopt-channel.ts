/**
 * A channel that another process made and left, taken over: it bears our name from now on, and is in a new park, in which
 * its sound can be connected anew. A second time within one park would be the end of FreeSWITCH (see open-unicast.ts), so it is
 * told nothing before its dialplan has said that the park before is over.
 */
import { randomUUID } from 'node:crypto';
import type Srf from 'drachtio-srf';
import type { Clock } from '#src/domain/clock.ts';
import type { MediaChannel } from '#src/domain/sip-leg.ts';
import { within } from '../background-tasks.ts';
import { reviveDialog } from '../signalling/revive.ts';
import type { Channel } from './channel.ts';
import type { Commands } from './event-socket/commands.ts';
import type { Keeping } from './event-socket/keeping.ts';

/** Between two looks whether it has come to the new park; it takes 20 ms at most. */
const lookMs = 5;

type Means = {
  commands: Pick<Commands, 'api' | 'run'>;
  keeping: Pick<Keeping, 'claim'>;
  answerMs: number;
  clock: Clock;
};

const valueOf = async (
  uuid: string,
  name: string,
  { api }: Pick<Commands, 'api'>,
): Promise<string | null> => {
  const value = await api(`uuid_getvar ${uuid} ${name}`);
  return value === '_undef_' || value.startsWith('-ERR') ? null : value;
};

/** Into a new park. */
const park = async (uuid: string, { commands, answerMs, clock }: Means): Promise<void> => {
  const token = randomUUID();
  let isGivenUp = false;
  const look = async (): Promise<void> => {
    while (!isGivenUp && (await valueOf(uuid, 'gw_adopted', commands)) !== token)
      await new Promise<void>((resolve) => void clock.setTimeout(resolve, lookMs));
  };
  await commands.run(`uuid_transfer ${uuid} adopted-${token} XML trunkline`);
  try {
    await within(clock, answerMs, 'Parking a channel', look());
  } finally {
    isGivenUp = true;
  }
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

/** It is ours, in a new park. Resolves with its session description; rejects where there is no such channel any more. */
export const claimChannel = async (uuid: string, means: Means): Promise<string> => {
  const localSdp = await valueOf(uuid, 'rtp_local_sdp_str', means.commands);
  if (localSdp === null) throw new Error('The channel is gone');
  await means.keeping.claim(means.commands, uuid);
  await park(uuid, means);
  return localSdp;
};

/** Rejects also where nothing is known of its dialog. */
export const adoptChannel = async (
  { uuid, dialog }: MediaChannel,
  { srf, ...means }: Means & { srf: Srf },
): Promise<Channel> => {
  if (dialog === undefined) throw new Error('Nothing is known of the dialog of the channel');
  const localSdp = await claimChannel(uuid, means);
  return { uuid, dialog: dialogOf(uuid, dialog, localSdp, srf), localSdp };
};
