/** Messages from the SIP network to drachtio-server: answers them or forwards them to clients. */
import { tellNewRequest, tellReceived, type Core } from './drachtio-core.ts';
import type { SipParty } from './far-end.ts';
import { dialogIdOf, newTag, type Incoming } from './sip-dialogs.ts';
import { headerOf, methodOf, mustHave, responseTo, statusOf, tagOf, type SipMessage } from './sip-parser.ts';
import type { Client } from './drachtio-core.ts';

const takeResponse = (core: Core, message: SipMessage, party: SipParty): void => {
  // Clients do not receive the response to a CANCEL.
  if (methodOf(message) === 'CANCEL') return;
  const known = core.dialogs.answeredBy(message);
  if (known === undefined) return;
  const { id, client, dialogId, request } = known;
  const status = statusOf(message) ?? 0;
  if (status >= 200) core.dialogs.outgoing.delete(id);
  // A challenged BYE is repeated, so the dialog remains.
  if (methodOf(request) === 'BYE' && status >= 200 && status !== 401 && status !== 407)
    core.dialogs.dialogs.delete(dialogId);
  const isConfirmed = status >= 200 || headerOf(message, 'RSeq') !== undefined;
  if (methodOf(request) === 'INVITE' && isConfirmed && status < 300) core.dialogs.established(known, message);
  tellReceived(client, { message, id, dialogId, party });
};

const takeAck = (core: Core, message: SipMessage, party: SipParty): void => {
  const dialog = core.dialogs.dialogOf(message);
  // The ACK of a refusal has no dialog and is not reported.
  if (dialog === undefined) return;
  const { id: dialogId, transactionId: id, client } = dialog;
  tellReceived(client, { message, id, dialogId, party, transport: '' });
};

const takeCancel = (core: Core, message: SipMessage, party: SipParty): void => {
  const invite = core.dialogs.cancelledBy(message);
  if (invite === undefined) return party.hear(responseTo(message, 481, { tag: newTag() }));
  core.dialogs.incoming.delete(invite.id);
  party.hear(responseTo(message, 200, { tag: invite.tag }));
  party.hear(responseTo(invite.request, 487, { tag: invite.tag }));
  return tellReceived(invite.client, { message, id: invite.id, dialogId: invite.dialogId, party });
};

/** Handles an in-dialog request. Returns false if it has no dialog. */
const takeInside = (core: Core, message: SipMessage, party: SipParty): boolean => {
  const dialog = core.dialogs.dialogOf(message);
  if (dialog === undefined) return false;
  // The far end's BYE ends the dialog even without a connected client.
  if (methodOf(message) === 'BYE') core.dialogs.dialogs.delete(dialog.id);
  if (!core.isThere(dialog.client)) {
    party.hear(responseTo(message, 481, { tag: tagOf(dialog.own) ?? newTag() }));
    return true;
  }
  const incoming: Incoming<Client> = {
    id: crypto.randomUUID(),
    request: message,
    party,
    client: dialog.client,
    dialogId: dialog.id,
    tag: tagOf(dialog.own) ?? '',
    state: 'open',
  };
  core.dialogs.incoming.set(incoming.id, incoming);
  tellReceived(dialog.client, { message, id: incoming.id, dialogId: dialog.id, party });
  return true;
};

const endsWithoutCall: ReadonlySet<string> = new Set(['INVITE', 'BYE', 'UPDATE']);

const takeNew = (core: Core, message: SipMessage, party: SipParty): void => {
  const method = methodOf(message);
  const refuse = (status: number): void => party.hear(responseTo(message, status, { tag: newTag() }));
  if (method === 'INVITE') party.hear(responseTo(message, 100));
  const isOfACall = tagOf(mustHave(message, 'To')) !== undefined;
  if (isOfACall && endsWithoutCall.has(method)) return refuse(481);
  const client = core.clientFor(method);
  if (client === undefined) return refuse(503);
  const id = crypto.randomUUID();
  const dialogId = dialogIdOf(message);
  core.dialogs.incoming.set(id, {
    id,
    request: message,
    party,
    client,
    dialogId,
    tag: newTag(),
    state: 'open',
  });
  return tellNewRequest(client, { message, id, party, address: core.address });
};

export const takeFromNetwork = (core: Core, message: SipMessage, party: SipParty): void => {
  if (statusOf(message) !== undefined) return takeResponse(core, message, party);
  if (methodOf(message) === 'ACK') return takeAck(core, message, party);
  if (methodOf(message) === 'CANCEL') return takeCancel(core, message, party);
  if (!takeInside(core, message, party)) takeNew(core, message, party);
  return undefined;
};
