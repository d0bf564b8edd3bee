/**
 * Fetches recordings from the folder of another gateway, which `recording-handler.ts` serves. Recordings are streamed
 * and never held in memory as a whole.
 */
import type { Readable } from 'node:stream';
import type { Dispatcher } from 'undici';
import { z } from 'zod';
import { openLate } from '#src/domain/open-late.ts';
import type { OpenRecording } from '#src/domain/open-recording.ts';
import { Refusal } from '#src/domain/refusal.ts';
import type { Database } from '#src/persistence/database/database.ts';
import { addressOfNode } from '#src/persistence/nodes/nodes.ts';
import { proofOf, type NodeKeys } from './node-proof.ts';
import { recordingsPath } from './recording-handler.ts';

export type FetchLimits = {
  connectMs: number;
  /** Time without a byte after which a request has failed. */
  stallMs: number;
  /** Maximum number of connections to one gateway. */
  connections: number;
};

export type RecordingFetcher = {
  /**
   * Resolves to `undefined` if the other gateway does not have the file. Rejects with `service_unavailable` if the
   * gateway cannot be reached, also while the file is read.
   */
  open(node: string, file: string): Promise<OpenRecording<Readable> | undefined>;
  /** Names of the raw parts of a call in the folder of another gateway; refuses like `open`. */
  listParts(node: string, callId: string): Promise<string[]>;
  openPart(node: string, name: string): Promise<OpenRecording<Readable> | undefined>;
  close(): Promise<void>;
};

const partNames = z.array(z.string());

const unavailable = (detail: string, cause?: unknown): Refusal =>
  new Refusal('service_unavailable', detail, { headers: { 'Retry-After': '10' }, cause });

const silent = 'The gateway that keeps this recording cannot be reached right now. Try again in a moment.';
const otherTime =
  'The clock of the gateway that keeps this recording shows another time than the clock of this one. Set both right.';
const unknown = 'The gateway that keeps this recording tells nobody where it is (GW_NODE_URL). Ask that one.';

export const createRecordingFetcher = (options: {
  database: Database;
  keys: NodeKeys;
  limits: FetchLimits;
  /** Dispatcher of the requests; `null` for connections to the other gateways. */
  openDispatcher: (() => Dispatcher) | null;
  now: () => number;
}): RecordingFetcher => {
  const { database, keys, limits, now } = options;
  const openAgent = async (): Promise<Dispatcher> => {
    // Imported late, because calls of a dead process wait for the modules of the start.
    const { Agent } = await import('undici');
    return new Agent({
      connect: { timeout: limits.connectMs },
      connections: limits.connections,
      headersTimeout: limits.stallMs,
      bodyTimeout: limits.stallMs,
    });
  };
  const { openDispatcher } = options;
  const dispatchers = openLate(
    openDispatcher === null ? openAgent : async () => openDispatcher(),
    (dispatcher) => dispatcher.destroy(),
  );

  const ask = async (address: string, file: string, method: 'GET' | 'HEAD', range?: string) => {
    const url = new URL(`${recordingsPath}${file}`, address);
    const authorization = proofOf({ method, path: url.pathname, range }, keys, now());
    try {
      const dispatcher = await dispatchers.get();
      return await dispatcher.request({
        origin: url.origin,
        path: url.pathname,
        method,
        headers: { authorization, ...(range === undefined ? {} : { range }) },
      });
    } catch (cause) {
      throw unavailable(silent, cause);
    }
  };

  const addressFor = async (node: string): Promise<string> => {
    const address = await addressOfNode(database, node);
    if (address === null) throw unavailable(unknown);
    return address;
  };

  const open: RecordingFetcher['open'] = async (node, file) => {
    const address = await addressFor(node);
    const { statusCode, headers, body } = await ask(address, file, 'HEAD');
    await body.dump();
    if (statusCode === 404) return undefined;
    if (statusCode === 403) throw unavailable(otherTime);
    const bytes = Number(headers['content-length']);
    if (statusCode !== 200 || !Number.isSafeInteger(bytes)) throw unavailable(silent);
    return {
      bytes,
      async read(range) {
        const wanted = range && `bytes=${range.start}-${range.end}`;
        const answer = await ask(address, file, 'GET', wanted);
        if (answer.statusCode === (range === undefined ? 200 : 206)) return answer.body;
        await answer.body.dump();
        throw unavailable(silent);
      },
      close: () => Promise.resolve(),
    };
  };

  return {
    open,
    async listParts(node, callId) {
      const { statusCode, body } = await ask(await addressFor(node), `parts/${callId}`, 'GET');
      if (statusCode !== 200) {
        await body.dump();
        throw unavailable(statusCode === 403 ? otherTime : silent);
      }
      return partNames.parse(await body.json());
    },
    openPart: (node, name) => open(node, `parts/${name}`),
    close: dispatchers.close,
  };
};
