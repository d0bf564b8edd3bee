/**
 * Repeats a challenged request outside of dialogs with the same Call-ID and From, the next CSeq, and credentials (RFC
 * 3261 section 22.2).
 */
import { isIP } from 'node:net';
import type Srf from 'drachtio-srf';
import type { Authorizing } from '../digest/digest-client.ts';
import { hostInUri } from '#src/domain/trunk.ts';

export type Repetition = {
  headers: Record<string, string>;
  /** Target address, if the URI does not determine it. */
  proxy?: string;
};

/**
 * Returns the address that responded, to which the repetition is sent, because a name may resolve to several servers,
 * and a nonce is valid only for the server that issued it.
 */
const serverOf = (uri: string, response: Srf.SrfResponse): Pick<Repetition, 'proxy'> => {
  const [, host = '', parameters = ''] =
    /^sips?:(?:[^@]*@)?(\[[^\]]*\]|[^:;?]*)(?::\d*)?([^?]*)/i.exec(uri) ?? [];
  if (isIP(host.replaceAll(/[[\]]/g, '')) !== 0) return {};
  const [transport = ''] = /;transport=[^;]*/i.exec(parameters) ?? [];
  const { source_address: address, source_port: port } = response;
  return { proxy: `sip:${hostInUri(address)}:${port}${transport}` };
};

/** Returns the repetition; `null` if the response is not a challenge, or the challenge cannot be answered again. */
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
