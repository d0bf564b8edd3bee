/** A trunk in the admin API (guides/design/administration.md, "Trunks"). */
import * as z from 'zod';
import type { TrunkRecord } from '#src/administration/administer-trunks.ts';
import {
  callerIdHeaders,
  numberFormats,
  trunkDefaults,
  trunkCodecs,
  trunkMedia,
  trunkRedirects,
  trunkSrtp,
  trunkStates,
  trunkTransports,
  usualFailoverStatuses,
  type TrunkPartStatus,
  addressName,
} from '#src/domain/trunk.ts';
import type { Decoded } from '../http/codec.ts';
import { text, timestamp } from '../fields.ts';
import { idInPath } from '../ids.ts';
import { headerNames } from '../sip-headers-field.ts';
import type { ApiServices } from '../api-services.ts';
import { addressBlock, host, password, realm, username } from './sip-fields.ts';

export const trunkInPath = z.object({ id: idInPath('The trunk.') });

const limit = (highest: number, description: string) =>
  z.int().min(1).max(highest).nullable().meta({ description, example: 20 });

const areDifferent = (addresses: readonly { host: string; port: number | null }[]): boolean =>
  new Set(addresses.map((one) => addressName(one))).size === addresses.length;

/** Every setting of a trunk except its password. */
export const trunkFields = {
  name: text(64)
    .regex(/^[\p{L}\p{N}](?:[\p{L}\p{N} ._-]*[\p{L}\p{N}])?$/u, {
      error: 'A name is made of letters, digits, spaces, dots, hyphens and underscores.',
    })
    .meta({ description: 'Unique in the workspace.', example: 'carrier' }),
  host: host.meta({ description: 'A host name or an IP address.', example: 'sip.example.com' }),
  port: z.int().min(1).max(65_535).nullable().meta({
    description: 'Null: from DNS (SRV), else 5060, or 5061 for tls.',
    example: null,
  }),
  transport: z.enum(trunkTransports),
  addresses: z
    .array(
      z.strictObject({
        host,
        port: z.int().min(1).max(65_535).nullable().default(null),
        priority: z.int().min(0).max(65_535).default(trunkDefaults.priority),
        weight: z.int().min(0).max(65_535).default(trunkDefaults.weight),
        drained: z.boolean().default(false),
      }),
    )
    .max(20)
    .refine(areDifferent, { error: 'An address is listed twice.' })
    .meta({
      description:
        'Hosts for calls and OPTIONS instead of `host` and `port`, which remain the registrar and the domain: the lowest `priority` first, equal ones by `weight`. A `drained` one gets no new calls. Empty: only `host`.',
      example: [{ host: 'sip1.example.com', port: 5060, priority: 10, weight: 10, drained: false }],
    }),
  username: username
    .nullable()
    .meta({ description: 'For digest authentication and registration.', example: '07012345678' }),
  register: z.boolean().meta({ description: 'Whether the gateway registers with the trunk.' }),
  realm: realm.nullable().meta({ description: 'The realm of challenges to callers; null for `trunkline`.' }),
  from_domain: host.nullable().meta({ description: "The domain in From; null for the trunk's host." }),
  number_format: z
    .enum(numberFormats)
    .meta({ description: '`01012345678`, `+821012345678` or `821012345678`.' }),
  caller_id: z.enum(callerIdHeaders).meta({
    description: "The header with the caller's number. For all but `from`, From has the user name.",
  }),
  privacy: z
    .boolean()
    .meta({ description: "Whether the caller's number is withheld from the called party.", example: false }),
  codecs: z
    .array(z.enum(trunkCodecs))
    .min(1)
    .refine((codecs) => new Set(codecs).size === codecs.length, { error: 'A codec is listed twice.' })
    .nullable()
    .meta({
      description:
        'Offered and accepted in this order; null for PCMU and PCMA. G722 and opus need FreeSWITCH, with mod_spandsp and mod_opus.',
      example: ['G722', 'PCMU'],
    }),
  srtp: z.enum(trunkSrtp).meta({
    description:
      '`required`: audio is encrypted (SRTP, AES_CM_128_HMAC_SHA1_80), or the call is refused. `optional`: it is encrypted if the other side supports it (RFC 8643); FreeSWITCH offers it unencrypted, and accepts encrypted offers. The keys are in the SIP messages (RFC 4568): use the transport `tls`.',
  }),
  media: z.enum(trunkMedia).meta({
    description:
      "Carrier of a call's audio, decided once when the call is set up: `freeswitch`; `direct`, the gateway itself by RTP or SRTP with PCMU and PCMA, at a fraction of the processor time; `auto`, the gateway itself where possible, else FreeSWITCH. An offer that the carrier does not support gets 488, also within a call, which then stays as it was.",
  }),
  prefixes: z
    .array(
      z
        .string()
        .regex(/^\+[1-9]\d{0,14}$/, { error: 'A prefix begins with + and the country code, such as +8210.' }),
    )
    .max(500)
    .meta({
      description:
        'Prefixes of the numbers that it serves, in E.164. The longest match wins over any priority; trunks without prefixes serve all numbers, after it.',
      example: ['+8210', '+822'],
    }),
  priority: z.int().min(0).max(65_535).meta({ description: 'The lowest is used first.', example: 10 }),
  weight: z.int().min(0).max(65_535).meta({
    description: 'The share of calls among trunks of the same priority.',
    example: 10,
  }),
  max_channels: limit(100_000, 'Concurrent calls in both directions; null for no limit.'),
  calls_per_second: limit(1_000, 'New outbound calls per second; null for no limit.'),
  failover_statuses: z
    .array(
      z
        .string()
        .regex(/^[3-6](?:\d\d|xx)$/, { error: 'This is no final status from 300 on, such as 403 or 5xx.' }),
    )
    .max(50)
    .meta({
      description:
        'Final statuses after which an unanswered call moves to the next trunk, unless a telephone has rung; `5xx` is a whole class. A `Reason` of the network takes precedence over the status. A `Retry-After` with one of them stops calls to the trunk until then, for an hour at most.',
      example: [...usualFailoverStatuses],
    }),
  redirects: z.enum(trunkRedirects).meta({
    description:
      'Whether calls follow redirects (302 and others): never, only to hosts of the trunk, or anywhere. In order of `q`; at most five for each trunk of a call, each target once; the new number must be allowed.',
  }),
  refer: z.boolean().meta({
    description:
      'Whether a cold transfer of a call on this trunk is a REFER: the trunk calls the person itself, and the call ends here after they are connected. If a trunk refuses REFER, the gateway calls the person.',
    example: false,
  }),
  accept_refer: z.boolean().meta({
    description:
      'Whether a REFER of the other party is accepted, as a transfer to the number that it names, if `transfer_to` of the number allows it. It is declined (603) otherwise.',
    example: false,
  }),
  inbound_addresses: z
    .array(addressBlock)
    .max(100)
    .meta({
      description: 'Source addresses of its calls: addresses and CIDR blocks.',
      example: ['203.0.113.0/24'],
    }),
  inbound_auth: z.enum(['none', 'digest']).meta({
    description:
      '`digest`: callers authenticate with user name and password, from the addresses above or, without any, from all.',
  }),
  headers_in: headerNames.meta({
    description:
      "Headers accepted from a caller's INVITE, stored in `sip.headers` of the call and its events; names begin with `X-` and are case-insensitive. Values of more than 255 bytes, or with control characters, are dropped.",
    example: ['X-Ticket'],
  }),
  headers_out: headerNames.meta({
    description:
      'Headers that a call may have in its INVITE (`sip_headers` of `createCall`). A call with headers uses only trunks that list all of them.',
    example: ['X-Ticket'],
  }),
  health_check: z.boolean().meta({
    description: "Whether OPTIONS checks the trunk's health. Disable it for a trunk that never answers.",
  }),
  drained: z.boolean().meta({
    description:
      'Stops new calls: none are sent, and inbound ones get 503. Active calls continue, and the trunk stays registered.',
    example: false,
  }),
  enabled: z.boolean(),
};

