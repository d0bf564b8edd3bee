/**
 * A request outside of dialogs that was challenged goes out again: the same Call-ID and From, the next CSeq, and the
 * credentials (RFC 3261 section 22.2).
 */
import { isIP } from 'node:net';
import type Srf from 'drachtio-srf';
import type { Authorizing } from '../digest/digest-client.ts';
import { hostInUri } from '#src/domain/trunk-addresses.ts';

export type Repetition = {
  headers: Record<string, string>;
  /** Where it goes, when the URI does not say that with certainty. */
  proxy?: string;
};

/**
 * A name may stand for several servers, and a nonce is good for the one that gave it: the repetition goes to the address
 * that answered.
 */
const serverOf = (uri: string, response: Srf.SrfResponse): Pick<Repetition, 'proxy'> => {
  const [, host = '', parameters = ''] =
    /^sips?:(?:[^@]*@)?(\[[^\]]*\]|[^:;?]*)(?::\d*)?([^?]*)/i.exec(uri) ?? [];
  if (isIP(host.replaceAll(/[[\]]/g, '')) !== 0) return {};
  const [transport = ''] = /;transport=[^;]*/i.exec(parameters) ?? [];
  const { source_address: address, source_port: port } = response;
  return { proxy: `sip:${hostInUri(address)}:${port}${transport}` };
};

/** `null` where the response is no challenge, or one that is not answered (any more). */
export const repetitionAfter = (
  response: Srf.SrfResponse,
  sent: Srf.SrfRequest,
  authorizing: Authorizing,
): Repetition | null => {
  const credentials = authorizing.answer(response, { method: sent.method, uri: sent.uri });
  if (credentials === null) return null;
  const sequence = Number.parseInt(sent.get('CSeq'), 10) + 1;
  return {
    headers: {
      'Call-ID': sent.get('Call-ID'),
      From: sent.get('From'),
      CSeq: `${sequence} ${sent.method}`,
      ...credentials,
    },
    ...serverOf(sent.uri, response),
  };
};
