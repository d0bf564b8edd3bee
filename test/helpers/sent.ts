/** A raw HTTP response: no decompression, and no headers added to the request. */
import { once } from 'node:events';
import { request, type IncomingHttpHeaders, type IncomingMessage } from 'node:http';
import { buffer } from 'node:stream/consumers';

export type Sent = { status: number | undefined; headers: IncomingHttpHeaders; body: Buffer };

export const sent = async (url: string, headers: Record<string, string> = {}): Promise<Sent> => {
  const asked = request(url, { headers, agent: false });
  const answered: Promise<IncomingMessage[]> = once(asked, 'response');
  asked.end();
  const [response] = await answered;
  if (response === undefined) throw new Error(`${url} was not answered.`);
  return { status: response.statusCode, headers: response.headers, body: await buffer(response) };
};
