import { defineEntity, p } from '@mikro-orm/core';
import {
  callerIdHeaders,
  numberFormats,
  trunkMedia,
  trunkRedirects,
  trunkSrtp,
  trunkTransports,
  usualFailoverStatuses,
  type TrunkAddress,
  type TrunkCodec,
} from '#src/domain/trunk.ts';
import { Workspace } from './workspace.ts';

/** A SIP trunk of a workspace; see `TrunkSettings` for what its columns mean. */
export const TrunkRow = defineEntity({
  name: 'TrunkRow',
  tableName: 'trunk',
  properties: {
    id: p.uuid().primary(),
    workspaceId: () => p.manyToOne(Workspace).mapToPk().fieldName('workspace_id'),
    name: p.text(),
    host: p.text(),
    port: p.integer().nullable(),
    transport: p.enum([...trunkTransports]),
    addresses: p.json().$type<TrunkAddress[]>().default('[]'),
    username: p.text().nullable(),
    /** Sealed about the trunk's id. */
    passwordSealed: p.text().nullable(),
    register: p.boolean(),
    realm: p.text().nullable(),
    fromDomain: p.text().nullable(),
    numberFormat: p.enum([...numberFormats]),
    callerId: p.enum([...callerIdHeaders]),
    privacy: p.boolean(),
    codecs: p.array().$type<TrunkCodec[]>().nullable(),
    srtp: p.enum([...trunkSrtp]).default('off'),
    media: p.enum([...trunkMedia]).default('freeswitch'),
    prefixes: p.array().default([]),
    priority: p.integer(),
    weight: p.integer(),
    maxChannels: p.integer().nullable(),
    callsPerSecond: p.integer().nullable(),
    failoverStatuses: p.array().default([...usualFailoverStatuses]),
    redirects: p.enum([...trunkRedirects]).default('refused'),
    inboundAddresses: p.array(),
    inboundAuth: p.enum(['none', 'digest']),
    healthCheck: p.boolean(),
    drained: p.boolean().default(false),
    enabled: p.boolean(),
    createdAt: p.datetime(3),
  },
  uniques: [{ properties: ['workspaceId', 'name'] }],
});
