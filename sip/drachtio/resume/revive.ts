/**
 * Recreates a dialog of another process in drachtio-srf: drachtio-server knows it by its id and accepts its requests
 * from any client. The relay (sip/relay) delivers the far end's requests to the process that has claimed the dialog.
 */
import type Srf from 'drachtio-srf';
import Dialog from 'drachtio-srf/lib/dialog.js';
import type { SipLeg, StandingDialog } from '#src/domain/sip-leg.ts';
import { controlAgentOf } from '../connection/guard.ts';
import { takenByOther } from '../../relay/taken-by-other.ts';
import type { SendCommand } from './end-leg.ts';

/** Rebuilds the leg's INVITE and its response as messages. */
const messagesOf = (leg: SipLeg, dialog: StandingDialog, agent: unknown) => {
  const isOurs = dialog.type === 'uac';
  const side = (contact: string, fromTag: string, toTag: string) => ({
    get: (name: string) => (name === 'Contact' ? contact : leg.sipCallId),
    getParsedHeader(name: string): { params: { tag: string } } | [{ uri: string }] {
      if (name === 'Contact') return [{ uri: contact }];
      return { params: { tag: name === 'from' ? fromTag : toTag } };
    },
  });
  const { localTag, remoteTag, localContact, localSdp, remoteSdp } = dialog;
  const [fromTag, toTag] = isOurs ? [localTag, remoteTag] : [remoteTag, localTag];
  const ours = side(localContact, fromTag, toTag);
  const theirs = side(leg.target, fromTag, toTag);
  return {
    req: {
      ...(isOurs ? ours : theirs),
      method: 'INVITE' as const,
      uri: leg.target,
      body: isOurs ? localSdp : remoteSdp,
      socket: undefined,
    },
    res: { ...theirs, body: remoteSdp, agent, stackDialogId: leg.dialogId },
    sent: { ...ours, body: localSdp },
  };
};

/** Registers the dialog in `srf`. */
export const reviveDialog = (srf: Srf, leg: SipLeg, dialog: StandingDialog): Srf.Dialog => {
  const revived = new Dialog(srf, dialog.type, messagesOf(leg, dialog, controlAgentOf(srf)));
  const add: unknown = Reflect.get(srf, 'addDialog');
  if (typeof add !== 'function') throw new Error('drachtio-srf is not as it is known here');
  Reflect.apply(add, srf, [revived]);
  return revived;
};

/** `taken`: the relay delivers the requests of the dialog to another gateway, which has taken over the call. */
export type DialogState = 'established' | 'unknown' | 'taken';

/**
 * Returns the state of a dialog in drachtio-server, queried without a message to the far end: drachtio-server rejects a
 * request that has a body without a type only if the dialog exists. The relay delivers requests of a dialog without a
 * gateway to the process that queries it. Rejects without a response.
 */
export const queryDialog = async (dialogId: string, send: SendCommand): Promise<DialogState> => {
  try {
    await send({ dialogId, sip: 'OPTIONS sip:placeholder SIP/2.0\r\nContent-Length: 1\r\n\r\n-' });
    return 'established';
  } catch (error) {
    const reason = error instanceof Error ? error.message : '';
    if (reason.includes('missing content-type')) return 'established';
    if (reason.includes('unable to find dialog')) return 'unknown';
    if (reason.includes(takenByOther)) return 'taken';
    throw error;
  }
};