export const passwordField = password.nullable().meta({
  description: 'Never shown again. Absent keeps the stored one; null removes it.',
});

export const trunk = z
  .object({
    id: z.uuid(),
    ...trunkFields,
    password_configured: z.boolean(),
    state: z.enum(trunkStates).meta({
      description:
        'At the responding gateway. `registering`, `registered`, `unregistered` for a trunk that registers, `ready` for one that does not; `unreachable`: OPTIONS is not answered; `resting`: it asked for a pause; `draining`, `drained`: it takes no new calls, and some are still active, or none; `unused`: the lines are simulated.',
      example: 'registered',
    }),
    detail: z.string().nullable().meta({ description: 'The reason, if there is one.' }),
    last_seen_at: timestamp.nullable().meta({ description: 'Its last answer.' }),
    rests_until: timestamp.nullable().meta({
      description: 'No calls until then (`Retry-After`). A change of its settings ends it.',
    }),
    channels_in_use: z.int().meta({ description: 'Its current calls, in both directions.', example: 3 }),
    address_states: z
      .array(
        z.object({
          address: z.string().meta({ example: 'sip1.example.com:5060' }),
          state: z.enum(trunkStates),
          detail: z.string().nullable(),
          last_seen_at: timestamp.nullable(),
          rests_until: timestamp.nullable(),
          channels_in_use: z.int().meta({ description: 'Outbound calls on it.' }),
        }),
      )
      .meta({ description: 'The state of each of its `addresses`, at the responding gateway.', example: [] }),
    created_at: timestamp,
  })
  .meta({ id: 'Trunk' });

const dateOf = (at: number | null): Date | null => (at === null ? null : new Date(at));

const presentPart = ({ state, detail, lastSeenAt, restsUntil, channels }: TrunkPartStatus) => ({
  state,
  detail,
  lastSeenAt: dateOf(lastSeenAt),
  restsUntil: dateOf(restsUntil),
  channelsInUse: channels,
});

/** Adds the trunk's state on this gateway. */
export const presentTrunk = (
  { directory: { trunkStatus } }: ApiServices,
  record: TrunkRecord,
): Decoded<z.output<typeof trunk>> => {
  const { addresses, ...status } = trunkStatus(record);
  return {
    ...record,
    ...presentPart(status),
    addressStates: addresses.map(({ address, ...part }) => ({ address, ...presentPart(part) })),
    passwordConfigured: record.passwordSealed !== null,
  };
};
