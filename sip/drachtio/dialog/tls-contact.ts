/**
 * The Contact of dialogs over TLS. drachtio-server writes a SIPS URI, which RFC 3261 (sections 8.1.1.8 and 12.1.1)
 * requires only if the INVITE is addressed to one. A far end that knows only SIP URIs sends no request in such a dialog:
 * no BYE, no hold (baresip).
 */
import type Srf from 'drachtio-srf';

type ContactHeader = { Contact?: string };

/** drachtio-server replaces `localhost` by its address, which must follow a user. */
const contact: ContactHeader = { Contact: '<sip:trunkline@localhost;transport=tls>' };

/** Contact of an INVITE to this URI; drachtio-server adds its own if there is none. */
export const contactOfInvite = (uri: string): ContactHeader =>
  /^sip:[^?]*;transport=tls(?:[;?]|$)/i.test(uri) ? contact : {};

/** Contact of the answer to an INVITE; drachtio-server adds its own if there is none. */
export const contactOfAnswer = ({ uri, protocol }: Pick<Srf.SrfRequest, 'uri' | 'protocol'>): ContactHeader =>
  protocol === 'tls' && /^sip:/i.test(uri) ? contact : {};

/** Contact of a response in a dialog, which must not replace the Contact of the dialog by that of drachtio-server. */
export const contactInDialog = ({ local }: Srf.Dialog): ContactHeader => {
  const own: unknown = Reflect.get(local, 'contact');
  return typeof own === 'string' && /;transport=tls/i.test(own) ? { Contact: own } : {};
};
