/**
 * Settings of the servers that carry real calls. These servers are started beside the gateway by `npm run servers`,
 * compose.yaml or an init system, always by the scripts in config/drachtio and config/freeswitch (see
 * config/README.md).
 */
import { isIP } from 'node:net';
import { z } from 'zod';
import { shortestParkSec } from './cluster-policy.ts';
import { wholeNumber } from './setting-forms.ts';

const port = wholeNumber(1, 65_535);
const ipv4 = z.ipv4('must be an IPv4 address');

export const serverSettings = z.object({
  GW_SIP_ADDRESS: z
    .string()
    .refine((text) => isIP(text) !== 0, 'must be an IP address')
    .default('127.0.0.1'),
  GW_SIP_PORT: port.default(5060),
  GW_PUBLIC_ADDRESS: ipv4.optional(),
  GW_SIP_TLS_PORT: port.default(5061),
  GW_SIP_TLS_KEY_FILE: z.string().optional(),
  GW_SIP_TLS_CERT_FILE: z.string().optional(),
  GW_SIP_TLS_CHAIN_FILE: z.string().optional(),
  GW_FREESWITCH_SIP_PORT: port.default(5080),
  GW_FREESWITCH_CLIENTS: z.cidrv4('must be an address block such as 10.0.0.0/8').default('127.0.0.1/32'),
  GW_FREESWITCH_PARK_SEC: wholeNumber(shortestParkSec, 3_600).default(shortestParkSec),
  GW_FREESWITCH_RTP_FROM: port.default(25_000),
  GW_FREESWITCH_RTP_TO: port.default(29_000),
});
