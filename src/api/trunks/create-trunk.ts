import { randomUUID } from 'node:crypto';
import * as z from 'zod';
import { createTrunk as storeTrunk } from '#src/persistence/trunks.ts';
import { audit } from '../audit.ts';
import { defineRoute } from '../route.ts';
import { passwordField, presentTrunk, trunk, trunkFields } from './trunk-schema.ts';
import { nameTaken, requirePossible } from './trunk-settings.ts';

const { name, host, ...others } = trunkFields;

export const createTrunk = defineRoute({
  method: 'post',
  path: '/api/v1/admin/trunks',
  operationId: 'createTrunk',
  tag: 'Trunks',
  summary: 'Add a trunk',
  description:
    'Outbound calls of the workspace go to its enabled trunks: the lowest priority first, then by weight; to the next when one fails or is full, never because the callee is busy.',
  auth: 'admin',
  body: z
    .strictObject({ ...others, password: passwordField })
    .partial()
    .extend({ name, host })
    .meta({
      example: {
        name: 'carrier',
        host: 'sip.example.com',
        transport: 'tls',
        username: '07012345678',
        password: 'password-of-the-trunk',
        register: true,
      },
    }),
  responses: { 201: { description: 'The trunk.', schema: trunk } },
  refusals: [],
}).handledBy(async ({ caller, body }, services) => {
  const { id: workspaceId, timeZone } = caller.workspace;
  const id = randomUUID();
  const password = body.password ?? null;
  const wanted = {
    id,
    workspaceId,
    name: body.name,
    host: body.host,
    port: body.port ?? null,
    transport: body.transport ?? 'udp',
    username: body.username ?? null,
    passwordSealed: password === null ? null : services.sealing.seal(password, id),
    register: body.register ?? false,
    realm: body.realm ?? null,
    fromDomain: body.from_domain ?? null,
    numberFormat: body.number_format ?? 'domestic',
    callerId: body.caller_id ?? 'from',
    privacy: body.privacy ?? false,
    codecs: body.codecs ?? null,
    srtp: body.srtp ?? 'off',
    priority: body.priority ?? 10,
    weight: body.weight ?? 10,
    maxChannels: body.max_channels ?? null,
    callsPerSecond: body.calls_per_second ?? null,
    inboundAddresses: body.inbound_addresses ?? [],
    inboundAuth: body.inbound_auth ?? 'none',
    healthCheck: body.health_check ?? true,
    enabled: body.enabled ?? true,
    createdAt: new Date(services.clock.now()),
  } as const;
  requirePossible(wanted, password !== null);
  const created = await storeTrunk(services.database, wanted);
  if (created === undefined) throw nameTaken();
  await audit(services, caller, { action: 'trunk.created', subject: `trunk:${id}` });
  return { status: 201, body: presentTrunk(services, created, timeZone) };
});
