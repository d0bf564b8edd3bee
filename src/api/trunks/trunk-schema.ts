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
} from '#src/domain/trunk.ts';
import { addressName } from '#src/domain/trunk-addresses.ts';
import type { Decoded } from '../codec.ts';
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
    description: 'Null: as DNS says (SRV), else 5060, or 5061 for tls.',
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
    .refine(areDifferent, { error: 'An address stands here twice.' })
    .meta({
      description:
        'Where calls and OPTIONS go in place of `host` and `port`, which stay the registrar and the domain: the lowest `priority` first, among equals by `weight`. One that is `drained` gets no new calls. Empty: `host` alone.',
      example: [{ host: 'sip1.example.com', port: 5060, priority: 10, weight: 10, drained: false }],
    }),
  username: username
    .nullable()
    .meta({ description: 'For digest authentication and registration.', example: '07012345678' }),
  register: z.boolean().meta({ description: 'Whether the gateway registers at the trunk.' }),
  realm: realm.nullable().meta({ description: 'What callers are challenged with; null for `trunkline`.' }),
  from_domain: host.nullable().meta({ description: "Behind the number in From; null for the trunk's host." }),
  number_format: z
    .enum(numberFormats)
    .meta({ description: '`01012345678`, `+821012345678` or `821012345678`.' }),
  caller_id: z.enum(callerIdHeaders).meta({
    description:
      'The header that carries the number. With another one than `from`, From carries the user name.',
  }),
  privacy: z
    .boolean()
    .meta({ description: 'Whether the called party is not to see the number.', example: false }),
  codecs: z
    .array(z.enum(trunkCodecs))
    .min(1)
    .refine((codecs) => new Set(codecs).size === codecs.length, { error: 'A codec stands here twice.' })
    .nullable()
    .meta({
      description:
        'Offered and taken in this order; null for PCMU and PCMA. G722 and opus need FreeSWITCH, with mod_spandsp and mod_opus.',
      example: ['G722', 'PCMU'],
    }),
  srtp: z.enum(trunkSrtp).meta({
    description:
      '`required`: sound is encrypted (SRTP, AES_CM_128_HMAC_SHA1_80), or the call is refused. `optional`: it is encrypted where the other side does so, too (RFC 8643); FreeSWITCH offers it in clear, and takes encrypted offers. The keys travel in SIP (RFC 4568): use it with the transport `tls`.',
  }),
  media: z.enum(trunkMedia).meta({
    description:
      'Who carries the sound: `freeswitch`; `direct`, the gateway itself by RTP or SRTP, PCMU and PCMA, which costs a fraction of the processor time; `auto`, the gateway itself where that can be, else FreeSWITCH. What cannot be carried so is refused with 488.',
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
        'Of the numbers that it serves, in E.164. The longest prefix that fits goes first, before any priority; trunks without prefixes serve all numbers, behind it.',
      example: ['+8210', '+822'],
    }),
  priority: z.int().min(0).max(65_535).meta({ description: 'The lowest goes first.', example: 10 }),
  weight: z.int().min(0).max(65_535).meta({
    description: 'The share of calls among trunks of the same priority.',
    example: 10,
  }),
  max_channels: limit(100_000, 'Calls at once in both directions; null for no limit.'),
  calls_per_second: limit(1_000, 'New outbound calls a second; null for no limit.'),
  failover_statuses: z
    .array(
      z
        .string()
        .regex(/^[3-6](?:\d\d|xx)$/, { error: 'This is no final status from 300 on, such as 403 or 5xx.' }),
    )
    .max(50)
    .meta({
      description:
        'Final statuses after which a call that no telephone has rung for goes on to the next trunk; `5xx` is a whole class. A network that says more (`Reason`) is believed before the status. A `Retry-After` with one of them leaves the trunk alone until then, an hour at most.',
      example: [...usualFailoverStatuses],
    }),
  redirects: z.enum(trunkRedirects).meta({
    description:
      'Whether a call follows a redirect (302 and the like): to no other place, to the hosts of the trunk alone, or to any. The order is that of `q`; five redirects a call at most, none twice; the number that stands there must be one that may be called.',
  }),
  refer: z.boolean().meta({
    description:
      'Whether a cold transfer of a call on this trunk is a REFER: the trunk calls the person itself, and the call ends here once they are connected. A trunk that refuses REFER has its calls transferred as any other.',
    example: false,
  }),
  accept_refer: z.boolean().meta({
    description:
      'Whether a REFER of the other party in a call is done, as a transfer to the number that it names and only where `transfer_to` of the number allows that. It is declined (603) otherwise.',
    example: false,
  }),
  inbound_addresses: z
    .array(addressBlock)
    .max(100)
    .meta({
      description: 'Where its calls come from: addresses and CIDR blocks.',
      example: ['203.0.113.0/24'],
    }),
  inbound_auth: z.enum(['none', 'digest']).meta({
    description:
      '`digest`: callers prove that they know user name and password, from the addresses above or, where there are none, from any.',
  }),
  headers_in: headerNames.meta({
    description:
      'Headers that are taken from the INVITE of a caller and stand in `sip.headers` of the call and its events; names begin with `X-`, and small letters are as good as capitals. One of more than 255 bytes, or with control characters, is left out.',
    example: ['X-Ticket'],
  }),
  headers_out: headerNames.meta({
    description:
      'Headers that a call may have in its INVITE (`sip_headers` of `createCall`). A call with headers goes by trunks alone that name all of them.',
    example: ['X-Ticket'],
  }),
  health_check: z.boolean().meta({
    description:
      'Whether OPTIONS asks the trunk if it is there. Switch it off for a trunk that never answers.',
  }),
  drained: z.boolean().meta({
    description:
      'No new call goes out, and one that comes in gets 503; those that stand go on, and the trunk stays registered.',
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
        'On the gateway that answers. `registering`, `registered`, `unregistered` for a trunk that registers, `ready` for one that does not; `unreachable`: OPTIONS is not answered; `resting`: it has asked to be left alone; `draining`, `drained`: it takes no new calls, and some still stand, or none; `unused`: the lines are simulated.',
      example: 'registered',
    }),
    detail: z.string().nullable().meta({ description: 'Why it is so, where there is something to say.' }),
    last_seen_at: timestamp.nullable().meta({ description: 'When it last answered.' }),
    rests_until: timestamp.nullable().meta({
      description: 'No call goes there until then (`Retry-After`). A change of its settings ends it.',
    }),
    channels_in_use: z
      .int()
      .meta({ description: 'Calls that go this way now, in both directions.', example: 3 }),
    address_states: z
      .array(
        z.object({
          address: z.string().meta({ example: 'sip1.example.com:5060' }),
          state: z.enum(trunkStates),
          detail: z.string().nullable(),
          last_seen_at: timestamp.nullable(),
          rests_until: timestamp.nullable(),
          channels_in_use: z.int().meta({ description: 'Calls that went out there.' }),
        }),
      )
      .meta({ description: 'Of each of its `addresses`, on the gateway that answers.', example: [] }),
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
  { trunkStatus }: Pick<ApiServices, 'trunkStatus'>,
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
