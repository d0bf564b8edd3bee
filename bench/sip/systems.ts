/**
 * The two systems that answer calls: a gateway with its relay, and the minimal server. The two systems run one at a
 * time, because both use the same two servers.
 */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import type { SipServers } from '#test/real-sip/sip-servers.ts';
import { makeDataFolder } from '../data-folder.ts';
import { gatewayProgram } from '../gateway-process.ts';
import { startProgram, type Program } from '../program.ts';
import { collecting } from '../read-memory.ts';

export type System = {
  pid: number;
  url: string;
  /** The called number. */
  number: string;
  end(): Promise<void>;
};

export type StartSystem<Started extends System = System> = (
  started: AsyncDisposableStack,
) => Promise<Started>;

export type GatewaySystem = System & {
  /** Headers of a request with the number's key and a JSON body. */
  headers: Readonly<Record<string, string>>;
};

/** Settings of the gateway by the carrier of the audio. */
export const carriers: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'with FreeSWITCH': {},
  'itself (direct)': { GW_TRUNK_MEDIA: 'direct' },
};

const credentials = z.object({
  number: z.string(),
  number_id: z.string(),
  number_key: z.string(),
  admin_token: z.string(),
});
const json = { 'content-type': 'application/json' };

export const bareSystem =
  ({ drachtio, freeSwitch }: SipServers): StartSystem =>
  async (started) => {
    const program = await startProgram(started, {
      file: 'bench/sip/bare-media.ts',
      parameters: (port) => ({
        arguments: [
          String(port),
          ...[drachtio, freeSwitch].map(({ host, port: at, secret }) => `${host}:${at}:${secret}`),
        ],
      }),
      readyPath: '/',
    });
    return { ...program, number: '07000000000' };
  };

/** The relay between drachtio-server and a gateway, as in the usual set-up. */
const startRelay = async (
  started: AsyncDisposableStack,
  { host, port, secret }: SipServers['drachtio'],
): Promise<Program> =>
  startProgram(started, {
    file: 'src/commands/relay.ts',
    parameters: (ownPort) => ({
      environment: {
        GW_RELAY: `127.0.0.1:${ownPort}`,
        GW_DRACHTIO: `${host}:${port}`,
        GW_DRACHTIO_SECRET: secret,
      },
    }),
    readyPath: null,
  });

/** A gateway with a relay. `trunkPort` is the source and destination port of calls. */
export const gatewaySystem =
  (
    { drachtio, freeSwitch }: SipServers,
    trunkPort: number,
    settings: Readonly<Record<string, string>> = {},
    isRecorded = false,
  ): StartSystem<GatewaySystem> =>
  async (started) => {
    const dataFolder = makeDataFolder(started);
    const relay = await startRelay(started, drachtio);
    const program = await startProgram(started, {
      ...gatewayProgram(dataFolder, {
        GW_LINES: 'drachtio',
        GW_DRACHTIO: `${drachtio.host}:${drachtio.port}`,
        GW_RELAY: new URL(relay.url).host,
        GW_DRACHTIO_SECRET: drachtio.secret,
        GW_FREESWITCH: `${freeSwitch.host}:${freeSwitch.port}`,
        GW_FREESWITCH_SECRET: freeSwitch.secret,
        GW_TRUNK: `127.0.0.1:${trunkPort}`,
        GW_SYNTHESIZERS: 'espeak-ng',
        ...settings,
      }),
      nodeArguments: collecting,
    });
    const known = credentials.parse(
      JSON.parse(await readFile(join(dataFolder, 'dev-credentials.json'), 'utf8')),
    );
    const response = await fetch(`${program.url}/api/v1/admin/numbers/${known.number_id}`, {
      method: 'PATCH',
      headers: { ...json, authorization: `Bearer ${known.admin_token}` },
      body: JSON.stringify({ max_concurrent_calls: 1_000, recording_enabled: isRecorded }),
    });
    if (!response.ok) throw new Error(`The number could not be prepared: ${await response.text()}`);
    return {
      ...program,
      end: async () => {
        await program.end();
        // With a connection to drachtio-server it would receive calls of the next system.
        await relay.end();
      },
      number: known.number,
      headers: { ...json, authorization: `Bearer ${known.number_key}` },
    };
  };
